"""Which names of modules break the rules."""

from pathlib import Path

import pytest
from module_names import find_misnamed


@pytest.mark.parametrize(
    "name", ["told", "message_told", "taken_over", "waited_for", "kept", "shielded", "utils", "odd"]
)
def test_participles_banned_words_and_catch_alls_break_them(name: str) -> None:
    path = Path(f"tools/{name}.py")
    assert find_misnamed([path]) == {str(path)}


@pytest.mark.parametrize(
    "name", ["message_history", "shown_files", "typeahead", "speed", "thread", "safe_open"]
)
def test_nouns_do_not(name: str) -> None:
    assert find_misnamed([Path(f"tools/{name}.py")]) == set()


def test_a_folder_is_named_by_the_same_rules() -> None:
    assert find_misnamed([Path("tools/heard/parser.py")]) == {"tools/heard"}
