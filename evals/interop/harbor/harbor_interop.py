"""Run trials of Harbor, the runner of Terminal-Bench, on this machine, and keep the report.

    python evals/interop/harbor/harbor_interop.py [--folder FOLDER]

Harbor is installed once, in FOLDER, with a Python of its own. Its containers are replaced by
`local_environment.py`; the model is scripted. Exit code 1 when a step failed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from program import Program
from programs import MissingProgramError, run_installer
from provider import Provider
from report_page import replace_part

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"
TITLE = "## Benchmarks\n"
HEAD = """\
Trials of Harbor with a scripted model, in an environment without a container; this part is of
{date}.
"""
HERE = Path(__file__).parent
BENCH = HERE.parents[1] / "bench"
MODEL = "openai/gpt-4o"
Steps = dict[str, str]
PLAN = {"text": "Write greeting.txt."}
WRITE = {
    "tool_calls": [{"name": "write_file", "args": {"path": "greeting.txt", "content": "hello"}}]
}
SEND = {
    "tool_calls": [
        {
            "name": "subagent",
            "args": {
                "tasks": [
                    {"agent_type": "explore", "task": "Look here."},
                    {"agent_type": "explore", "task": "Look there."},
                ]
            },
        }
    ]
}


def find_python() -> str:
    """Return a Python that Harbor runs on; raises MissingProgramError."""
    names = [f"python3.{minor}" for minor in (14, 13, 12)]
    pyenv = Path.home() / ".pyenv" / "versions"
    paths = [str(path) for path in sorted(pyenv.glob("3.1[2-9]*/bin/python"), reverse=True)]
    for python in [*filter(None, map(shutil.which, names)), *paths]:
        if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return python
    raise MissingProgramError("Harbor needs Python 3.12 or newer")


def install(folder: Path, name: str, package: str) -> Path:
    """Install a package in an environment of its own; return its folder of programs."""
    programs = folder / name / "bin"
    if not (programs / "python").exists():
        run_installer([find_python(), "-m", "venv", str(folder / name)])
        run_installer([str(programs / "python"), "-m", "pip", "install", "--quiet", package])
    return programs


def run_trial(programs: Path, client: Path, work: Path, agent: Mapping[str, Any]) -> Steps:
    """Run the trial with one way to reach MaxAgent; return what its steps ended with."""
    with Provider() as provider:
        plan = [PLAN] if "import_path" in agent else []
        provider.script([*plan, WRITE, {"text": "Written."}, {"text": "ACCEPTED\nIt is there."}])
        program = Program(work, f"{provider.url}/v1")
        env = {**program.environ, "OPENAI_BASE_URL": f"{provider.url}/v1"}
        env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
        config = {
            "task": {"path": str(HERE / "tasks" / "greeting")},
            "trial_name": "trial",
            "trials_dir": str(work),
            "agent": {"model_name": MODEL, **agent},
            "environment": {"import_path": "local_environment:LocalEnvironment"},
        }
        (work / "trial.json").write_text(json.dumps(config), "utf-8")
        ended = subprocess.run(
            [str(programs / "harbor"), "trial", "start", "-c", str(work / "trial.json")],
            env={
                **env,
                "PYTHONPATH": os.pathsep.join([str(HERE), str(BENCH)]),
                "ACP_CLIENT": str(client.parent),
            },
            capture_output=True,
            text=True,
            timeout=300,
        )
    return judge_trial(programs, work / "trial", ended.stdout + ended.stderr)


def judge_trial(programs: Path, trial: Path, output: str) -> Steps:
    """Return what the files of a trial say."""
    result = trial / "result.json"
    if not result.exists():
        return {"start": f"failed: {output[-500:]}"}
    fields: dict[str, Any] = json.loads(result.read_text("utf-8"))
    rewards = (fields.get("verifier_result") or {}).get("rewards")
    tokens = (fields.get("agent_result") or {}).get("n_input_tokens")
    failure = fields.get("exception_info")
    return {
        "run": f"failed: {str(failure)[:500]}" if failure else "done",
        "reward": "done" if rewards == {"reward": 1.0} else f"failed: {rewards}",
        "tokens": "done" if tokens else "failed: unknown",
        "trajectory": check_trajectory(programs, trial / "agent" / "trajectory.json"),
    }


def check_trajectory(programs: Path, file: Path) -> str:
    """Return whether Harbor's models accept a trajectory."""
    check = [str(programs / "python"), str(HERE / "atif_check.py"), str(file)]
    checked = subprocess.run(check, capture_output=True, text=True)
    return f"failed: {(checked.stdout + checked.stderr)[-300:]}" if checked.returncode else "done"


