import os
from pathlib import Path

from maxagent.tools.sandbox.protected_links import find_links, restore_links


def test_only_links_at_protected_names_are_found(tmp_path: Path) -> None:
    for name in ("CLAUDE.md", ".github", "latest", ".ENVRC"):
        (tmp_path / name).symlink_to("there")
    (tmp_path / "AGENTS.md").write_text("be good")
    assert {path.name for path in find_links(tmp_path)} == {"CLAUDE.md", ".github", ".ENVRC"}


def test_replaced_link_is_restored(tmp_path: Path) -> None:
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    with restore_links([link, tmp_path / "missing"]):
        link.unlink()
        link.write_text("evil")
    assert os.readlink(link) == "AGENTS.md"
    assert (tmp_path / "CLAUDE.md.replaced-1").read_text() == "evil"


def test_removed_or_redirected_link_is_restored(tmp_path: Path) -> None:
    below, other = tmp_path / "a" / "link", tmp_path / "other"
    below.parent.mkdir()
    for link in (below, other):
        link.symlink_to("there")
    with restore_links([below, other]):
        below.unlink()
        below.parent.rmdir()
        other.unlink()
        other.symlink_to("elsewhere")
    assert (os.readlink(below), os.readlink(other)) == ("there", "there")


def test_one_that_was_left_alone_is_left_alone(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to("there")
    file.write_text("1")
    before = link.lstat().st_ino
    with restore_links([link, file]):
        file.write_text("2")
    assert link.lstat().st_ino == before
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]
