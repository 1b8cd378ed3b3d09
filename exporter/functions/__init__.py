"""The functions of an export: their signals, what each computes, and the program that they make up."""