def try_export(programs: Path, work: Path) -> Steps:
    """Export a conversation with two sub-agents, and a task; check both."""
    steps = Steps()
    for name, command, answers in (
        ("sub-agents", "chat", [SEND, {"text": "Seen."}, {"text": "Seen."}, {"text": "Well."}]),
        ("task", "task", [PLAN, WRITE, {"text": "Written."}, {"text": "ACCEPTED\nIt is there."}]),
    ):
        with Provider() as provider:
            provider.script(answers)
            program = Program(work / name, f"{provider.url}/v1")
            environ = {"OPENAI_BASE_URL": f"{provider.url}/v1"}
            flags = ["--model", MODEL, "--mode", "auto", *(["--apply"] * (command == "task"))]
            program.run(command, "Look around.", *flags, **environ)
        [row] = json.loads(program.run("threads", "list", "--json").stdout)
        file = work / f"{name}.json"
        program.run("threads", "export", row["thread_id"], str(file), "--format", "atif")
        trajectory = json.loads(file.read_text("utf-8"))
        children = trajectory.get("subagent_trajectories", ())
        is_whole = len(children) == (2 if name == "sub-agents" else 0)
        steps[name] = check_trajectory(programs, file) if is_whole else "failed: no children"
    return steps


def main() -> int:
    """Try all ways; return 1 when a step failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "acp-interop")
    folder: Path = parser.parse_args().folder
    rows, missing = dict[str, Steps](), ""
    entry = {"id": "maxagent", "name": "MaxAgent", "version": "0.0.0", "description": "MaxAgent"}
    entry["distribution"] = {"local": {"cmd": "mcode", "args": ["acp"]}}  # pyright: ignore
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        try:
            programs = install(folder, "harbor", "harbor")
            client = install(folder, "harbor-acp", "agent-client-protocol")
            rows["`MaxAgent` of `harbor_agent.py`"] = run_trial(
                *(programs, client, work / "adapter"),
                {"import_path": "harbor_agent:MaxAgent", "kwargs": {"skip_install": True}},
            )
            rows["`acp`"] = run_trial(
                *(programs, client, work / "acp"),
                {"name": "acp", "kwargs": {"registry_entry": entry, "skip_install": True}},
            )
            rows["`threads export --format atif`"] = try_export(programs, work / "export")
            version = subprocess.run(
                [str(programs / "harbor"), "--version"], capture_output=True, text=True
            ).stdout.strip()
        except MissingProgramError as error:
            missing, version = str(error), ""
    part = render(rows, missing, version)
    replace_part(PAGE, TITLE, part)
    print(part)
    return 1 if any(end != "done" for steps in rows.values() for end in steps.values()) else 0


def render(rows: Mapping[str, Steps], missing: str, version: str) -> str:
    """Return the part of the page."""
    lines = [TITLE, HEAD.format(date=f"{datetime.now(UTC):%Y-%m-%d}"), f"`harbor` {version}\n"]
    lines += ["| way | steps | failed |", "|---|---|---|"]
    for name, steps in rows.items():
        failed = [f"{step}: {end}" for step, end in steps.items() if end != "done"]
        lines.append(f"| {name} | {', '.join(steps)} | {'; '.join(failed) or 'none'} |")
    lines += [f"\n**Harbor could not be had on this machine: {missing}.**"] if missing else []
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
