import pytest

from maxagent.config.remote_url import RemoteUrl, split_remote_url


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("https://GitHub.com/octo/demo.git", ("https", "github.com", "", "octo/demo.git")),
        ("HTTP://me:p@ss@host:8080/a", ("http", "host", "8080", "a")),
        ("ssh://git@host:/a/b", ("ssh", "host", "", "a/b")),
        ("file:///srv/demo", ("file", "", "", "srv/demo")),
        ("git@Host:octo/demo", ("", "host", "", "octo/demo")),
        ("host:~me/demo", ("", "host", "", "~me/demo")),
    ],
)
def test_url_has_host_and_path(url: str, parts: tuple[str, ...]) -> None:
    assert split_remote_url(url) == RemoteUrl(*parts)


@pytest.mark.parametrize("url", ["", "/srv/demo.git", "../demo", "./a:b/c", "https://host"])
def test_local_path_has_no_parts(url: str) -> None:
    assert split_remote_url(url) is None
