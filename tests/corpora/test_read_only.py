"""Every line of read_only.yaml is judged; those that run unasked are run, and must only read."""

import os
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from maxagent.tools.git.hardened_git import GUARD
from maxagent.tools.process.environment import build_child_environment
from maxagent.tools.process.launcher import SHELL
from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

SECRET = "c4nary"
CORPUS = YAML(typ="safe").load((Path(__file__).parent / "read_only.yaml").read_text())


def lines(verdict: str) -> list[str]:
    return [line for group in CORPUS[verdict].values() for line in group]


def git(folder: Path, *arguments: str) -> None:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *person, *arguments], cwd=folder, env=environment, check=True)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def commit(root: Path, message: str) -> None:
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", message)


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("only-read") / "project"
    ordinary = {
        name: "one\ntwo\nTODO\n" for name in ("README.md", "a.txt", "docs/x.md", "-dash.txt")
    }
    ordinary |= {
        "b.txt": "one\nthree\n",
        "data.csv": "a,1\nb,2\na,3\n",
        "list.txt": "/etc/passwd\0",
    }
    ordinary |= {"package.json": '{"name": "x", "scripts": {}, "env": "test"}\n'}
    ordinary |= {"src/app.py": "import os\ndef main():\n    return 1  # TODO\n"}
    ordinary |= {
        "src/util.py": "x = 1\n",
        "tests/test_app.py": "import app\n",
        "src/secrets.py": "",
    }
    ordinary |= {"steered/rust-toolchain.toml": "", "steered/go.mod": "", "steered/sub/x.go": ""}
    ordinary |= {".env.example": "KEY=\n", "whitelisted/.gitignore": "!.env\n"}
    ordinary |= {
        ".gitignore": ".env\ndeploy\nsecrets/\nleaky\nwhitelisted\n.idea\n*-link-env\npipe\n"
    }
    write(root, ordinary)
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "remote.origin.url", "https://example.org/x.git")
    commit(root, "First")
    git(root, "tag", "v1")
    git(root, "branch", "side")
    write(root, {"src/app.py": "import os\ndef main():\n    return 2  # TODO\n"})
    commit(root, "Second")
    write(root, {"src/util.py": "x = 2\n"})
    git(root, "stash")
    write(root, {"src/util.py": "x = 3\n"})
    add_secrets(root)
    return root


def add_secrets(root: Path) -> None:
    hidden = [".env", "deploy/server.pem", "secrets/token.txt", "whitelisted/.env"]
    write(root, {name: f"TODO {SECRET}\n" for name in hidden})
    write(root.parent / "outside", {"data.txt": f"{SECRET}\n", "data.json": f'"{SECRET}"\n'})
    (root / "link-in").symlink_to("a.txt")
    (root / "link-env").symlink_to(".env")
    (root / "link-out").symlink_to("../outside/data.txt")
    (root / "folder-out").symlink_to("../outside")
    (root / "hard-link-env").hardlink_to(root / ".env")
    os.mkfifo(root / "pipe")
    leaky = root / "leaky"
    write(leaky, {"src/x.py": "x = 1\n", ".env.production": f"{SECRET}\n"})
    git(leaky, "init", "-q")
    commit(leaky, "First")
    write(leaky, {"src/x.py": "x = 2\n", ".env.production": f"TODO {SECRET}\n"})
    commit(leaky, "Second")
    git(leaky, "branch", "src")


def state(root: Path) -> dict[str, tuple[int, int, int]]:
    """Everything in the project but how git has it cached."""
    statuses = {
        path: path.lstat() for path in root.rglob("*") if path.name not in ("index", "logs")
    }
    return {str(path): (at.st_mode, at.st_size, at.st_mtime_ns) for path, at in statuses.items()}


@pytest.mark.parametrize("line", lines("allow"))
def test_everyday_commands_run_unasked_and_only_read(line: str, root: Path) -> None:
    judgement = analyze_command(line, ".", Workspace(root))
    assert (judgement.verdict, judgement.rule) == ("allow", "read-only"), judgement.reason
    before = state(root)
    environment = dict(build_child_environment(os.environ, GUARD))
    if not os.access(Path.home(), os.W_OK):  # npm hangs without a home
        environment["HOME"] = str(root.parent)
    done = subprocess.run(
        [SHELL, "-c", line],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    text = done.stdout.decode(errors="replace")
    assert SECRET not in text
    assert "fatal:" not in text
    assert state(root) == before


@pytest.mark.parametrize("line", lines("ask"))
def test_what_may_do_more_does_not_run_unasked(line: str, root: Path) -> None:
    judgement = analyze_command(line, ".", Workspace(root))
    assert judgement.verdict != "allow"
    assert judgement.reason
