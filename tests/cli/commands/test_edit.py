"""The command's own words; description is in tests/e2e/test_edit_command.py."""

import os
import subprocess
from pathlib import Path

import pytest
from warm_start import LANG, run_mcode


def mcode(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_mcode(arguments, folder, {**os.environ, "LC_ALL": LANG})


def test_its_help_names_what_it_takes(tmp_path: Path) -> None:
    stdout = mcode(tmp_path, "edit", "--help").stdout
    for text in (
        "FILE... INSTRUCTION",
        "--apply",
        "--no-backup",
        "--output",
        "without running tests",
    ):
        assert text in stdout


@pytest.mark.parametrize("text", [(), ("a.py",)])
def test_edit_without_file_or_instruction_names_missing(tmp_path: Path, text) -> None:
    ended = mcode(tmp_path, "edit", *text)
    assert ended.returncode == 2 and "missing argument" in ended.stderr
