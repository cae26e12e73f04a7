from pathlib import Path

import pytest

from maxagent.config.security.executables import (
    build_search_path,
    drop_project_entries,
    find_program,
    keep_absolute_entries,
)


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/a:/b", "/a:/b"), (".:/a::bin:../b", "/a"), ("", ""), (":", ""), ("./:/a", "/a")],
)
def test_only_absolute_entries_count(path: str, kept: str) -> None:
    assert keep_absolute_entries(path) == kept


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


def test_programs_inside_project_are_not_found(tmp_path: Path) -> None:
    project, system = tmp_path / "project", tmp_path / "bin"
    for folder in (project / ".venv/bin", system):
        folder.mkdir(parents=True)
        (folder / "git").write_text("")
        (folder / "git").chmod(0o755)
    (tmp_path / "active").symlink_to(project / ".venv")
    inside = [project / ".venv/bin", system / "../project/.venv/bin", tmp_path / "active/bin"]
    for first in inside:
        environ = {"PATH": f"{first}:{system}"}
        assert find_program("git", environ) == f"{first}/git"
        assert find_program("git", environ, outside=[project]) == f"{system}/git"
        assert build_search_path(project, environ=environ) == str(system)
        assert "/usr/bin" in build_search_path(project, environ={"PATH": str(first)})
        assert build_search_path(Path("/"), environ=environ) == environ["PATH"]
        assert (
            build_search_path(Path("/"), system, project, environ=environ)
            == "/usr/local/bin:/usr/bin:/bin"
        )


@pytest.mark.parametrize(
    ("entry", "is_kept"),
    [
        ("outside", True),
        ("outside/missing", True),
        ("project", False),
        ("project/missing", False),
        ("project-too", True),
        ("link", False),
        ("link/missing", False),
        ("away", False),
        ("outside/../project/bin", False),
        ("loop", True),
        ("file", True),
    ],
)
def test_entries_in_project_are_dropped(entry: str, is_kept: bool, tmp_path: Path) -> None:
    for name in ("project/bin", "outside", "project-too"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("project/bin")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "away").symlink_to("project/bin/../bin")
    (tmp_path / "project-link").symlink_to("project")
    path = f"{tmp_path}/{entry}"
    for project in (tmp_path / "project", tmp_path / "project-link"):
        assert drop_project_entries(path, project) == (path if is_kept else "")
