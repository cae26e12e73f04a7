"""Credentials for a push if the user's git has none for the host, such as on a CI runner."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from ..git.git_settings import build_variables
from ..git.user_git import UserGit
from .login import Login
from .remote_url import parse_remote_url

_TOKEN = "MCODE_PUSH_TOKEN"  # noqa: S105 - the name of a variable
_USERS = {"github": "x-access-token", "gitlab": "oauth2"}


async def build_credentials(git: UserGit, login: Login, push_url: str) -> Mapping[str, str]:
    """Return variables that let git use the login's token; empty if the user's git has credentials.

    `git` is isolated: a helper that only the repository names is not run, and does not count.
    The user's credential helper is never combined with ours: it would store our token.
    """
    address = parse_remote_url(push_url)
    parts = urlsplit(push_url) if "://" in push_url else None
    if not address or not parts or parts.scheme != "https" or parts.password:
        return {}
    if address.host != login.host.name:
        return {}
    host_url = f"https://{address.host}"
    for key in ("credential.helper", "http.extraheader"):
        if await git.read_text("config", "--get-urlmatch", key, push_url, allowed_codes=(0, 1)):
            return {}
    user = _USERS[login.host.kind]
    helper = f'!f() {{ test "$1" = get && echo username={user} && echo "password=${_TOKEN}"; }}; f'
    return {
        _TOKEN: login.token,
        **build_variables({f"credential.{host_url}.helper": helper}),
    }
