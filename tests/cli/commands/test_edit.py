"""The command's own words; description is in tests/e2e/test_edit_command.py."""

import os
import subprocess
from pathlib import Path

import pytest
from warm_start import LANG, run_mcode


def mcode(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_mcode(words, folder, {**os.environ, "LC_ALL": LANG})


def test_its_help_names_what_it_takes(tmp_path: Path) -> None:
    shown = mcode(tmp_path, "edit", "--help").stdout
    for words in (
        "FILE... INSTRUCTION",
        "--apply",
        "--no-backup",
        "--output",
        "without running tests",
    ):
        assert words in shown


@pytest.mark.parametrize("words", [(), ("a.py",)])
def test_edit_without_file_or_instruction_names_missing(tmp_path: Path, words) -> None:
    ended = mcode(tmp_path, "edit", *words)
    assert ended.returncode == 2 and "missing argument" in ended.stderr
