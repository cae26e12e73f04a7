"""Secrets, ignore patterns, names of paths, and other checks that every floor uses."""
