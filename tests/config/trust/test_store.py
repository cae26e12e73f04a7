import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.config.trust.store import (
    Consent,
    CorruptTrustStoreError,
    locate_record,
    read_consents,
    update_consent,
)

YES = Consent("2026-01-02T03:04:05+00:00", {"AGENTS.md": "ab"})


def test_consent_is_read_back_until_revoked(tmp_path: Path) -> None:
    update_consent(tmp_path, "/a", lambda _: YES)
    update_consent(tmp_path, "/b \udcff\n", lambda _: YES)
    assert read_consents(tmp_path) == {"/a": YES, "/b \udcff\n": YES}
    update_consent(tmp_path, "/a", lambda _: None)
    assert list(read_consents(tmp_path)) == ["/b \udcff\n"]


def test_it_is_the_users_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        update_consent(tmp_path, "/a", lambda _: YES)
    finally:
        os.umask(old)
    data = locate_record(tmp_path).parent
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
def test_invalid_record_is_corrupt_and_left_unchanged(tmp_path: Path, text: str) -> None:
    file = locate_record(tmp_path)
    file.parent.mkdir()
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(CorruptTrustStoreError, match="no folder is trusted") as error_info:
        read_consents(tmp_path)
    assert f"mv {file}" in error_info.value.hint
    with pytest.raises(CorruptTrustStoreError):
        update_consent(tmp_path, "/b", lambda _: YES)
    assert file.read_text(errors="surrogateescape") == text


def test_no_yes_of_many_processes_is_lost(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from maxagent.config.trust.store import Consent, update_consent\n"
        "home, mine = Path(sys.argv[1]), sys.argv[2]\n"
        "for n in range(10):\n"
        "    update_consent(home, f'/{mine}/{n}', lambda _: Consent('', {}))\n"
        "    one = {f'{mine}{n}': ''}\n"
        "    merge = lambda yes: Consent('', {**yes.files, **one} if yes else one)\n"
        "    update_consent(home, '/all', merge)"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [subprocess.Popen([*command, str(number)]) for number in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    every = {(number, n) for number in range(4) for n in range(10)}
    record = read_consents(tmp_path)
    assert {*record} == {"/all", *(f"/{number}/{n}" for number, n in every)}
    assert {*record["/all"].files} == {f"{number}{n}" for number, n in every}
