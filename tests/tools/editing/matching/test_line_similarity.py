"""A slip of the pen is told from another meaning."""

import pytest

from maxagent.tools.editing.matching.line_similarity import (
    differs_in_comment,
    has_same_facts,
    has_same_strings,
    is_made_of_real,
    is_misspelling,
    measure_similarity,
)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("if ready:", "if not ready:"),
        ("limit = 10", "limit = 15"),
        ("handler2(x)", "handler3(x)"),
        ("if a < b:", "if a <= b:"),
        ("if a == b:", "if a != b:"),
        ("if (!done)", "if (done)"),
        ("debug = True", "debug = False"),
        ("a && b", "a || b"),
        ("return None", "return value"),
        ("total = a + b", "total = a - b"),
    ],
)
def test_these_mean_another_thing(text: str, other: str) -> None:
    assert not has_same_facts(text, other)


def test_these_may_mean_the_same() -> None:
    assert has_same_facts("# sum all of the rows", "# sum up all of the rows")
    assert has_same_facts("value = compute(a, 1)", "value = compute(b, 1)")


@pytest.mark.parametrize(
    ("code", "comment", "is_comment"),
    [
        ("go(a);", " // not used", True),
        ("if (a) {", " //1 of 2", True),
        ("dbdEnd,", " /* is 3 */", True),
        ("int a", " /* not b */", True),
        ("for row in rows:", " # newest 3, not older", True),
        ("select a,", " -- not b", True),
        ("int a; /* the first */", " // not b", True),
        ("/// Says where it is", " // 2", True),
        ("# of the rows", " // 2", True),
        ("* factor", " // 2", False),
        ("half = whole", " // 2", False),
        ("half = size()", " // 2", False),
        ("a = b", " -- c", False),
        ("f(a,", " --b);", False),
        ("a = b", " /* begins here", False),
        ("a = b", " /* c */ + d", False),
        ('url = "http:', '//example.org"', False),
        ("a = b", " + c", False),
        ("echo $a", "#b", False),
        ("a = b", "", False),
    ],
)
def test_comment_behind_a_line_is_told(code: str, comment: str, is_comment: bool) -> None:
    assert differs_in_comment(code, code + comment) == is_comment
    assert differs_in_comment(code + comment, code) == is_comment


def test_texts_in_quotes_must_agree() -> None:
    assert not has_same_strings('route("/users")', 'route("/orders")')
    assert has_same_strings('say("hello world")', 'say("helo world")')
    assert has_same_strings("plain", "other")
    assert not has_same_strings('get("session_open_timeout_ms")', 'get("session_close_timeout_ms")')


def test_lines_long_or_of_other_length_are_dissimilar() -> None:
    assert measure_similarity("a" * 601, "a" * 601) == 1.0
    assert measure_similarity("a" * 601, "a" * 602) == 0.0
    assert measure_similarity("abc", "abcdefg") == 0.0
    assert 0.8 < measure_similarity("value = one", "value = ones") < 1


def test_a_misspelled_word_is_no_other_word() -> None:
    assert is_misspelling("self.value = 1", "self.vlue = 1")
    assert not is_misspelling("self.value = 1", "self.other = 1")


@pytest.mark.parametrize(
    ("asked", "real", "same"),
    [
        ("trace_open_vfs_getname", "trace_close_vfs_getname", False),
        ("onSessionOpenEvent", "onSessionCloseEvent", False),
        ("session_lock_the_table", "session_unlock_the_table", False),
        ("handle_session_event", "the_handle_session_event", True),
        ("trace_opne_vfs_getname", "trace_open_vfs_getname", True),
        ("traceOpen_vfs_getnames", "trace_open_vfs_getname", True),
        ("SESSION_OPEN", "session_open", False),
    ],
)
def test_each_part_of_a_name_counts(asked: str, real: str, same: bool) -> None:
    assert is_misspelling(asked, real) == same


@pytest.mark.parametrize(
    ("asked", "real", "new", "existing"),
    [
        ("total = cost * count", "total = price * count", "total = price * count + tax", True),
        ("total = cost * count", "total = price * count", "total = cost * count + tax", False),
        ("mode = slow", "mode = fast", "mode = auto", False),
        ("retrun value", "return value", "return other", True),
        ("for a in node.all:", "for a in root.all:", "for a in node.root:", False),
        ("on_open_event(x)", "on_close_event(x)", "on_event(x)", False),
        ("on_clsoe_event(x)", "on_close_event(x)", "on_event(x)", True),
        ("f(a)", "f(a, b)", "f(c)", False),
        ("f(a, b)", "f(a)", "f(c, b)", False),
        ("f(a, b)", "f(a)", "f(c)", True),
        ("if x(", "if x():", "", True),
    ],
)
def test_new_line_shows_its_real_source(asked: str, real: str, new: str, existing: bool) -> None:
    assert is_made_of_real(asked, real, new) == existing
