import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.config.trust.store import Damaged, Yes, note, read, record_file

YES = Yes("2026-01-02T03:04:05+00:00", {"AGENTS.md": "ab"})


def test_what_was_noted_is_read_back_until_it_is_taken_away(tmp_path: Path) -> None:
    note(tmp_path, "/a", lambda _: YES)
    note(tmp_path, "/b \udcff\n", lambda _: YES)
    assert read(tmp_path) == {"/a": YES, "/b \udcff\n": YES}
    note(tmp_path, "/a", lambda _: None)
    assert list(read(tmp_path)) == ["/b \udcff\n"]


def test_it_is_the_users_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        note(tmp_path, "/a", lambda _: YES)
    finally:
        os.umask(old)
    data = record_file(tmp_path).parent
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in data.iterdir()} == {0o600}
    assert {file.name for file in data.iterdir()} == {"trust.json", "trust.lock"}


GOOD = {"since": "x", "files": {"a": "b"}}
BROKEN = {
    "nothing": "",
    "half": '{"/a": {"since"',
    "not a mapping": "[]",
    "no yes": json.dumps({"/a": True}),
    "no files": json.dumps({"/a": {"since": "x"}}),
    "no digest": json.dumps({"/a": {**GOOD, "files": {"a": None}}}),
    "a list of files": json.dumps({"/a": {**GOOD, "files": ["a"]}}),
    "no time": json.dumps({"/a": {**GOOD, "since": 1}}),
    "more": json.dumps({"/a": {**GOOD, "all": True}}),
    "twice": f'{{"/a": {json.dumps(GOOD)}, "/a": {json.dumps(GOOD)}}}',
    "deep": "[" * 100_000,
    "no text": "\udcff",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_whatever_is_not_exactly_a_record_is_damaged_and_left_alone(
    tmp_path: Path, text: str
) -> None:
    file = record_file(tmp_path)
    file.parent.mkdir()
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(Damaged, match="no folder is trusted") as told:
        read(tmp_path)
    assert f"mv {file}" in told.value.hint
    with pytest.raises(Damaged):
        note(tmp_path, "/b", lambda _: YES)
    assert file.read_text(errors="surrogateescape") == text


def test_no_yes_of_many_processes_is_lost(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from maxagent.config.trust.store import Yes, note\n"
        "home, mine = Path(sys.argv[1]), sys.argv[2]\n"
        "for n in range(10):\n"
        "    note(home, f'/{mine}/{n}', lambda _: Yes('', {}))\n"
        "    one = {f'{mine}{n}': ''}\n"
        "    note(home, '/all', lambda yes: Yes('', {**yes.files, **one} if yes else one))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [subprocess.Popen([*command, str(number)]) for number in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    every = {(number, n) for number in range(4) for n in range(10)}
    record = read(tmp_path)
    assert {*record} == {"/all", *(f"/{number}/{n}" for number, n in every)}
    assert {*record["/all"].files} == {f"{number}{n}" for number, n in every}
