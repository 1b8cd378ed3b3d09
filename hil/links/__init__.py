"""How bytes reach a device: serial ports, TCP and pseudo terminals through pyserial, and a loop inside the process."""
