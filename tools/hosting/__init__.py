"""GitHub and GitLab, the hosts of git repositories: addresses, logins, pull requests."""
