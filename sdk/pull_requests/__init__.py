"""A thread's changes as a commit on a branch of their own, and as a pull request."""
