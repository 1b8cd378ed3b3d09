"""What a table and two Newton steps are made of: seeded Newton blocks and exchanged coordinates use it."""
