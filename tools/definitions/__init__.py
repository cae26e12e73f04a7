"""Classes and functions that source files define."""
