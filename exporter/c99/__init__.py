"""Stage 5: prints any program as C99. `program_files` gives file name -> text."""

from exporter.c99.files import program_files as program_files
