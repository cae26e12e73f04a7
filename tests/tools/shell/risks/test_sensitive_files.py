"""Secret files that a command names, under any name that leads to one."""

from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    root, home = tmp_path / "project", tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    files = [home / ".aws/credentials", home / ".aws/sso/cache.json"]
    files += [root / name for name in (".env", "密钥.pem", "说明.txt", "n", "src/a.txt", "src/x/b")]
    files += [root / "secrets/prod.txt", root / "secrets/deep/x", root / "src/.env"]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for name, target in {
        "k": ".env",
        "键": "密钥.pem",
        "d": "secrets/deep",
        "s": "src/x",
        "h": f"{home}/.aws/sso",
        "src/note": ".env",
    }.items():
        (root / name).symlink_to(target)
    return Workspace(root, ("*.env", "secrets/", "*.pem"), tmp_path / "own")


NAMES = [
    *(
        ".env",
        "k",
        "键",
        "d/../prod.txt",
        "d/../../k",
        "s/../note",
        "s/../.env",
        "h/../credentials",
    ),
    *("./" * 600 + ".env", "src/../" * 200 + ".env", "src/../" * 200 + "k", "密钥.pem", "src/note"),
]


@pytest.mark.parametrize("command", ["cat {}", "grep x {}", "cat < {}", "head -n1 -- {}"])
@pytest.mark.parametrize("name", NAMES)
def test_each_name_of_a_secret_is_denied(name: str, command: str, workspace: Workspace) -> None:
    analysis = analyze_command(command.format(name), ".", workspace)
    assert (analysis.verdict, analysis.rule) == ("deny", "sensitive")


@pytest.mark.parametrize(
    "name",
    ["密钥.pem", ".env", "d/../prod.txt", "src/note", "./k", "./键", "src/../" * 200 + ".env"],
)
def test_each_name_in_code_is_denied(name: str, workspace: Workspace) -> None:
    analysis = analyze_command(f"python3 -c 'print(open(\"{name}\").read())'", ".", workspace)
    assert (analysis.verdict, analysis.rule) == ("deny", "sensitive")


@pytest.mark.parametrize(
    "name",
    [
        *("n", "说明.txt", "src/a.txt", "s/../a.txt", "s/../../n", "src/../n", ".", "/", "s", "7"),
        *("x" * 5_000, "\ud800/../n", "src/" * 2_000),
    ],
)
def test_other_names_are_no_secrets(name: str, workspace: Workspace) -> None:
    assert analyze_command(f"cat {name}", ".", workspace).rule != "sensitive"
