"""The command line: one module for each command; no other package imports it."""
