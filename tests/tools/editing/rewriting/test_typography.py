"""New lines lose what the request has and the file has not."""

import pytest

from maxagent.tools.editing.rewriting.typography import infer_spelling


@pytest.mark.parametrize(
    ("pairs", "new", "written"),
    [
        ([("say(\u201chi\u201d)", 'say("hi")')], "say(\u201cho\u201d)", 'say("ho")'),
        ([("say(\u201chi\u201d)", 'say("hi")')], "it\u2019s", "it's"),
        ([("\u201chi\u201d", "\u201chi\u201d")], "\u201cho\u201d", "\u201cho\u201d"),
        ([("a\u00a0b", "a b")], "c\u00a0d", "c d"),
        ([("a", "a")], "\u201cnew\u201d", "\u201cnew\u201d"),
        ([("a  ", "a"), ("b  ", "b")], "c  ", "c"),
        ([("a", "a")], "c  ", "c  "),
        ([("a    ", "a  "), ("b  ", "b")], "c   ", "c "),
        ([("a  ", "a  ")], "c  ", "c  "),
    ],
)  # fmt: skip
def test_new_lines_are_spelled_as_the_file(
    pairs: list[tuple[str, str]], new: str, written: str
) -> None:
    assert infer_spelling(pairs).as_in_file(new) == written
