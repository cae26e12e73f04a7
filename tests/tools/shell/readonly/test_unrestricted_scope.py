from pathlib import Path

from maxagent.tools.shell.readonly.classifier import explain_not_read_only
from maxagent.tools.shell.readonly.path_scope import PathScope
from maxagent.tools.shell.readonly.unrestricted_scope import UnrestrictedScope
from maxagent.tools.workspace import Workspace


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
