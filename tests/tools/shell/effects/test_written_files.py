from pathlib import Path

import pytest

from maxagent.tools.shell.effects.written_files import find_written_files
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c").write_text("x\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "l").mkdir()
    (tmp_path / "l/link").symlink_to("../a")
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("ls > x", "x"),
        ("mkdir -p x/y && touch z", "x/y z"),
        ("rm -r a", "a a/b/c"),
        ("cp -r a x", "x x/b/c"),
        ("cp -r a d", "d/a d/a/b/c"),
        ("cp -r a/. d", "d d/b/c"),
        ("mv a d", "a a/b/c d/a d/a/b/c"),
        ("cd a && sed -i s/x/y/ b/c", "a/b/c"),
        ("ls a", ""),
    ],
)
def test_every_written_file_is_named(line: str, names: str, workspace: Workspace) -> None:
    written_files = find_written_files(line, ".", workspace)
    assert {str(path.relative_to(workspace.root)) for path in written_files.paths} == set(
        names.split()
    )
    assert not written_files.doubt


def test_links_that_are_carried_are_doubtful(workspace: Workspace) -> None:
    assert find_written_files("cp -r l x", ".", workspace).doubt
    assert find_written_files("mv l/link x", ".", workspace).doubt
