import pytest

from maxagent.config.errors import UsageError
from maxagent.config.remote_url import RemoteUrl, has_password, refuse_password, split_remote_url


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


@pytest.mark.parametrize(
    "url",
    [
        "https://me:secret@git.example/x.git",
        "http://:secret@git.example:8080/x.git",
        "https://me:123@git.example/x",
        "https://me:s@cret@git.example/x",
        "https://me@host:secret@git.example/x",
        "HTTPS://me:secret/with@git.example/x",
        "https://me:secret@[::1]/x",
        "ssh://git:secret@git.example/x",
        "postgres://me:secret@a:1,b:2/threads",
        "postgresql://me@host/threads?a=b&password=secret",
    ],
)
def test_password_in_a_url_is_refused(url: str) -> None:
    assert has_password(url)
    with pytest.raises(UsageError) as raised:
        refuse_password(url)
    assert raised.value.hint and "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example:443/x:y@z",
        "https://me@dev.azure.example/x",
        "ssh://git@git.example:22/x",
        "git@git.example:x:y.git",
        "https://[::1]:8080/x",
        "file:///srv/a:b@c",
        "/srv/a:b@c",
        "postgres://a:1,b:2/threads?options=-csearch_path%3Dx",
        "postgres://db:5432",
    ],
)
def test_url_without_password_is_taken(url: str) -> None:
    assert not has_password(url)
    refuse_password(url)
