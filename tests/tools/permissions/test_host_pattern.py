import pytest

from maxagent.tools.permissions.host_pattern import parse_host, parse_host_pattern
from maxagent.tools.permissions.subject import Subject


@pytest.mark.parametrize(
    ("pattern", "url", "meets"),
    [
        ("domain:example.org", "https://example.org/a?b#c", True),
        ("domain:example.org", "http://EXAMPLE.org.:8080/", True),
        ("domain:Example.ORG.", "https://example.org", True),
        ("domain:example.org", "https://www.example.org", False),
        ("domain:example.org", "https://example.org.evil.com", False),
        ("domain:example.org", "https://notexample.org", False),
        ("domain:*.example.org", "https://www.example.org", True),
        ("domain:*.example.org", "https://a.b.example.org", True),
        ("domain:*.example.org", "https://example.org", False),
        ("domain:*.example.org", "https://evilexample.org", False),
        ("domain:bücher.example", "https://xn--bcher-kva.example/", True),
        ("domain:xn--bcher-kva.example", "https://BÜCHER.example/", True),
        ("domain:example.org", "https://example。org/", True),
        ("domain:::1", "http://[::1]/", True),
    ],
)
def test_a_host_is_compared_whole_in_one_spelling(pattern: str, url: str, meets: bool) -> None:
    assert parse_host_pattern(pattern).matches_strictly(Subject((parse_host(url),))) is meets


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org",
        "file:///etc/passwd",
        "https://user@example.org",
        "https://evil.com\\@example.org",
        "https://exa mple.org",
        "https://exa\tmple.org",
        "https://[::1",
        "https:///path",
        3,
        None,
    ],
)
def test_ambiguous_address_has_no_host(url: object) -> None:
    assert parse_host(url) == ""


@pytest.mark.parametrize("text", ["example.org", "domain:", "domain:*", "domain:a/b", "host:a.b"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a|is no host|is written|must be|write"):
        parse_host_pattern(text)
