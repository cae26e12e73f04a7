"""Parsing and applying patches."""
