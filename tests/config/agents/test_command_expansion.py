import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.config.agents.command_expansion import PromptSegment, expand_prompt


def text(words: str) -> PromptSegment:
    return PromptSegment("text", words)


@pytest.mark.parametrize(
    ("prompt", "arguments", "output"),
    [
        ("Fix $ARGUMENTS.", " the bug ", "Fix the bug."),
        ("$1-$2-$3", "'a b' c", "a b-c-"),
        ("$2 $1 $ARGUMENTS", 'x "y  z"', 'y  z x x "y  z"'),
        ("$1", "don't stop", "don't\n\nstop"),
        ("$1 and $2", "a b c 'd e'", "a and b\n\nc d e"),
        ("only $2", "a b", "only b\n\na"),
        ("$1 of $ARGUMENTS", "a b", "a of a b"),
        ("$10 $0 $ARGUMENTS_ $a", "x", "$10 $0 $ARGUMENTS_ $a\n\nx"),
        (r"\$1 \$ARGUMENTS \@a.py \!`ls`", "", "$1 $ARGUMENTS @a.py !`ls`"),
        (r"\$1", "x", "$1\n\nx"),
        ("Review it.", "a b", "Review it.\n\na b"),
        ("Review it.", "", "Review it."),
        ("a@b.c `@x` `ls` ! `ls` @", "", "a@b.c `@x` `ls` ! `ls` @"),
    ],
)
def test_text_with_its_values(prompt: str, arguments: str, output: str) -> None:
    assert expand_prompt(prompt, arguments) == [text(output)]


@pytest.mark.parametrize(
    ("prompt", "arguments", "prompt_segments"),
    [
        ("See @a/b.py.", "", [text("See "), PromptSegment("file", "a/b.py"), text(".")]),
        ("看@说明.md，再说", "", [text("看"), PromptSegment("file", "说明.md"), text("，再说")]),
        ("@src/$1", "'x y'.py", [PromptSegment("file", "src/x y.py")]),
        ("@$1 @$2", "a", [PromptSegment("file", "a"), text(" ")]),
        ("@a @b", "", [PromptSegment("file", "a"), text(" "), PromptSegment("file", "b")]),
        ("!`git status`", "", [PromptSegment("shell", "git status")]),
        ("!`awk '{print $1}' x`", "", [PromptSegment("shell", "set -- ; awk '{print $1}' x")]),
        ('!`f "$2"`', "a 'b c'", [PromptSegment("shell", "set -- a 'b c'; f \"$2\"")]),
        ("!`f $ARGUMENTS`", "-a b", [PromptSegment("shell", "ARGUMENTS='-a b'; f $ARGUMENTS")]),
    ],
)
def test_files_and_lines_for_the_shell_are_pieces(
    prompt: str, arguments: str, prompt_segments: list[PromptSegment]
) -> None:
    assert expand_prompt(prompt, arguments) == prompt_segments


SPECIAL = st.text(alphabet="!`@$1A.\\'\" \nx;|&(){}<>#", max_size=40) | st.sampled_from(
    ["!`rm -rf ~`", "@/etc/passwd", "$ARGUMENTS", "$1", "`", "\\", "'; rm x; '", "$(rm x)"]
)


@given(SPECIAL)
def test_no_argument_value_creates_mentions_or_shell_lines(value: str) -> None:
    prompt = expand_prompt("Fix $ARGUMENTS, then $1", value)
    assert {piece.kind for piece in prompt} == {"text"}
    assert prompt[0].text.startswith(f"Fix {value.strip()}, then ")


@settings(max_examples=60, deadline=None)
@given(SPECIAL)
def test_argument_value_reaches_shell_unchanged_under_any_quoting(value: str) -> None:
    (line,) = expand_prompt('!`printf %s "$ARGUMENTS" | cat; : "$(echo $1)" \'$2\' # $3`', value)
    ended = subprocess.run(["bash", "-c", line.text], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr, ended.returncode) == (value.strip(), "", 0)


@given(st.text(alphabet="!`@$1ARGUMENTS \\/.~a"), st.text())
def test_whatever_the_prompt_every_word_of_it_stays(prompt: str, arguments: str) -> None:
    parts = expand_prompt(prompt, arguments)
    assert all(piece.text for piece in parts)
    plain = expand_prompt("".join(char for char in prompt if char not in "!@$\\"), "")
    assert len(plain) <= 1
