"""Opens the API of a repository's host."""

from .login import Login
from .pull_request import HostingApi
from .remote_url import RepositoryAddress


def open_api(
    login: Login, target: RepositoryAddress, source: RepositoryAddress | None = None
) -> HostingApi:
    """Open the API of `target`; `source` has the branches, the same repository or a fork."""
    # httpx is loaded only now
    if login.host.kind == "github":
        from .github import GitHubApi

        return GitHubApi(login, target, source or target)
    from .gitlab import GitLabApi

    return GitLabApi(login, target, source or target)
