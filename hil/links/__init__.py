"""How bytes reach a device: serial ports and pseudo terminals through pyserial, TCP, and a loop inside the process."""
