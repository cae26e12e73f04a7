"""Reports of test frameworks: one reader for each format."""
