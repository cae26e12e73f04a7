from pathlib import Path

from maxagent.tools.shell.readonly.classifier import why_not_read_only
from maxagent.tools.shell.readonly.path_scope import Place
from maxagent.tools.shell.readonly.unrestricted_scope import AnyPlace
from maxagent.tools.workspace import Workspace


def test_what_a_program_does_is_told_whatever_its_files(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    one, any_one = Place(tmp_path, Workspace(tmp_path)), AnyPlace(tmp_path, Workspace(tmp_path))
    for words in (["cat", ".env"], ["ls", "/etc"], ["grep", "-r", "x", "."], ["du", "~/x", ".."]):
        assert why_not_read_only(words, one)
        assert why_not_read_only(words, any_one) == ""
    for words in (["sort", "-o", "x", "y"], ["rm", "x"], ["find", "/", "-delete"]):
        assert why_not_read_only(words, any_one)
