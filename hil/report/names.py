"""What a bench's report is called, and its version: for those that write one and those that read one."""

PAGE, DATA, JUNIT = "report.html", "report.json", "report.xml"
REPORT_KIND = "kinefix-hil"
VERSION = 2
"""Of the data: additions keep it, other changes raise it."""
