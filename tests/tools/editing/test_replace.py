"""A request lands where it was meant and changes nothing else, or is refused."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import EditRequest
from maxagent.tools.editing.replace import (
    diff_to_edits,
    find_elided_places,
    replace_text,
    split_request,
)
from maxagent.tools.result import ToolError
from maxagent.tools.textedits.text_edits import TextEdit, apply_edits, find_edit_lines


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


FILE = """class Session:
    def open(self, user):
        # look the user up before anything else
        record = self.store.find(user)
        if record is None:
            raise UnknownUser(user)   # "why"
        token  =  self.sign(record, days=30)

        return token

    def close(self, token):
        self.cache.drop(token)
"""
OPEN = FILE[FILE.index("    def open") : FILE.index("\n    def close")]


def edited(old: str, new: str, text: str = FILE, **how: bool) -> str:
    done = replace_text(text, old, new, **how)
    assert apply_edits(text, done.edits) == done.text
    return done.text


def refusal(old: str, new: str, text: str = FILE, **how: bool) -> str:
    with pytest.raises(ToolError) as refused:
        replace_text(text, old, new, **how)
    return str(refused.value)


CLOSE = "def close(self, token):\nself.cache.drop(token)\n"
FORGOT = OPEN.replace("        # look the user up before anything else\n", "")
SLIP = OPEN.replace("look the user up", "find the user")
NUMBERED = "4→        record = self.store.find(user)\n5→        if record is None:"
LITERAL = "$& \\1 \\g<0> {0} %s $1"


@pytest.mark.parametrize(
    ("old", "was", "becomes"),
    [
        ("days=30", "days=30", "days=90"),
        ("self.cache.drop(token)", "self.cache.drop(token)", LITERAL),
        (CLOSE, "drop(token)", "clear()"),
        (CLOSE.replace("self.cache", "  self.cache"), "drop(token)", "clear()"),
        (CLOSE.replace("self.cache", "\tself.cache"), "self.cache.drop", LITERAL),
        ("  token = self.sign(record, days=30)", "days=30", "days=90"),
        ("raise UnknownUser(user) # \u201cwhy\u201d", "UnknownUser", "Unknown"),
        ('if record is None:\n\n    raise UnknownUser(user)   # "why"', "UnknownUser", "Unknown"),
        (r"raise UnknownUser(user)   # \"why\"", "UnknownUser", "Unknown"),
        ("```\n        return token\n```", "return token", "return token.value"),
        (NUMBERED, "record is None", "not record"),
        ("\n\nreturn token\n\n", "return token", "return token, 1"),
        (SLIP, "return token", "return token, 1"),
        (FORGOT, "return token", "return token, 1"),
        ("    def close(self, token):  ", "def close", "def shut"),
        ("        return token \n", "return token", "return token, 1"),
    ],
)
def test_a_request_lands_and_the_rest_stays(old: str, was: str, becomes: str) -> None:
    assert edited(old, old.replace(was, becomes)) == FILE.replace(was, becomes)


def test_new_lines_get_the_depth_of_the_file() -> None:
    old = CLOSE.replace("self.cache", "  self.cache")
    wrapped = "def close(self, token):\n  if token:\n    self.cache.drop(token)\n"
    after = FILE.replace("        self.cache", "        if token:\n            self.cache")
    assert edited(old, wrapped) == after
    tabs = "\tdef close(self, token):\n\t\tself.cache.drop(token)"
    assert edited(tabs, f"{tabs}\n\t\tself.n -= 1") == f"{FILE}        self.n -= 1\n"


def test_lines_are_taken_out() -> None:
    assert edited("        return token \n", "") == FILE.replace("        return token\n", "")


@pytest.mark.parametrize(
    ("old", "new", "text", "reason"),
    [
        ("a", "a", "a", "are the same"),
        ("", "a", "b", "is empty"),
        (
            "a",
            "b",
            "a a",
            "2 times, at line 1, columns 1, 3; add the lines around the one you mean, or set",
        ),
        ("--", "b", "---", "2 times"),
        ("    x = 1 \n", "y", "x = 1\n  x = 1\n", "2 times, at lines 1, 2"),
        ("\n", "x", "a\nb\n", "2 times"),
        (" \t", "x", "a b", "not in the file"),
        ("returnvalue", "x", "return value\n", "not in the file"),
        ("return value", "x", "returnvalue\n", "not in the file"),
        ("timeout = 1", "x", "TIMEOUT = 1\n", "not in the file"),
        (" name ", "x", "rename_all\n", "not in the file"),
        ("a = 1", "// ... existing code ...\na = 2", "a = 1\n", "`new_string` has a line"),
        ("f(\n# ... rest unchanged ...\n)", "g()", "f(\n1\n)\n", "`old_string` has a line"),
        ("f(\n# ... rest unchanged ...\n)", "g()", "x\nf(\n1\n)\n", "\n     2→f("),
        ("if ready:\n  a(1)\n  b(2)\n", "x", "if not ready:\n  a(1)\n  b(2)\n", "not in the file"),
        ("  a\n  b\n", "a\nb\n", "    a\n    b\n", "only the indentation differs"),
        ("  a\n  b\n", "a\nb\n", "x\n    a\n    b\n", ":\n     2→····a\n     3→····b"),
        ("}", "]", "}\n}\n", "2 times"),
    ],
)
def test_what_is_not_clear_is_refused(old: str, new: str, text: str, reason: str) -> None:
    assert reason in refusal(old, new, text)


def test_block_found_twice_follows_shape_or_is_refused() -> None:
    twice = "if a:\n    b\nc\nif a:\n    b\n    c\n"
    assert edited("\tif a:\n\t\tb\n\t\tc\n", "\tif a:\n\t\tb\n\t\td\n", twice) == (
        "if a:\n    b\nc\nif a:\n    b\n    d\n"
    )
    assert "at lines 1, 4" in refusal("if a:\n\tb ", "x", "if a:\n    b\nc\nif a:\n    b\n    c\n")


def test_anchors_that_are_only_braces_find_nothing() -> None:
    text = "{\n  alpha = 1\n  beta = 2\n}\n"
    assert "closest lines" in refusal("{\n  gamma = 3\n  delta = 4\n}", "x", text)


def test_numbers_must_agree_in_a_similar_block() -> None:
    assert "not in the file" in refusal(OPEN.replace("30", "31"), OPEN.replace("30", "90"))


def test_a_line_remembered_wrongly_is_not_written_over() -> None:
    stale = OPEN.replace("self.store.find(user)", "self.stores.find(user)")
    expected = stale.replace("self.stores.find(user)", "self.stores.load(user)")
    assert "but has it otherwise" in refusal(stale, expected)


def test_everywhere_every_place_is_changed() -> None:
    assert edited("token", "key", everywhere=True) == FILE.replace("token", "key")
    text = "\tx = 1\n  x = 1  \n"
    assert edited(" x = 1\n", " x = 2\n", text, everywhere=True) == "\tx = 2\n  x = 2\n"
    assert edited("\t", "  ", "\ta\n\t\tb", everywhere=True) == "  a\n    b"
    assert "with `replace_all` it must match" in refusal("token = self", "x", everywhere=True)


def test_changed_file_takes_only_exact_and_unique_text() -> None:
    assert edited("days=30", "days=31", exact=True) == FILE.replace("30", "31")
    for old in ("  days=30", "token"):
        assert "has changed since you read it" in refusal(old, "x", exact=True)
        assert "has changed since" in refusal(old, "x", exact=True, everywhere=True)


def test_what_is_already_so_is_refused() -> None:
    text = "alpha(1)\nbeta(2)\ngamma(3)\ndelta(4)\n"
    made_up = text.replace("beta", "made_up()\nbeta")
    assert "already so, at line 1" in refusal(made_up, text, text)
    assert "may have been made already" in refusal("drop(old)", "drop(token)")


def test_the_result_says_what_was_adapted() -> None:
    assert replace_text(FILE, "days=30", "days=31").adapted == ()
    done = replace_text(FILE, "if record is None: ", "if not record: ")
    assert (done.strategy, done.adapted, done.lines) == (
        "line_trimmed",
        ("indentation", "blanks at the ends of lines"),
        (5,),
    )


@pytest.mark.parametrize("odd", ["\r", "\u2028", "\x0c", "\x85", "\udcff", "\x1c", "\u00a0"])
def test_odd_characters_are_kept(odd: str) -> None:
    text = f"a{odd}b\n  one\n{odd}\ntwo\n"
    assert edited("one\n", "1\n", text) == text.replace("one", "1")
    assert edited("one \n", "1 \n", text) == text.replace("one", "1")
    if odd.isspace():
        assert edited("one \n\ntwo", "one \n\n2", text) == text.replace("two", "2")


WORDS = st.sampled_from(["a", "b = 1", "  c", "", "}", "\td e", "f \r", "\u2028g", "\udcff"])
LINES = st.lists(WORDS, max_size=12)


@given(LINES, LINES, LINES, st.booleans())
def test_untouched_lines_stay_and_edits_make_the_text(
    lines: list[str], old: list[str], new: list[str], everywhere: bool
) -> None:
    text = "\n".join(lines)
    try:
        done = replace_text(text, "\n".join(old), "\n".join(new), everywhere=everywhere)
    except ToolError:
        return
    assert apply_edits(text, done.edits) == done.text
    assert find_edit_lines(text, done.edits) == done.lines
    ends = [0, *(piece.end for piece in done.edits)]
    starts = [*(piece.start for piece in done.edits), len(text)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))


@given(st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_a_shifted_request_changes_its_line_only(lines: list[str], data: st.DataObject) -> None:
    lines = [f"{line} {number}" for number, line in enumerate(lines)]
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    at = data.draw(st.integers(start, end - 1))
    assume(lines[at].strip())
    block = ["   " + line.strip("\r\u2028") for line in lines[start:end]]
    changed = [*block[: at - start], "   brand new", *block[at - start + 1 :]]
    try:
        done = replace_text("\n".join(lines), "\n".join(block), "\n".join(changed)).text.split("\n")
    except ToolError:
        return
    assert (done[:at], done[at].strip(), done[at + 1 :]) == (
        lines[:at],
        "brand new",
        lines[at + 1 :],
    )


def test_remark_in_escaped_old_text_is_no_elision() -> None:
    text = "a = 1\n# ...\nb = 2\n"
    done = replace_text(text, "a = 1\\n# ...\\nb = 2\\n", "a = 1\n# ...\nb = 3\n")
    assert done.text == "a = 1\n# ...\nb = 3\n"


def test_empty_line_before_removed_lines_stays() -> None:
    text = "  a\n  b\n\n  c\nd\n"
    assert replace_text(text, "a\nb\n\nc", "a\nb\n").text == "  a\n  b\n\nd\n"


def test_neighbours_that_are_taken_out_do_not_overlap() -> None:
    done = replace_text("a\n  a", "  a \n", "", everywhere=True)
    assert (done.text, [(piece.start, piece.end) for piece in done.edits]) == (
        "",
        [(0, 2), (2, 5)],
    )


def test_only_numbered_lines_lose_the_blank_behind_it() -> None:
    text = "def f():\n    a()\n    b()\n"
    done = replace_text(text, "2:     a()\n3:     b()", "2:     a()\n    c()\n3:     b()")
    assert done.text == "def f():\n    a()\n    c()\n    b()\n"


def test_different_line_takes_no_spelling_of_the_old() -> None:
    text = "x = 1\nA\u00a0= b\ny = 2\n"
    done = replace_text(text, "x = 1\nA = b\ny = 2", "x = 1\npebble_33 = compute(7);\ny = 2")
    assert done.text == "x = 1\npebble_33 = compute(7);\ny = 2\n"


def test_lines_that_both_have_are_in_no_piece() -> None:
    assert diff_to_edits(2, "a\nb\nc", "a\nX\nc") == [TextEdit(4, 6, "X\n")]
    assert diff_to_edits(0, "word", "words") == [TextEdit(0, 4, "words")]


@given(st.text("ab\n\r\u2028"), st.text("ab\n\r\u2028"))
def test_the_pieces_make_the_new_text(old: str, new: str) -> None:
    assert apply_edits(f"<{old}>", diff_to_edits(1, old, new)) == f"<{new}>"


DEEP = """class A:
    def f(self,  x):
        if x:
            go()
        return x + y
