import os
from pathlib import Path

import pytest

from maxagent.config.trust import referenced_instructions as module
from maxagent.config.trust.referenced_instructions import find_further_instructions


def write(file: Path, text: str = "x") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def found(folder: Path) -> list[str]:
    return list(find_further_instructions(folder, ("AGENTS.md",)))


def test_first_file_per_subfolder_is_found_with_imports(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md")
    write(tmp_path / "a/b/CLAUDE.md", "@more.md @../../top.md @.env")
    write(tmp_path / "a/b/AGENTS.md", "@../../top.md")
    write(tmp_path / "a/b/MAXAGENT.md", " \n")
    for name in ("a/b/more.md", "top.md", "a/b/.env", "c/GEMINI.md", "c/d/README.md"):
        write(tmp_path / name)
    assert found(tmp_path) == [
        "c/GEMINI.md",
        "a/b/AGENTS.md",
        "top.md",
    ]


def test_project_imports_are_found_except_inventory_files(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "@CLAUDE.md @.llc.yaml @a.md")
    write(tmp_path / "CLAUDE.md", "@b.md")
    write(tmp_path / "a.md", "@AGENTS.md @sub/c.md")
    for name in (".llc.yaml", "b.md", "sub/c.md"):
        write(tmp_path / name)
    names = ("AGENTS.md", "CLAUDE.md", ".llc.yaml")
    assert list(find_further_instructions(tmp_path, names)) == ["a.md", "b.md", "sub/c.md"]


@pytest.mark.parametrize("folder", [".hidden", "node_modules/p", "repository", "link", "x/vendor"])
def test_folders_of_others_hold_none(tmp_path: Path, folder: str) -> None:
    write(tmp_path.with_name("outside") / "AGENTS.md")
    if folder == "link":
        (tmp_path / "link").symlink_to(tmp_path.with_name("outside"))
    else:
        write(tmp_path / folder / "AGENTS.md")
    (tmp_path / "repository/.git").mkdir(parents=True)
    assert found(tmp_path) == []


def test_unreadable_or_excess_instructions_are_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a/AGENTS.md")
    write(tmp_path / "b/AGENTS.md")
    write(tmp_path / "c/AGENTS.md")
    (tmp_path / "c/AGENTS.md").write_bytes("x".encode("utf-16"))
    assert found(tmp_path) == ["b/AGENTS.md"]
    assert found(tmp_path / "nowhere") == []
    write(tmp_path / "a/CLAUDE.md")
    assert found(tmp_path) == ["a/CLAUDE.md", "b/AGENTS.md"]  # the first that can be read
    (tmp_path / "a/CLAUDE.md").unlink()
    write(tmp_path / "b/AGENTS.md", "@one.md @two.md @big.md")
    for name, size in {"one.md": 1, "two.md": 1, "big.md": module.MAX_IMPORT_BYTES + 1}.items():
        write(tmp_path / "b" / name, "x" * size)
    everything = ["b/AGENTS.md", "b/one.md", "b/two.md"]
    assert found(tmp_path) == everything
    monkeypatch.setattr(module, "MAX_FILES", 1)
    assert found(tmp_path) == everything[:1]
    monkeypatch.setattr(module, "MAX_ENTRIES_SEARCHED", 3)
    assert found(tmp_path) == []
