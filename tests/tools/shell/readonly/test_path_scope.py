import os
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.flags import NotReadOnlyError
from maxagent.tools.shell.readonly.classifier import explain_not_read_only
from maxagent.tools.shell.readonly.path_scope import PathScope, UnrestrictedScope
from maxagent.tools.shell.readonly.tree_access import TraversalOptions
from maxagent.tools.workspace import Workspace


@pytest.fixture
def scope(tmp_path: Path) -> PathScope:
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
def test_project_files_and_folders_may_be_named(word: str, scope: PathScope) -> None:
    scope.check_path(word)


@pytest.mark.parametrize(
    ("word", "reason"),
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
def test_everything_else_is_a_reason(word: str, reason: str, scope: PathScope) -> None:
    with pytest.raises(NotReadOnlyError, match=reason):
        scope.check_path(word)


def test_links_count_where_they_are_followed(scope: PathScope) -> None:
    def reads_code(name: str) -> bool:
        return name.endswith(".py")

    scope.check_tree("..", TraversalOptions(reads_code))
    with pytest.raises(NotReadOnlyError, match="outside"):
        scope.check_tree("..", TraversalOptions(reads_code, follows_links=True))


def test_git_config_is_secret_only_with_password(scope: PathScope) -> None:
    config = scope.workspace.root / "src/.git/config"
    config.parent.mkdir()
    config.write_text('[remote "origin"]\n\turl = https://example.org/x.git\n')
    scope.check_tree(".", TraversalOptions(lambda name: True))
    config.write_text('[remote "origin"]\n\turl = https://me:token@example.org/x.git\n')
    with pytest.raises(NotReadOnlyError, match="config"):
        scope.check_tree(".", TraversalOptions(lambda name: True))


def test_program_is_classified_regardless_of_its_files(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    path_scope, any_one = (
        PathScope(tmp_path, Workspace(tmp_path)),
        UnrestrictedScope(tmp_path, Workspace(tmp_path)),
    )
    for text in (["cat", ".env"], ["ls", "/etc"], ["grep", "-r", "x", "."], ["du", "~/x", ".."]):
        assert explain_not_read_only(text, path_scope)
        assert explain_not_read_only(text, any_one) == ""
    for text in (["sort", "-o", "x", "y"], ["rm", "x"], ["find", "/", "-delete"]):
        assert explain_not_read_only(text, any_one)
