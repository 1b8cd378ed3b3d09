"""Does the C agree with a reference that shares no code with the exporter?"""
