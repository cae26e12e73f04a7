from pathlib import Path

import pytest

from maxagent.tools.sensitive_paths import homes, secrets_in


def test_what_exists_is_found_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "dotfiles" / "ssh").mkdir(parents=True)
    (tmp_path / ".ssh").symlink_to("dotfiles/ssh")
    (tmp_path / ".config" / "gh").mkdir(parents=True)
    for name in (".npmrc", ".modal.toml", ".condarc", ".Xauthority", ".gitconfig", ".bashrc"):
        (tmp_path / name).write_text("")
    (tmp_path / ".netrc").symlink_to("gone")
    root = tmp_path.resolve()
    assert secrets_in([tmp_path]) == [
        root / ".Xauthority", root / ".condarc", root / ".config" / "gh", root / ".modal.toml",
        root / ".npmrc", root / "dotfiles" / "ssh",
    ]  # fmt: skip


def test_a_home_named_by_the_environment_is_one_besides_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = homes() - {Path.home()}
    monkeypatch.setenv("HOME", str(tmp_path))
    assert homes() >= {tmp_path} | system
