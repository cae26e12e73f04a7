"""The commands of an ordinary day, and how many of them are asked in the mode `edits`.

`python tests/corpora/ordinary_day.py` prints the figures, with a sandbox and without.
"""

import asyncio
import os
import subprocess
import tempfile
from pathlib import Path

from maxagent.memory.snapshots.store import Snapshots
from maxagent.tools.permissions.decision import Decision
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy, Safeguards
from maxagent.tools.workspace import Workspace

TABLE = Path(__file__).with_name("ordinary_day.txt")
FILES = {
    "src/app.py": "retries = 3\n\n\ndef main():\n    return 1  # TODO\n",
    "src/util.py": "old_name = 1\n",
    "src/__init__.py": "",
    "tests/test_app.py": "def test_one():\n    assert True\n",
    "docs/old.md": "# Old\n",
    "README.md": "# Read me\n",
    "VERSION": "1.1.0\n",
    "data.csv": "a,1\nb,2\n",
    "package.json": '{"name": "x", "scripts": {"build": "true", "lint": "true"}}\n',
    "requirements.txt": "pytest\n",
    "Makefile": "all:\n\ttrue\nbuild:\n\ttrue\ntest:\n\ttrue\n",
    "scripts/run.sh": "#!/bin/sh\ntrue\n",
    ".gitignore": "dist/\nnode_modules/\n.venv/\n",
}
IGNORED = {"dist/app.js": "1;\n", "node_modules/left-pad/index.js": "1;\n"}


def commands() -> list[str]:
    """Every command of the day."""
    rows = TABLE.read_text(encoding="utf-8").splitlines()
    return [row.replace("␤", "\n") for row in rows if row and not row.startswith(("#", "=="))]


def project(folder: Path) -> Workspace:
    """The small project that they speak of."""
    root = folder / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "scripts/run.sh").chmod(0o755)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for sentence in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "First"]):
        subprocess.run(["git", *person, *sentence], cwd=root, env=environment, check=True)
    for name, text in IGNORED.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Workspace(root, own=folder / "home")


def decision(command: str, workspace: Workspace, policy: Policy) -> Decision:
    """What becomes of one command."""
    return evaluate_call("run_command", "execute", {"command": command}, (), workspace, policy)


def asked(workspace: Workspace, policy: Policy) -> list[str]:
    """The commands that do not run unasked."""
    every = commands()
    return [item for item in every if decision(item, workspace, policy).verdict != "allow"]


def policy(workspace: Workspace, folder: Path, *, sandboxed: bool) -> Policy:
    """The mode `edits` after a first snapshot, with a sandbox or without."""
    snapshots = Snapshots(workspace.root, folder / "home/data/snapshots", workspace.ignore)
    asyncio.run(snapshots.take())
    return Policy("edits", safeguards=Safeguards(snapshots.can_restore, sandboxed))


def main() -> None:
    """Print how many are asked."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = project(Path(folder))
        for sandboxed in (True, False):
            rules = policy(workspace, Path(folder), sandboxed=sandboxed)
            result = asked(workspace, rules)
            state = "with" if sandboxed else "without"
            print(f"{len(result)} of {len(commands())} are asked in `edits` {state} a sandbox:")
            for item in result:
                print(f"  {item!r}: {decision(item, workspace, rules).reason}")


if __name__ == "__main__":
    main()
