"""A folder that names a known project: nothing is shared before the user has agreed."""

from pathlib import Path

import pytest
from git_remotes import HTTPS, create_repository

from maxagent.config.errors import UsageError
from maxagent.memory.cards.folder_record import is_same_file
from maxagent.memory.cards.library import CardDraft, CardLibrary
from maxagent.memory.cards.listing import read_cards
from maxagent.memory.cards.namespaces import identify_project, identify_remote
from maxagent.memory.cards.project_claim import (
    describe_claim,
    find_claim,
    identify_place,
    settle_claim,
)
from maxagent.memory.cards.store import open_library


async def keep(home: Path, folder: Path, *contents: str) -> None:
    async with open_library(home, folder) as library:
        assert isinstance(library, CardLibrary)
        for content in contents:
            await library.add(CardDraft(content))


def read(home: Path, folder: Path) -> set[str]:
    return {card.content for card in read_cards(home, identify_project(folder))}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def real(tmp_path: Path, home: Path) -> Path:
    folder = create_repository(tmp_path / "real", HTTPS)
    await keep(home, folder, "The build takes four minutes")
    return folder


async def test_clone_with_same_remote_is_asked_once(real: Path, home: Path, tmp_path: Path) -> None:
    clone = create_repository(tmp_path / "clone", f"{HTTPS}.git")
    assert read(home, clone) == set()
    claim = find_claim(home, clone)
    assert claim and (claim.place, claim.count) == (str(real), 1)
    assert f"mcode memory link {real}" in describe_claim(claim)
    settle_claim(home, clone, claim.project)
    assert find_claim(home, clone) is None
    await keep(home, clone, "Releases are tagged on Fridays")
    assert read(home, real) == read(home, clone) != set()


async def test_clone_that_is_declined_keeps_apart(real: Path, home: Path, tmp_path: Path) -> None:
    clone = create_repository(tmp_path / "clone", HTTPS)
    settle_claim(home, clone)
    await keep(home, clone, "Releases are tagged on Fridays")
    assert (find_claim(home, clone), find_claim(home, real)) == (None, None)
    assert read(home, real) == {"The build takes four minutes"}
    assert read(home, clone) == {"Releases are tagged on Fridays"}


async def test_folder_that_was_first_is_never_given_away(home: Path, tmp_path: Path) -> None:
    impostor = create_repository(tmp_path / "impostor", HTTPS)
    await keep(home, impostor, "Planted by the first clone")
    real = create_repository(tmp_path / "real", HTTPS)
    assert read(home, real) == set()
    claim = find_claim(home, real)
    assert claim and claim.place == str(impostor)


async def test_own_remote_may_change_without_question(real: Path, home: Path) -> None:
    config = real / ".git" / "config"
    config.write_text(config.read_text().replace("owner/name", "owner/renamed"))
    assert find_claim(home, real) is None
    assert read(home, real) == {"The build takes four minutes"}


async def test_renamed_folder_is_reported_with_command(home: Path, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    await keep(home, tmp_path / "old", "The build takes four minutes")
    folder = (tmp_path / "old").rename(tmp_path / "new")
    claim = find_claim(home, folder)
    assert claim and claim.is_moved and str(tmp_path / "old") in describe_claim(claim)
    async with open_library(home, folder) as library:
        await library.link(identify_place(home, str(tmp_path / "old")))
    assert read(home, folder) == {"The build takes four minutes"}
    assert find_claim(home, folder) is None


async def test_local_clone_names_the_folder_itself(home: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    await keep(home, tmp_path / "real", "The build takes four minutes")
    clone = create_repository(tmp_path / "clone", str(tmp_path / "real"))
    claim = find_claim(home, clone)
    assert claim and claim.place == str(tmp_path / "real") and read(home, clone) == set()


REMOTES = [
    HTTPS,
    f"{HTTPS}.git",
    HTTPS.removeprefix("https://"),
    f"{HTTPS.removeprefix('https://')}/",
    f"{HTTPS.removeprefix('https://')}.git",
    HTTPS.replace("https://", "https://user:token@"),
]


@pytest.mark.parametrize("remote", REMOTES)
async def test_place_of_a_notice_is_understood(remote: str, home: Path, tmp_path: Path) -> None:
    folder = create_repository(tmp_path / "clone", HTTPS)
    async with open_library(home, folder) as library:
        await library.link(identify_remote(folder))  # cards of a remote, of no known folder
    await keep(home, folder, "The build takes four minutes")
    other = create_repository(tmp_path / "other", HTTPS)
    claim = find_claim(home, other)
    assert claim and identify_place(home, remote) == identify_remote(folder)


FILES = {
    "renamed": ("1:2:30", "", "1:2:30", "", True),
    "its number is used again": ("1:2:30", "", "1:2:31", "", False),
    "used again with its remote": ("1:2:30", "r", "1:2:31", "r", False),
    "another file": ("1:2:30", "r", "1:3:30", "r", False),
    "another disk": ("1:2:30", "r", "2:2:30", "r", False),
    "an old record": ("1:2", "", "1:2:30", "", False),
    "an old record with its remote": ("1:2", "r", "1:2:30", "r", True),
    "an old record with another remote": ("1:2", "r", "1:2:30", "s", False),
    "no birth is known": ("1:2:", "r", "1:2:", "r", True),
    "nothing is known": ("", "r", "", "r", False),
}


@pytest.mark.parametrize("case", FILES)
def test_a_number_alone_is_no_folder(case: str) -> None:
    old, old_remote, new, remote, expected = FILES[case]
    recorded = {"file": old, "remote": old_remote}
    assert is_same_file(recorded, {"file": new, "remote": remote}) == expected


def test_unknown_place_is_not_linked(home: Path) -> None:
    with pytest.raises(UsageError):
        identify_place(home, "https://github.com/owner/unknown")
