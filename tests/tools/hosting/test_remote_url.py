import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.hosting.remote_url import RepositoryAddress, parse_remote_url

ADDRESSES = {
    "https://github.com/octo/demo.git": ("github.com", "octo", "demo"),
    "https://github.com/octo/demo": ("github.com", "octo", "demo"),
    "https://me:secret@GitHub.com/octo/demo.git/": ("github.com", "octo", "demo"),
    "git@github.com:octo/demo.git": ("github.com", "octo", "demo"),
    "github.com:octo/demo": ("github.com", "octo", "demo"),
    "ssh://git@ssh.github.com:443/octo/demo.git": ("github.com", "octo", "demo"),
    "ssh://git@code.example:2222/octo/demo": ("code.example", "octo", "demo"),
    "http://127.0.0.1:8080/octo/demo.git": ("127.0.0.1:8080", "octo", "demo"),
    "git@gitlab.com:group/sub/demo.git": ("gitlab.com", "group/sub", "demo"),
    "git@github.com:octo/.github": ("github.com", "octo", ".github"),
}
OTHERS = [
    *(
        "",
        "/srv/demo.git",
        "../demo",
        "./a:b/c",
        "file:///srv/octo/demo",
        "https://github.com/demo",
    ),
    *("https://github.com/../demo", "https://github.com/a/..", "https:///a/b", "ext::sh -c x/y"),
    *("https://[::1/a/b", "git@-host:a/b", "https://h:99999999/a/b", "git@h:a b/c"),
]


@pytest.mark.parametrize("url", ADDRESSES)
def test_address_of_a_remote(url: str) -> None:
    assert parse_remote_url(url) == RepositoryAddress(*ADDRESSES[url])


@pytest.mark.parametrize("url", OTHERS)
def test_other_urls_have_no_address(url: str) -> None:
    assert parse_remote_url(url) is None


@given(st.text(max_size=60) | st.from_regex(r"[a-z+]{0,6}:?/?/?[ -~]{0,40}", fullmatch=True))
def test_parser_accepts_any_text(url: str) -> None:
    remote_url = parse_remote_url(url)
    if remote_url:
        assert ".." not in remote_url.path.split("/")
        assert all(remote_url.path.split("/"))
