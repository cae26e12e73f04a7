"""The HTTP client for web pages, and the conversion of HTML to Markdown."""
