"""`mcode profiles`: the profiles of settings."""
