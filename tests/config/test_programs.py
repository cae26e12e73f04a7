from pathlib import Path

import pytest

from maxagent.config.programs import absolute_entries, find_program


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/a:/b", "/a:/b"), (".:/a::bin:../b", "/a"), ("", ""), (":", ""), ("./:/a", "/a")],
)
def test_only_absolute_entries_count(path: str, kept: str) -> None:
    assert absolute_entries(path) == kept


def test_a_program_of_the_current_folder_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.chdir(program.parent)
    for path in ("", ".", ":", "../bin"):
        assert find_program("git", {"PATH": path}) is None
    assert find_program("git", {"PATH": f".:{program.parent}"}) == str(program)
