import pytest

from maxagent.tools.shell.parsing.syntax_tree import Unparsed, text, tree

ASTRAL = "\U00031860"


@pytest.mark.parametrize(
    "line",
    [f"{{{ASTRAL}", f"echo {{1..{ASTRAL}}}", f"[[ -n{ASTRAL}", f"${{x?{ASTRAL}}}", f"{{é{ASTRAL}"],
)
def test_what_can_kill_the_parser_is_never_given_to_it(line: str) -> None:
    with pytest.raises(Unparsed, match=r"U\+31860"):
        tree(line)


@pytest.mark.parametrize(
    "line", ["echo 中文{a,b}", f"git commit -m '{ASTRAL} {{}}'", "cat ../文档"]
)
def test_other_words_of_any_language_are_read(line: str) -> None:
    assert text(tree(line)) == line
