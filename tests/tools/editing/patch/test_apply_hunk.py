"""One hunk changes what it marks; context stays as the file has it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maxagent.tools.editing.patch.apply_hunk import Hunk, apply_hunk
from maxagent.tools.result import ToolError
from maxagent.tools.textedits.text_edits import apply_edits

CLASS = """\
class A {
    x;
    f() {
        if (x) {
            y();
        }
        z();
    }
    g() {
"""
WITH_CALL = CLASS.replace("f() {\n", "f() {\n        w();\n")
AT_TWO_DEPTHS = Hunk(
    ("-x;", "-f() {", "-    if (x) {", "-        y();", "+    x;", "+    f() {",
     "+        if (x) {", "+            yy();", "+        }", "+        z();", "     }",
     "-    z();", "-}", "-g() {", "+    g() {")
)  # fmt: skip
"""The old lines lack the file's depth, the new ones have it, and a brace is in both by chance."""


@pytest.mark.parametrize(
    ("text", "hunk", "after"),
    [
        ("a\nb\nc\n", Hunk((" a", "-b", "+B", " c")), "a\nB\nc\n"),
        ("a\nb\nc", Hunk((" b", "-c", "+C")), "a\nb\nC"),
        ("a  \n\tb\n", Hunk((" a", "-    b", "+    c", "+        d")), "a  \n\tc\n\t\td\n"),
        ("say(\u201ca\u201d)\nb\n", Hunk((' say("a")', "-b", "+c")), "say(\u201ca\u201d)\nc\n"),
        ("a\n", Hunk(("-a",)), ""),
        ("", Hunk(("+a", "+b")), "a\nb\n"),
        ("a\n", Hunk(("+b",), at_end=True), "a\nb\n"),
        ("a", Hunk(("+b",), at_end=True), "a\nb"),
        ("a\nb\n", Hunk(("+c",), context=("a",)), "a\nc\nb\n"),
        ("a\nb\n", Hunk(("+c", "+d"), context=("b",)), "a\nb\nc\nd\n"),
        ("a\nb", Hunk(("+c",), context=("b",)), "a\nb\nc"),
        (CLASS, Hunk(("+        w();",), context=("class A {", "f() {")), WITH_CALL),
        (CLASS, Hunk(("+        w();",), context=("    f() {",)), WITH_CALL),
        ("a\nb", Hunk((" a", "-b", "+b"), old_unended=True), "a\nb\n"),
        ("a\nb\n", Hunk((" a", "-b", "+b"), new_unended=True), "a\nb"),
        ("a\nb\n", Hunk((" a", "-b"), new_unended=True), "a"),
        ("a\nb", Hunk((" a", "-b"), old_unended=True), "a\n"),
        ("a\nb", Hunk(("-b", "+c"), old_unended=True, new_unended=True), "a\nc"),
        ("a\rb\u2028\x0cc\nd\n", Hunk((" a\rb\u2028\x0cc", "-d", "+e")), "a\rb\u2028\x0cc\ne\n"),
        ("    a\n    b\n", Hunk(("-a", "-b", "+    new()", "+    b")), "    new()\n    b\n"),
        ("a = 1\nb\n", Hunk(("-1→a = 1", "-2→b", "+1→a = 2", "+2→b")), "a = 2\nb\n"),
        ("#\n", Hunk((" #", "+if x:", "+    y")), "#\nif x:\n    y\n"),
        (
            "s(\n   a)\nf {\n    b\n    c\n}\n",
            Hunk((" b", "+if x {", "+    y", "+}", " c")),
            "s(\n   a)\nf {\n    b\n    if x {\n        y\n    }\n    c\n}\n",
        ),
    ],
)
def test_a_hunk(text: str, hunk: Hunk, after: str) -> None:
    done = apply_hunk(text, hunk)
    assert (done.text, apply_edits(text, done.edits)) == (after, after)


@pytest.mark.parametrize(
    ("text", "hunk", "reason"),
    [
        ("a\nb\n", Hunk((" a", " b")), "already so, at line 1"),
        ("a\n", Hunk(("+b",)), "their place is not clear"),
        ("a\nb\n", Hunk((" a", "-b", "+# ... rest of the code unchanged ...")), "has a line that"),
        (" a\n b\n\n a\n b\n", Hunk(("-a", "-b", "+c"), line=4), "2 times, at lines 1, 4"),
        ("    if a:\n        b = 1\n", Hunk((" if a:", "-    b = 1", "+        b = 2")), "depth"),
        (CLASS, AT_TWO_DEPTHS, "their depth is not clear"),
        ("a\n", Hunk(("+b",), line=1), "their place is not clear"),
        ("a\nb\n", Hunk(("-a", "+c"), old_unended=True), "not the file's last"),
        ("a\ncall()\n", Hunk(("-run()", "+call()")), "may have been made already"),
        ("a\na\n", Hunk(("-a", "+b")), "2 times, at lines 1, 2"),
        ("a\na\n", Hunk(("+b",), context=("a",)), "their place is not clear"),
        ("f(\n  a)\n", Hunk(("+b",), context=("f(",)), "their place is not clear"),
        ("x = [a,\n  b]\n", Hunk(("+c",), context=("x =",)), "their place is not clear"),
        ("a \\\n  b\n", Hunk(("+c",), context=("a \\",)), "their place is not clear"),
        ("a\n", Hunk(("+b",), context=("z",)), "the line `z` after `@@` is not in the file"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, hunk: Hunk, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        apply_hunk(text, hunk)


LINES = st.lists(st.text("ab \t", max_size=3), min_size=1, max_size=8)


@given(LINES, LINES, st.data())
def test_an_exact_hunk_replaces_its_lines(
    lines: list[str], new: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    assume(new != lines[start:end] and any(line.strip() for line in lines[start:end]))
    hunk = Hunk((*("-" + a for a in lines[start:end]), *("+" + a for a in new)), line=start + 1)
    done = apply_hunk("".join(f"{line}\n" for line in lines), hunk)
    assert done.text == "".join(f"{line}\n" for line in [*lines[:start], *new, *lines[end:]])
