from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.shell_state import Word
from maxagent.tools.shell.parsing.simple_command import SimpleCommand
from maxagent.tools.shell.risks.copy_targets import find_copy_targets, parse_copy

CASES = [
    ("cp a b", ["b"]),
    ("cp a folder", ["folder", "folder/a"]),
    ("cp -T a folder", ["folder"]),
    ("cp x/a y/b new", ["new", "new/a", "new/b"]),
    ("cp a new/", ["new/", "new//a"]),
    ("cp -t folder x/a", ["folder", "folder/a"]),
    ("cp -rtfolder x/a", ["folder", "folder/a"]),
    ("cp --target-directory=folder a", ["folder", "folder/a"]),
    ("cp --targ folder a", ["folder", "folder/a"]),
    ("cp -S .old a b", ["b"]),
    ("install -m 755 -o root a b", ["b"]),
    ("install -groot a b", ["b"]),
    ("install -d new", ["new"]),
    ("cp folder new", ["new"]),
    ("cp -r folder new", ["new", "new/.hidden", "new/.hidden/inner"]),
    ("cp -r folder/. .", [".", ".", "./.hidden", "./.hidden/inner"]),
    ("rsync -at folder/ .", [".", ".", "./.hidden", "./.hidden/inner"]),
    ("ln -s ../x/a", ["./a"]),
]


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_copy_targets_follow_words_and_folders(
    line: str, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "folder" / ".hidden" / "inner").mkdir(parents=True)
    assert list(find_copy_targets(_step(line, tmp_path))) == expected


def test_unknown_copy_target_is_no_folder(tmp_path: Path) -> None:
    text = (Word("cp"), Word("a"), Word("$X/", known=False))
    assert list(find_copy_targets(SimpleCommand(text, tmp_path))) == ["$X/"]


def test_large_folder_is_listed_up_to_limit(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    for number in range(1_100):
        (tmp_path / "large" / str(number)).touch()
    assert len(list(find_copy_targets(_step("cp -r large new", tmp_path)))) == 1_001


def test_sources_and_target_are_distinguished(tmp_path: Path) -> None:
    copied = parse_copy(_step("mv -t new a -- -b", tmp_path))
    assert (copied.sources, copied.target) == (["a", "-b"], "new")


def _step(line: str, folder: Path) -> SimpleCommand:
    return SimpleCommand(tuple(Word(text) for text in line.split()), folder)
