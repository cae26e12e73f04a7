"""Cards that may be out of date."""

import subprocess
from pathlib import Path

from maxagent.memory.cards.card import Card, Source
from maxagent.memory.cards.staleness import (
    FAR_BEHIND,
    Staleness,
    StalenessCheck,
)


def test_card_about_missing_file_is_stale(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    check = StalenessCheck(tmp_path)
    assert not check.check_card(Card("1", "x", paths=("a.py",)))
    assert check.check_card(Card("1", "x", paths=("a.py", "b.py"))) == Staleness(("b.py",))
    assert not check.check_card(Card("1", "x", paths=("b.py",), scope="user"))


def test_card_many_commits_behind_is_stale(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    log = tmp_path / ".git" / "logs" / "HEAD"
    log.parent.mkdir(exist_ok=True)
    names = [f"{number:040x}" for number in range(FAR_BEHIND + 2)]
    log.write_text(
        "".join(f"{names[n - 1]} {names[n]} n <e> 1 +0000\tcommit: x\n" for n in range(len(names)))
    )
    check = StalenessCheck(tmp_path)
    stale = [check.check_card(Card("1", "x", source=Source(commit=name))) for name in names]
    assert [each.commits_behind for each in stale[:3]] == [FAR_BEHIND + 1, FAR_BEHIND, 0]
    assert not check.check_card(Card("1", "x", source=Source(commit="unknown")))


def test_folder_without_repository_has_no_commit(tmp_path: Path) -> None:
    assert not StalenessCheck(tmp_path).check_card(Card("1", "x", source=Source(commit="a")))
