"""Git's configuration and hooks, read without git: what makes git start programs."""
