"""Secrets in texts: known values, forms of keys, assignments, the one search for all."""
