"""Search in files by ripgrep or Python."""
