"""The LabVIEW package: shared libraries with a flat interface, what describes them, and the audit of their bytes."""
