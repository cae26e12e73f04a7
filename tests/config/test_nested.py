import os
from pathlib import Path

import pytest

from maxagent.config import nested as module
from maxagent.config.nested import nested_instructions


def write(file: Path, text: str = "x") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_of_each_folder_below_the_first_is_found_with_what_it_brings_in(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md")
    write(tmp_path / "a/b/CLAUDE.md", "@more.md @../../top.md @.env")
    write(tmp_path / "a/b/AGENTS.md", "@../../top.md")
    for name in ("a/b/more.md", "top.md", "a/b/.env", "c/GEMINI.md", "c/d/README.md"):
        write(tmp_path / name)
    assert list(nested_instructions(tmp_path)) == ["c/GEMINI.md", "a/b/AGENTS.md", "top.md"]


@pytest.mark.parametrize("folder", [".hidden", "node_modules/p", "repository", "link", "x/vendor"])
def test_folders_of_others_hold_none(tmp_path: Path, folder: str) -> None:
    write(tmp_path.with_name("outside") / "AGENTS.md")
    if folder == "link":
        (tmp_path / "link").symlink_to(tmp_path.with_name("outside"))
    else:
        write(tmp_path / folder / "AGENTS.md")
    (tmp_path / "repository/.git").mkdir(parents=True)
    assert nested_instructions(tmp_path) == {}


def test_what_is_odd_or_too_much_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a/AGENTS.md")
    write(tmp_path / "b/AGENTS.md")
    assert list(nested_instructions(tmp_path)) == ["b/AGENTS.md"]
    assert nested_instructions(tmp_path / "nowhere") == {}
    monkeypatch.setattr(module, "MOST_LOOKED_AT", 3)
    assert nested_instructions(tmp_path) == {}
