"""Reports of test frameworks: one reader a format."""
