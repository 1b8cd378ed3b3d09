"""What the shipped bytes are and do: headers of the files, and their code run in emulators and on this computer."""
