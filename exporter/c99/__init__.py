"""Stage 5: prints any sequence as C99."""
