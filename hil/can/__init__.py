"""CAN: rows and parameters as signals of a DBC, everything else of the bench as a stream of bytes in frames."""
