"""Words to compare texts by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.memory.cards.words import split_exact_words, split_words, stem


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Running the tests", ["run", "the", "test"]),
        ("retryCount HTTPServer snake_case", ["retry", "count", "http", "server", "snak", "case"]),
        ("运行测试", ["运行", "行测", "测试"]),
        ("用make构建", ["用", "make", "构建"]),
        ("人々の", ["人々", "々の"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("𪚥x𰻝", ["𪚥", "x", "𰻝"]),
        ("二〇二六", ["二〇", "〇二", "二六"]),
        ("時々", ["時々"]),
        ("ＦＵＬＬ　width", ["full", "width"]),
        ("", []),
        ("!? -- …", []),
    ],
)
def test_text_is_split_into_words_to_find(text: str, arguments: list[str]) -> None:
    assert split_words(text) == arguments


@pytest.mark.parametrize(
    "forms",
    [
        ("test", "tests", "testing", "tested"),
        ("cache", "caches", "caching", "cached"),
        ("policy", "policies"),
        ("stop", "stops", "stopping", "stopped"),
        ("class", "classes"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_short_words_are_kept() -> None:
    assert [stem(word) for word in ("is", "bus", "ring", "red", "css", "yes")] == [
        *("is", "bus", "ring", "red", "css", "yes")
    ]


def test_exact_words_keep_their_endings() -> None:
    assert split_exact_words("Running 测试, now!") == ["running", "测", "试", "now"]


@given(st.text())
def test_any_text_can_be_split(text: str) -> None:
    assert all(split_words(text)) and all(split_exact_words(text))
