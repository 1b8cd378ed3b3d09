"""What a table and Newton steps are made of: seeded Newton blocks and exchanged coordinates use it."""
