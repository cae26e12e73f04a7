from pathlib import Path

import pytest

from maxagent.tools.consent.differences import MAX_DIFFERENCE, render_differences
from maxagent.tools.consent.kept_texts import MAX_TEXTS, keep_texts, read_kept_text
from maxagent.tools.consent.origin import build_origin, read_file_origin
from maxagent.tools.textedits.unified_diff import is_shortened
from maxagent.tools.workspace import Workspace

KEY = "sk-proj-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1h"


def test_difference_shows_old_and_new_text(tmp_path: Path) -> None:
    old, new = (build_origin("script", "run.sh", text) for text in ("a\nb\n", "a\nc\n"))
    keep_texts(tmp_path, [old], Workspace(tmp_path))
    differences = render_differences(tmp_path, [old.provenance], [new])
    assert "-b\n" in differences and "+c\n" in differences and "run.sh" in differences
    assert render_differences(tmp_path, [old.provenance], [old]) == ""
    assert "+a\n+c\n" in render_differences(tmp_path, [], [new])
    assert "+a\n+c\n" in render_differences(None, [old.provenance], [new])


def test_long_difference_is_cut(tmp_path: Path) -> None:
    new = build_origin("script", "run.sh", "echo a long line\n" * 5_000)
    differences = render_differences(tmp_path, [], [new])
    assert is_shortened(differences) and len(differences) < MAX_DIFFERENCE + 200


def test_kept_text_and_difference_hold_no_secret(tmp_path: Path) -> None:
    old = build_origin("script", "run.sh", f"export OPENAI_API_KEY={KEY}\n")
    keep_texts(tmp_path, [old], Workspace(tmp_path))
    text = read_kept_text(tmp_path, old.provenance.digest)
    assert text is not None and KEY not in text
    new = build_origin("script", "run.sh", f"export OPENAI_API_KEY={KEY}\necho\n")
    assert KEY not in render_differences(tmp_path, [old.provenance], [new])


def test_only_digests_name_kept_texts(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("secret")
    assert read_kept_text(tmp_path, "../../config.yaml") is None
    assert read_kept_text(tmp_path, "0" * 64) is None


def test_oldest_texts_go_first(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("maxagent.tools.consent.kept_texts.MAX_TEXTS", 3)
    origins = [build_origin("script", "x", f"{number}\n") for number in range(5)]
    for origin in origins:
        keep_texts(tmp_path, [origin], Workspace(tmp_path))
    retained = [read_kept_text(tmp_path, origin.provenance.digest) for origin in origins]
    assert sum(text is not None for text in retained) == 3 < MAX_TEXTS
    assert retained[-1] == "4\n"


@pytest.mark.parametrize(
    ("name", "is_kept", "is_shown"),
    [
        ("project/run.sh", True, True),
        ("project/.env", False, True),
        ("project/id_rsa", False, True),
        ("project/link.sh", False, True),
        ("other/run.sh", False, True),
        (".aws/credentials", False, False),
        (".ssh/config", False, False),
        (".netrc", False, False),
        ("project/secret.sh", False, False),
    ],
)
def test_text_outside_project_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_kept: bool, is_shown: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "project"
    for path in ("project/run.sh", "project/.env", "project/id_rsa", "other/run.sh", ".netrc"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("some text\n")
    for path in (".aws/credentials", ".ssh/config"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text("some text\n")
    (root / "link.sh").symlink_to(tmp_path / "other/run.sh")
    (root / "secret.sh").symlink_to(tmp_path / ".aws/credentials")
    origin = read_file_origin("script", tmp_path / name, root)
    assert origin and origin.provenance.digest and bool(origin.text) is is_shown
    keep_texts(tmp_path / "home", [origin], Workspace(root))
    text = read_kept_text(tmp_path / "home", origin.provenance.digest)
    assert text == ("some text\n" if is_kept else None)
