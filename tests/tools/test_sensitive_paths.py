from pathlib import Path

import pytest

from maxagent.tools.sensitive_paths import find_homes, find_secrets


def test_what_exists_is_found_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "dotfiles" / "ssh").mkdir(parents=True)
    (tmp_path / ".ssh").symlink_to("dotfiles/ssh")
    (tmp_path / ".config" / "gh").mkdir(parents=True)
    for name in (".npmrc", ".modal.toml", ".condarc", ".Xauthority", ".gitconfig", ".bashrc"):
        (tmp_path / name).write_text("")
    (tmp_path / ".netrc").symlink_to("gone")
    root = tmp_path.resolve()
    assert find_secrets([tmp_path]) == [
        root / ".Xauthority", root / ".condarc", root / ".config" / "gh", root / ".modal.toml",
        root / ".npmrc", root / "dotfiles" / "ssh",
    ]  # fmt: skip


def test_home_from_environment_is_added_to_system_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = find_homes() - {Path.home()}
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_homes() >= {tmp_path} | system
