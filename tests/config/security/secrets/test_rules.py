import re

import pytest
from known_forms import PAGE, build_table

from maxagent.config.security.redaction import find_marks
from maxagent.config.security.secrets.rules import (
    DATA,
    Span,
    find_lines,
    find_long_words,
    load_rules,
    read_data,
)


@pytest.mark.parametrize("name", DATA)
def test_each_rule_can_be_searched(name: str) -> None:
    for row in read_data(name)["rules"]:
        re.compile(f"{row.get('context', '')}{row['regex']}")
        assert row["keywords"] == [word.lower() for word in row["keywords"]] != []
        mark = f"[secret: {row['name']}]"
        assert find_marks(mark) == {mark}


def test_licence_is_beside_the_rules() -> None:
    data = read_data("gitleaks_rules.json")
    assert data["licence"][0] == "MIT License" and "Zachary Rice" in data["licence"][2]
    assert len(load_rules()) > 250 and data["left out"]


def test_page_names_each_known_form() -> None:
    assert build_table() in PAGE.read_text("utf-8"), "make secret-rules"


def test_long_words_with_digits_are_found() -> None:
    assert find_long_words(b"an_identifier_of_words abcdefghij0123456789 x1") == [Span(23, 43)]


def test_lines_around_a_keyword_do_not_overlap() -> None:
    assert find_lines(b"a\nkey key\nb\nkey\n", b"key") == [Span(2, 9), Span(12, 15)]
    lines = find_lines(b"key" * 10_000, b"key")
    assert all(line.end <= right.start for line, right in zip(lines, lines[1:], strict=False))
    assert lines[-1].end == 30_000
