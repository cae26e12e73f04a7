"""The files that a command names, and those that it only writes."""

from pathlib import Path

import pytest

from maxagent.config.trust.command_files import find_command_files

FILES = ("run.sh", "log", "tools/fmt.py", "Makefile")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    (tmp_path / "package.json").write_text('{"scripts": {"build": "sh run.sh"}}')
    return tmp_path


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sh run.sh", ["run.sh"]),
        ("./run.sh --fix", ["run.sh"]),
        ("sh -c 'python3 tools/fmt.py; true'", ["tools/fmt.py"]),
        ("python -m tools.fmt", ["tools/fmt.py"]),
        ("cd tools && python fmt.py", ["tools/fmt.py"]),
        ("bash < run.sh", ["run.sh"]),
        ("make all", ["Makefile"]),
        ("npm run build", ["run.sh"]),
        ("echo shown >> log", []),
        ("python tools/fmt.py > log 2>&1", ["tools/fmt.py"]),
        ("true &>> log", []),
        ("true >| log", []),
        ("echo x > log; sh log", ["log"]),
        ("sh -c 'true > log'", []),
        ("tee >(sh run.sh)", ["run.sh"]),
    ],
)
def test_command_names_what_it_runs(folder: Path, command: str, files: list[str]) -> None:
    assert find_command_files([command], str(folder))[0] == files
