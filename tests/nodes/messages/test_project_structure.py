"""The listing of the project: bounded, without what is ignored or secret."""

from pathlib import Path

from maxagent.nodes.messages.project_structure import CUT, describe_structure
from maxagent.tools.workspace import Workspace


def write(root: Path, *names: str) -> Workspace:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return Workspace(root)


def test_folders_come_first_and_deeper_ones_later(tmp_path: Path) -> None:
    project = write(tmp_path, "zoo/deep/a.py", "b.py", ".env", "out/x.o", "a\nb.txt")
    (tmp_path / ".gitignore").write_text("out/\n")
    assert describe_structure(project, 6_000).splitlines() == [
        "./: zoo/, .gitignore, a\\nb.txt, b.py",
        "zoo/: deep/",
        "zoo/deep/: a.py",
    ]


def test_a_large_project_is_cut_by_whole_folders(tmp_path: Path) -> None:
    project = write(tmp_path, *(f"m{number:02}/a.py" for number in range(60)))
    whole = describe_structure(project, 6_000).splitlines()
    assert len(whole) == 61 and "20 more" in whole[0]
    told = describe_structure(project, 700)
    assert told.endswith(CUT) and len(told) <= 700
    assert describe_structure(project, 50) == ""


def test_a_folder_of_data_is_only_counted(tmp_path: Path) -> None:
    project = write(tmp_path, "a.py", *(f"data/{number}" for number in range(2_001)))
    assert describe_structure(project, 6_000).splitlines() == [
        "./: data/, a.py",
        "data/: more than 2000 files",
    ]


def test_an_empty_project_has_no_structure(tmp_path: Path) -> None:
    assert describe_structure(Workspace(tmp_path), 6_000) == ""
