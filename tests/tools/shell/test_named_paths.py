from pathlib import Path

import pytest

from maxagent.tools.shell.named_paths import find_named_paths


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("src/a.py", "tests/test_a.py", "docs/x.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("touch new.txt", "new.txt"),
        ("python gen.py > out/report.json", "out/report.json"),
        ("python gen.py --out=report.json", "report.json"),
        ("cd src && touch b.py", "src/b.py"),
        ("cp src/a.py docs/", "docs/a.py"),
        ("mkdir -p pkg/deep && cp src/a.py pkg/deep", "pkg/deep/a.py"),
        ("git clone ../other copied", "copied/anything/below.txt"),
        ("mkdir build", "build/"),
        ("python -c \"open('made.txt', 'w')\"", "made.txt"),
        ("python - <<'E'\nopen('src/made.py', 'w')\nE", "src/made.py"),
        ("for f in a b; do touch $f.txt; done; : ./c.txt", "c.txt"),
    ],
)
def test_a_path_that_the_line_names(command: str, path: str, project: Path) -> None:
    assert find_named_paths(command, ".", project).has_path(path)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("pytest -q", "notes.txt"),
        ("pytest tests/", "tests/test_new.py"),
        ("python src/a.py", "src/b.py"),
        ("ls src/a.py.bak", "src/a.py"),
        ("cat other/notes.txt", "notes.txt"),
        ("cat my-notes.txt", "notes.txt"),
        ("echo 'unclosed", "notes.txt"),
        ("touch ../outside", "outside"),
    ],
)
def test_a_path_that_the_line_does_not_name(command: str, path: str, project: Path) -> None:
    assert not find_named_paths(command, ".", project).has_path(path)


def test_paths_are_relative_to_call_folder(project: Path) -> None:
    assert find_named_paths("python -c 'make(\"b.py\")'", "src", project).has_path("src/b.py")
    assert not find_named_paths("touch b.py", "src", project).has_path("b.py")
