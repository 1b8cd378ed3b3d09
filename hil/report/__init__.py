"""What a bench leaves behind for people and machines: an HTML page, JSON, and a flat JUnit file."""
