"""The report of a campaign: data (JSON), verdicts for a test server (JUnit), and a page for people (HTML)."""
