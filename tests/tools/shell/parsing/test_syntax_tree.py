import pytest

from maxagent.tools.shell.parsing.syntax_tree import ParseError, get_text, parse_tree

ASTRAL = "\U00031860"


@pytest.mark.parametrize(
    "line",
    [f"{{{ASTRAL}", f"echo {{1..{ASTRAL}}}", f"[[ -n{ASTRAL}", f"${{x?{ASTRAL}}}", f"{{é{ASTRAL}"],
)
def test_crashing_input_never_reaches_the_parser(line: str) -> None:
    with pytest.raises(ParseError, match=r"U\+31860"):
        parse_tree(line)


@pytest.mark.parametrize(
    "line", ["echo 中文{a,b}", f"git commit -m '{ASTRAL} {{}}'", "cat ../文档"]
)
def test_other_words_of_any_language_are_read(line: str) -> None:
    assert get_text(parse_tree(line)) == line
