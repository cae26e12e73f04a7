import os
import socket
from pathlib import Path

import pytest

from maxagent.config.trust import inventory as module
from maxagent.config.trust.inventory import PLACES, take_inventory

EVERY_PLACE = [
    (kind, location if "." in Path(location).name[1:] else f"{location}/one/file.md")
    for kind, places in PLACES.items()
    for location in places
]


def put(folder: Path, name: str, text: str = "x") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def listed(folder: Path) -> list[tuple[str, str]]:
    return [(item.kind, item.path) for item in take_inventory(folder)]


def odd(folder: Path) -> dict[str, str]:
    return {item.path: item.problem for item in take_inventory(folder) if item.problem}


def test_a_folder_without_any_of_it_brings_nothing(tmp_path: Path) -> None:
    for name in ("main.py", "conftest.py", ".env", ".envrc", ".llc/plans/a.md", "sub/AGENTS.md"):
        put(tmp_path, name)
    assert listed(tmp_path) == [] and listed(tmp_path / "nowhere") == []


@pytest.mark.parametrize(("kind", "name"), EVERY_PLACE)
def test_every_known_place_is_listed_with_its_files(tmp_path: Path, kind: str, name: str) -> None:
    put(tmp_path, name)
    assert listed(tmp_path) == [(kind, name)]


def test_what_reaches_furthest_comes_first(tmp_path: Path) -> None:
    for _, name in reversed(EVERY_PLACE):
        put(tmp_path, name)
    assert listed(tmp_path) == EVERY_PLACE


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: put(folder, "AGENTS.md", "y"),
        lambda folder: put(folder, ".claude/skills/b/SKILL.md"),
        lambda folder: (folder / ".claude/skills/a").rename(folder / ".claude/skills/c"),
        lambda folder: (folder / "AGENTS.md").unlink(),
        lambda folder: (folder / ".claude/skills").rename(folder / ".claude/agents"),
    ],
    ids=["other bytes", "one more", "another name", "one less", "another kind"],
)
def test_any_change_is_seen(tmp_path: Path, change) -> None:
    put(tmp_path, "AGENTS.md")
    put(tmp_path, ".claude/skills/a/SKILL.md")
    before = take_inventory(tmp_path)
    assert take_inventory(tmp_path) == before
    change(tmp_path)
    assert take_inventory(tmp_path) != before


def test_empty_folders_bring_nothing(tmp_path: Path) -> None:
    for name in (".llc.yaml", "AGENTS.md", ".llc/skills/a", ".mcp.json"):
        (tmp_path / name).mkdir(parents=True)
    assert listed(tmp_path) == []


def test_link_inside_folder_is_known_by_its_target(tmp_path: Path) -> None:
    put(tmp_path, "AGENTS.md")
    put(tmp_path, "docs/rules.md")
    put(tmp_path, ".agents/skills/a/SKILL.md")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / ".claude").symlink_to(".agents")
    names = ".agents/skills/a/SKILL.md", ".claude/skills/a/SKILL.md", "AGENTS.md", "CLAUDE.md"
    before = take_inventory(tmp_path)
    assert tuple(item.path for item in before) == names and not odd(tmp_path)
    (tmp_path / "CLAUDE.md").unlink()
    (tmp_path / "CLAUDE.md").symlink_to("docs/rules.md")  # of the same content
    assert [a.path for a, b in zip(before, take_inventory(tmp_path), strict=True) if a != b] == [
        "CLAUDE.md"
    ]


def links(folder: Path, outside: Path) -> None:
    (folder / "AGENTS.md").symlink_to(outside / "secret")
    (folder / "CLAUDE.md").symlink_to("nowhere")
    (folder / "GEMINI.md").symlink_to("GEMINI.md")
    (folder / "MAXAGENT.md").symlink_to("/proc/self/environ")
    (folder / ".mcp.json").symlink_to("../project-beside/file")
    (folder / ".llc").symlink_to(outside)
    (folder / ".claude").mkdir()
    (folder / ".claude/skills").symlink_to(outside)


def test_link_outside_or_broken_is_never_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside"
    put(outside, "secret")
    put(outside, "skills/a/SKILL.md")
    put(tmp_path, "project-beside/file")
    folder.mkdir()
    links(folder, outside)
    message = odd(folder)
    names = {"AGENTS.md", "CLAUDE.md", "GEMINI.md", "MAXAGENT.md", ".mcp.json", ".claude/skills"}
    assert set(message) == {*names, ".llc/skills"}
    assert all("link" in reason for reason in message.values())
    assert not any(item.digest for item in take_inventory(folder))


def test_non_regular_file_is_unreadable_without_hanging(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".llc.yaml")
    (tmp_path / ".llc").mkdir()
    os.mkfifo(tmp_path / ".llc/skills")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "AGENTS.md"))
        assert set(odd(tmp_path)) == {".llc.yaml", ".llc/skills", "AGENTS.md"}


def test_what_is_too_much_is_odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "AGENTS.md", "x" * 11)
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 10)
    assert odd(tmp_path) == {"AGENTS.md": "too large"}
    put(tmp_path, "AGENTS.md", "x" * 10)
    put(tmp_path, "CLAUDE.md", "x" * 10)
    monkeypatch.setattr(module, "MAX_TOTAL_BYTES", 19)
    assert odd(tmp_path) == {"CLAUDE.md": "too large"}


def test_too_many_files_and_endless_folders_are_odd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, ".llc/skills/a/SKILL.md")
    (tmp_path / ".llc/skills/a/again").symlink_to("..")
    assert "not a readable file or folder" in next(iter(odd(tmp_path).values()))
    monkeypatch.setattr(module, "MAX_ITEMS", 5)
    assert list(odd(tmp_path).values()) == ["more than 5 files and folders"]


def test_names_of_any_bytes_are_known(tmp_path: Path) -> None:
    put(tmp_path, os.fsdecode(b".llc/skills/\xff\n/SKILL.md"))
    assert [item.problem for item in take_inventory(tmp_path)] == [""]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_odd(tmp_path: Path) -> None:
    put(tmp_path, "AGENTS.md").chmod(0)
    assert odd(tmp_path) == {"AGENTS.md": "cannot be read: Permission denied"}
