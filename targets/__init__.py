"""C99 text in, a built and audited package out."""
