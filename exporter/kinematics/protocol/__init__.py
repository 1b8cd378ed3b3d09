"""What all engines share: the contract between them, and what it is written with. Imports no engine."""
