"""Charts of numbers as SVG, for `trace`, `compare` and the reports: scales, curves, bars, histograms, marks.

Decision 0036 says why no library draws them.
"""
