"""The user's configuration, the paths of files, and the common errors."""
