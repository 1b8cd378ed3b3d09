"""What joints transmit: forces and torques from the equilibrium of the bodies, once their accelerations are known."""