"""
SCRIPT = """class A {
  open(user) {
    const found = this.find(user);
    if (!found) {
      throw new Unknown(user);
    }
    return found;
  }
}
"""
METHOD = "def f(self, x):\n        if x:\n            go()\n"
DEDENTED = "def f(self, x):\n    if x:\n        stop()\n"
GOES = "    def f(self,  x):\n        if x:\n            go()\n"
STOPS = "    def f(self,  x):\n        if x:\n            stop()\n"
IF_FOUND = "if (!found) {\n      throw new Unknown(user);\n    }"


@pytest.mark.parametrize(
    ("text", "old", "new", "was", "becomes"),
    [
        (DEEP, METHOD, DEDENTED, GOES, STOPS),
        (DEEP, METHOD, METHOD.replace("go()", "stop()"), GOES, STOPS),
        (DEEP, METHOD.replace(", x", ",  x"), DEDENTED.replace(", x", ",  x"), GOES, STOPS),
        (
            DEEP,
            "if x:\n            go()\n        return x + y\n",
            "if x:\n    stop()\nreturn x + y\n",
            "go()",
            "stop()",
        ),
        (
            SCRIPT,
            IF_FOUND,
            "if (!found) {\n  throw new Missing(user);\n}",
            "new Unknown",
            "new Missing",
        ),
        (SCRIPT, IF_FOUND, IF_FOUND.replace("Unknown", "Missing"), "new Unknown", "new Missing"),
        (
            DEEP,
            "   def f(self,  x):\n        if x:\n            go()\n",
            " def f(self,  x):\n     if x:\n         stop()\n",
            GOES,
            None,
        ),
    ],
    ids=["dedented", "as file", "exact", "inner block", "script", "script as file", "two cuts"],
)
def test_first_line_without_indentation_keeps_all_depths(
    text: str, old: str, new: str, was: str, becomes: str | None
) -> None:
    if becomes is None:
        assert "indentation" in refusal(old, new, text)
        return
    assert edited(old, new, text) == text.replace(was, becomes)


@pytest.mark.parametrize(
    ("old", "new", "becomes"),
    [
        ("  def f(self,  x):\n    if x:", "    def f(self):\n        while x:", "literal"),
        ("    def f(self,  x):\n      if x:", "    def f(self):\n        while x:", "literal"),
        ("  if x:\n    go()", "  while x:\n    go()", "scaled"),
        ("  if x:\n    go()", "  while x:\n        go()", None),
        ("def f(self,  x):\n  if x:", "def f(self):\n    while x:", None),
    ],
)
def test_new_lines_in_another_step_are_not_doubled(old: str, new: str, becomes: str | None) -> None:
    scaled = "        while x:\n            go()\n"
    if becomes is None:
        assert "indent" in refusal(old, new, DEEP)
    elif becomes == "scaled":
        assert edited(old, new, DEEP) == DEEP.replace("        if x:\n            go()\n", scaled)
    else:
        text = "    def f(self,  x):\n        if x:\n"
        assert edited(old, new, DEEP) == DEEP.replace(text, f"{new}\n")


@pytest.mark.parametrize(
    "old",
    ["return x", "    return x", "        return x", "return  x", "return x + ", "class", "if  x"],
)
@pytest.mark.parametrize("whole_lines", [False, True])
def test_whole_line_is_not_found_inside_a_longer(old: str, whole_lines: bool) -> None:
    assert refusal(f"{old}\n", f"{old} * 2\n", DEEP, whole_lines=whole_lines)
