"""What the machine code of an export says: single path, instruction count, symbols, stack, sizes."""
