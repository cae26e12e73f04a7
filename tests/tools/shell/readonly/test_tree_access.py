import os
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.flags import NotReadOnlyError
from maxagent.tools.shell.readonly import tree_access
from maxagent.tools.shell.readonly.tree_access import RipgrepIgnore, TraversalOptions, walk_files


def anything(name: str) -> bool:
    return True


def nothing(name: str) -> bool:
    return False


def write(root: Path, *names: str, **texts: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(texts.get("text", ""))


def test_walk_finds_nested_files_without_following_links(tmp_path: Path) -> None:
    write(tmp_path, "a", "b/c", "b/d/e")
    (tmp_path / "up").symlink_to("..")
    result = walk_files(tmp_path, TraversalOptions(anything))
    assert sorted(os.path.relpath(entry, tmp_path) for entry in result) == ["a", "b/c", "b/d/e"]


def test_too_many_files_raise_with_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_access, "MAX_ENTRIES", 3)
    write(tmp_path, "a", "b/c", "b/d")
    with pytest.raises(NotReadOnlyError, match="too many"):
        list(walk_files(tmp_path, TraversalOptions(anything)))


@pytest.mark.parametrize(
    ("ignores", "name", "left_out"),
    [
        ({}, "a.pem", False),
        ({}, ".env", True),
        ({}, ".hidden/a.pem", True),
        ({".gitignore": "*.pem\n"}, "a.pem", True),
        ({".gitignore": "*.pem\n!a.pem\n"}, "a.pem", False),
        ({".gitignore": "!.env\n"}, ".env", False),
        ({".gitignore": "sub/\n"}, "sub/a.pem", True),
        ({"sub/.gitignore": "a.pem\n"}, "sub/a.pem", True),
        ({"sub/.gitignore": "a.pem\n"}, "a.pem", False),
        ({".gitignore": "*.pem\n", ".ignore": "!a.pem\n"}, "a.pem", False),
        ({".gitignore": "*.pem\n", ".rgignore": "!a.pem\n"}, "a.pem", False),
        ({".ignore": "*.pem\n"}, "a.pem", True),
    ],
)
def test_ripgrep_skips_hidden_names_and_ignored_files(
    ignores: dict[str, str], name: str, left_out: bool, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, name)
    for file, text in ignores.items():
        write(tmp_path, file, text=text)
    rule = RipgrepIgnore(tmp_path, nothing)
    path = tmp_path / name
    above = [at for at in path.parents if at != tmp_path and at.is_relative_to(tmp_path)]
    assert any(map(rule, [path, *above])) == left_out


def test_a_gitignore_counts_in_git_s_folders_only(tmp_path: Path) -> None:
    write(tmp_path, "a.pem")
    write(tmp_path, ".gitignore", text="*.pem\n")
    assert not RipgrepIgnore(tmp_path, nothing)(tmp_path / "a.pem")


def test_requested_name_is_not_skipped(tmp_path: Path) -> None:
    write(tmp_path, ".env")
    assert not RipgrepIgnore(tmp_path, anything)(tmp_path / ".env")


def test_unreadable_ignore_file_raises_with_reason(tmp_path: Path) -> None:
    write(tmp_path, "a.pem")
    write(tmp_path, ".ignore", text="[[:alpha:]]\n")
    with pytest.raises(NotReadOnlyError, match=r"`\.ignore`"):
        RipgrepIgnore(tmp_path, nothing)(tmp_path / "a.pem")
