"""Hosts of git repositories, GitHub and GitLab: addresses, logins, pull requests."""
