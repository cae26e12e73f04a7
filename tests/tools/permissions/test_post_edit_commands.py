import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.permissions.post_edit_commands import find_all_checks, find_checks

CHECKS = {
    "*.py": ["ruff format {file}", "ruff check {file}"],
    "web/**/*.{ts,tsx}": ["npx prettier --write {file}"],
    "src/*.py": ["make lint", "ruff check {file}"],
}


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("a.py", ["ruff format a.py", "ruff check a.py"]),
        ("deep/er/a.py", ["ruff format deep/er/a.py", "ruff check deep/er/a.py"]),
        ("src/a.py", ["ruff format src/a.py", "ruff check src/a.py", "make lint"]),
        ("web/x/a.tsx", ["npx prettier --write web/x/a.tsx"]),
        ("a.tsx", []),
        ("a.pyc", []),
        ("-rf.py", ["ruff format ./-rf.py", "ruff check ./-rf.py"]),
        ("a b.py", ["ruff format 'a b.py'", "ruff check 'a b.py'"]),
        ("a'; rm x.py", ["ruff format 'a'\"'\"'; rm x.py'", "ruff check 'a'\"'\"'; rm x.py'"]),
    ],
)
def test_every_matching_pattern_gives_commands_in_order(name: str, commands: list[str]) -> None:
    assert find_checks(CHECKS, name) == commands


def test_command_without_file_runs_once_for_all() -> None:
    all_checks = find_all_checks({"*": ["make lint", "wc {file}"]}, ["a", "b"])
    assert all_checks == ["make lint", "wc a", "wc b"]


@given(st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1))
def test_a_name_is_one_word_for_the_shell(name: str) -> None:
    (command,) = find_checks({"**": ["wc {file}"]}, name)
    _, word = shlex.split(command)
    assert word.removeprefix("./") == name.removeprefix("./") and not word.startswith("-")
