"""What a consent covers, and what it does not."""

import pytest

from maxagent.config.security.provenance import (
    Provenance,
    compute_provenance_digest,
    find_provenance_changes,
)

SERVER = Provenance("server db", ".mcp.json", "1")


@pytest.mark.parametrize(
    ("current", "changes"),
    [
        ([SERVER], []),
        ([], []),
        ([Provenance("server db", ".mcp.json", "2")], ["`server db` in `.mcp.json` changed"]),
        ([Provenance("server db", ".mcp.json", "")], ["`server db` in `.mcp.json` cannot be read"]),
        ([Provenance("server db", "mcp.json", "1")], ["`server db` in `mcp.json` is new"]),
        ([SERVER, Provenance("script a.sh", "a.sh", "1")], ["`script a.sh` in `a.sh` is new"]),
    ],
)
def test_changes_name_what_consent_does_not_cover(
    current: list[Provenance], changes: list[str]
) -> None:
    assert find_provenance_changes([SERVER], current) == changes


def test_two_lists_of_parts_have_two_digests() -> None:
    lists = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc")]
    assert len({compute_provenance_digest(*parts) for parts in lists}) == len(lists)
    assert compute_provenance_digest("é") == compute_provenance_digest("é".encode())
