"""Every exit code is documented, and no other module writes one as a number."""

import re
from pathlib import Path

import maxagent
from maxagent.config import errors, exit_codes

ROOT = Path(maxagent.__file__).parent
CODES = {name: code for name, code in vars(exit_codes).items() if isinstance(code, int)}


def test_exit_codes_are_documented() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \|", (ROOT / "docs/headless.md").read_text("utf-8"), re.M)
    documented = {int(code) for row in rows for code in row.split(",")}
    assert documented == {*CODES.values()} - {exit_codes.SIGNAL_BASE} | {128 + 1, 128 + 15}


def test_errors_use_known_exit_codes() -> None:
    classes = [var for var in vars(errors).values() if isinstance(var, type)]
    assert {each.exit_code for each in classes} <= {*CODES.values()}


def test_exit_codes_are_written_once() -> None:
    written = re.compile(r"Exit\([1-9]\d*\)|exit_code\s*[!=]?=\s*[1-9]|= 130\b|return 130\b")
    files = [file for floor in ("cli", "sdk", "config") for file in (ROOT / floor).rglob("*.py")]
    own = ROOT / "config/exit_codes.py"
    assert [file for file in files if file != own and written.search(file.read_text("utf-8"))] == []
