"""What is told of a mechanism before it is exported: freedom, loops, choices of coordinates, solve order, degrees."""
