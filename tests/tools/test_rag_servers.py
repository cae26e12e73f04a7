import pytest

from maxagent.tools.rag_servers import describe_missing, find_server

ONE = {"docs": "https://rag.example/v1"}
TWO = {**ONE, "code": "http://localhost:8000/"}


@pytest.mark.parametrize(
    ("value", "servers", "name"),
    [
        ("docs", TWO, "docs"),
        (" code ", TWO, "code"),
        ("https://rag.example/v1/", TWO, "docs"),
        ("http://localhost:8000", TWO, "code"),
        ("", ONE, "docs"),
        (None, ONE, "docs"),
        ("", TWO, ""),
        ("", {}, ""),
        ("other", ONE, ""),
        ("https://evil.example/v1", ONE, ""),
        ("https://rag.example/v1/more", ONE, ""),
        (["docs"], TWO, ""),
    ],
)
def test_only_a_configured_server_is_found(value: object, servers: dict, name: str) -> None:
    assert find_server(value, servers) == name


def test_a_missing_server_names_those_there_are() -> None:
    assert describe_missing("x", TWO) == (
        "`x` is not a configured retrieval server; there are: `docs`, `code`"
    )
    assert "one of `docs`, `code`" in describe_missing("", TWO)
    assert "`rag.servers`" in describe_missing("x", {})
