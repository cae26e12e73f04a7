"""Homes as versions of MaxAgent wrote them, each by that version in an environment of its own.

    python evals/upgrade/make_homes.py            all of `VERSIONS`
    python evals/upgrade/make_homes.py 0.2.0      one of them

A home is packed to `tests/fixtures/homes/VERSION.tar.xz` and unpacked where it was made, `PLACE`:
folders are in the threads. `tests/e2e/test_upgrade.py` opens them with the present code.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOMES = ROOT / "tests" / "fixtures" / "homes"
PLACE = Path("/tmp/maxagent-homes")
# The commit of each version; those with a hyphen are steps of the database between two versions
VERSIONS = {
    "0.1.0-cd28baac": "cd28baac",
    "0.1.0": "657a2381^",
    "0.2.0": "657a2381",
}
_ENVIRON = {
    "PATH": os.environ["PATH"],
    "LANG": "C.UTF-8",
    "LLC_THREADS__TITLES": "false",
    "MAXAGENT_THREADS__TITLES": "false",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def run(command: str) -> dict[str, object]:
    """Return an answer that runs a command."""
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


_FIRST = [run("printf one > a.txt"), {"text": "One is written."}]
# What happens in each home: the arguments of `mcode`, and the model's answers in that thread
ACTS: list[tuple[list[str], list[dict[str, object]]]] = [
    (["chat", "Write one.", "-p", "--name", "kept", "--mode", "auto"], _FIRST),
    (
        ["chat", "Write two.", "-p", "--resume", "kept", "--mode", "auto"],
        [*_FIRST, run("printf two > a.txt"), {"text": "Two is written."}],
    ),
    (["chat", "Ask me.", "-p", "--name", "waiting", "--mode", "ask"], [run("touch asked")]),
]


def make_home(version: str, commit: str) -> Path:
    """Install the version, let it write a home, and pack that; return the archive."""
    made_in = PLACE / version
    shutil.rmtree(made_in, ignore_errors=True)
    project = made_in / "project"
    project.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        mcode = _install(commit, Path(folder))
        environ = {**_ENVIRON, "HOME": str(made_in), "MAXAGENT_HOME": str(made_in / "home")}
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=project, env=environ, check=True)
        for arguments, answers in ACTS:
            script = made_in / "script.json"
            script.write_text(json.dumps(answers))
            model = ["--model", f"scripted/{script}", "--trust"]
            ended = subprocess.run(
                [mcode, *arguments, *model],
                cwd=project,
                env=environ,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
            )
            print(version, ended.returncode, ended.stdout.strip() or ended.stderr.strip()[-200:])
    (made_in / "script.json").unlink()
    return _pack(version, made_in)


def _install(commit: str, folder: Path) -> Path:
    source = folder / "source"
    source.mkdir()
    archive = folder / "source.tar"
    with archive.open("wb") as file:
        subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=file, check=True)
    with tarfile.open(archive) as content:
        content.extractall(source, filter="data")
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "pip", "install", "--quiet"]
    subprocess.run([*pip, "--constraint", source / "constraints.txt", source], check=True)
    return environment / "bin" / "mcode"


def _pack(version: str, made_in: Path) -> Path:
    HOMES.mkdir(exist_ok=True)
    file = HOMES / f"{version}.tar.xz"
    with tarfile.open(file, "w:xz") as archive:
        archive.add(made_in, arcname=version)
    return file


if __name__ == "__main__":
    for name in sys.argv[1:] or VERSIONS:
        made = make_home(name, VERSIONS[name])
        print(made, made.stat().st_size)
