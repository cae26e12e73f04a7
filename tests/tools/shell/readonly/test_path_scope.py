import os
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.flags import NotReadOnly
from maxagent.tools.shell.readonly.path_scope import Place
from maxagent.tools.shell.readonly.tree_access import Manner
from maxagent.tools.workspace import Workspace


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/app.py").write_text("x")
    (root / ".env").write_text("secret")
    (root / "copy").hardlink_to(root / ".env")
    (root / "inner").symlink_to("src/app.py")
    (root / "outer").symlink_to("/etc/hostname")
    (root / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    return Place(root / "src", Workspace(root))


@pytest.mark.parametrize(
    "word", ["app.py", "../src/app.py", "../inner", "-", "/dev/null", "missing", ".", "..", ""]
)
def test_files_and_folders_of_the_project_may_be_named(word: str, place: Place) -> None:
    place.check(word)


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("../..", "outside"),
        ("/etc/hostname", "outside"),
        ("../outer", "outside"),
        ("../up/x", "outside"),
        ("../up/project/src/app.py/../../../..", "outside"),
        ("~/x", "outside"),
        ("~", "outside"),
        ("../.env", "kept from every tool"),
        ("../.ENV", "kept from every tool"),
        ("secrets/x", "kept from every tool"),
        ("../copy", "another name"),
        ("../pipe", "pipe, device or socket"),
        ("/dev/zero", "outside"),
    ],
)
def test_everything_else_is_a_reason(word: str, why: str, place: Place) -> None:
    with pytest.raises(NotReadOnly, match=why):
        place.check(word)


def test_links_count_where_they_are_followed(place: Place) -> None:
    def reads_code(name: str) -> bool:
        return name.endswith(".py")

    place.check_tree("..", Manner(reads_code))
    with pytest.raises(NotReadOnly, match="outside"):
        place.check_tree("..", Manner(reads_code, follows_links=True))


def test_git_s_own_configuration_is_no_secret_unless_it_holds_one(place: Place) -> None:
    config = place.workspace.root / "src/.git/config"
    config.parent.mkdir()
    config.write_text('[remote "origin"]\n\turl = https://example.org/x.git\n')
    place.check_tree(".", Manner(lambda name: True))
    config.write_text('[remote "origin"]\n\turl = https://me:token@example.org/x.git\n')
    with pytest.raises(NotReadOnly, match="config"):
        place.check_tree(".", Manner(lambda name: True))
