"""Git for our own purposes: a hardened environment, its folders, and risks in its configuration."""
