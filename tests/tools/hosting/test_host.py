import pytest

from maxagent.tools.hosting.host import find_host
from maxagent.tools.hosting.remote_url import RepositoryAddress

CASES = [
    ("github.com", {}, "github", "https://api.github.com", True),
    ("github.com", {"GITHUB_API_URL": "http://127.0.0.1:1/"}, "github", "http://127.0.0.1:1", True),
    ("ghe.example", {"GH_HOST": "ghe.example"}, "github", "https://ghe.example/api/v3", True),
    ("ghe.example", {"GH_HOST": "ghe.example", "GITHUB_API_URL": "https://api.github.com"},
     "github", "https://ghe.example/api/v3", True),
    ("ghe.example", {"GITHUB_API_URL": "https://ghe.example/api/v3"},
     "github", "https://ghe.example/api/v3", True),
    ("octo.ghe.com", {}, "github", "https://api.octo.ghe.com", False),
    ("octo.ghe.com", {"GH_HOST": "other.ghe.com"}, "github", "https://api.octo.ghe.com", False),
    ("octo.ghe.com", {"GH_HOST": "octo.ghe.com"}, "github", "https://api.octo.ghe.com", True),
    ("octo.ghe.com", {"GITHUB_SERVER_URL": "https://octo.ghe.com"},
     "github", "https://api.octo.ghe.com", True),
    ("github.example.com", {}, "github", "https://github.example.com/api/v3", False),
    ("gitlab.com", {}, "gitlab", "https://gitlab.com/api/v4", True),
    ("gitlab.com", {"GITLAB_API_URL": "http://127.0.0.1:1"}, "gitlab", "http://127.0.0.1:1", True),
    ("code.example:8443", {"GITLAB_HOST": "https://code.example"},
     "gitlab", "https://code.example:8443/api/v4", True),
    ("gitlab.example", {}, "gitlab", "https://gitlab.example/api/v4", False),
    ("github.com.evil.example", {}, "github", "https://github.com.evil.example/api/v3", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "environ", "kind", "api", "has_token"), CASES)
def test_host_and_its_api(
    name: str, environ: dict[str, str], kind: str, api: str, has_token: bool
) -> None:
    host = find_host(RepositoryAddress(name, "octo", "demo"), environ)
    assert host
    assert (host.kind, host.api_url, bool(host.token_variables)) == (kind, api, has_token)


def test_unnamed_host_is_unknown() -> None:
    assert find_host(RepositoryAddress("code.example", "octo", "demo"), {}) is None
