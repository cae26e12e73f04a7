"""What both texts of a request leave out stays; what stands around it is there once, in order."""

import pytest

from maxagent.tools.editing.elided_runs import find_elided_places, split_request
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import EditRequest


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("a\n...\nb", "c\n...\nb", [("a\n", "c\n"), ("b\n", "b\n")]),
        (
            "a\n  # ... rest of code ...\nb",
            "a\n# ... rest of code ...\n",
            [("a\n", "a\n"), ("b\n", "")],
        ),
        ("a\n...\nb", "a\nb", []),
        ("...\nb", "c\n...\nb", []),
        ("a\nb", "a\nc", []),
    ],
)
def test_the_parts(old: str, new: str, parts: list[tuple[str, str]]) -> None:
    assert [(part.old, part.new) for part in split_request(EditRequest(old, new))] == parts


@pytest.mark.parametrize(
    ("text", "places"),
    [("a\nx\nb\n", 2), ("a\nx\na\nb\n", 0), ("b\nx\na\n", 0), ("a\nx\n", 0), ("a\nb\n", 2)],
)
def test_the_places_of_parts(text: str, places: int) -> None:
    request = EditRequest("a\n...\nb", "c\n...\nd")
    assert len(find_elided_places(TextDocument(text), request)) == places
