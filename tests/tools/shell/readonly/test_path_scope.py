import os
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.flags import NotReadOnlyError
from maxagent.tools.shell.readonly.classifier import explain_not_read_only
from maxagent.tools.shell.readonly.path_scope import PathScope, UnrestrictedScope
from maxagent.tools.shell.readonly.tree_access import TraversalOptions
from maxagent.tools.workspace import Workspace


@pytest.fixture
def place(tmp_path: Path) -> PathScope:
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
    return PathScope(root / "src", Workspace(root))


@pytest.mark.parametrize(
    "word", ["app.py", "../src/app.py", "../inner", "-", "/dev/null", "missing", ".", "..", ""]
)
def test_project_files_and_folders_may_be_named(word: str, place: PathScope) -> None:
    place.check_path(word)


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
        ("../.env", "tools may not read"),
        ("../.ENV", "tools may not read"),
        ("secrets/x", "tools may not read"),
        ("../copy", "another name"),
        ("../pipe", "pipe, device or socket"),
        ("/dev/zero", "outside"),
    ],
)
def test_everything_else_is_a_reason(word: str, why: str, place: PathScope) -> None:
    with pytest.raises(NotReadOnlyError, match=why):
        place.check_path(word)


def test_links_count_where_they_are_followed(place: PathScope) -> None:
    def reads_code(name: str) -> bool:
        return name.endswith(".py")

    place.check_tree("..", TraversalOptions(reads_code))
    with pytest.raises(NotReadOnlyError, match="outside"):
        place.check_tree("..", TraversalOptions(reads_code, follows_links=True))


def test_git_config_is_secret_only_with_password(place: PathScope) -> None:
    config = place.workspace.root / "src/.git/config"
    config.parent.mkdir()
    config.write_text('[remote "origin"]\n\turl = https://example.org/x.git\n')
    place.check_tree(".", TraversalOptions(lambda name: True))
    config.write_text('[remote "origin"]\n\turl = https://me:token@example.org/x.git\n')
    with pytest.raises(NotReadOnlyError, match="config"):
        place.check_tree(".", TraversalOptions(lambda name: True))


def test_program_is_classified_regardless_of_its_files(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    one, any_one = (
        PathScope(tmp_path, Workspace(tmp_path)),
        UnrestrictedScope(tmp_path, Workspace(tmp_path)),
    )
    for words in (["cat", ".env"], ["ls", "/etc"], ["grep", "-r", "x", "."], ["du", "~/x", ".."]):
        assert explain_not_read_only(words, one)
        assert explain_not_read_only(words, any_one) == ""
    for words in (["sort", "-o", "x", "y"], ["rm", "x"], ["find", "/", "-delete"]):
        assert explain_not_read_only(words, any_one)
