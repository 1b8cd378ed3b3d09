"""What a table and two Newton steps are made of: torn blocks and exchanged coordinates use it."""
