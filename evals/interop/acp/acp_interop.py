"""Try `mcode acp` with clients that others wrote, and keep the report.

    python evals/interop/acp/acp_interop.py [--folder FOLDER] [--registry CHECKOUT]

The TypeScript SDK and its schemas, the Python SDK and acpx are installed once, in FOLDER; CHECKOUT
is one of the registry of agents. What cannot be had on this machine is said in the report. Exit
code 1 when a step failed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acp_client import AcpClient
from jsonschema import Draft202012Validator
from kills import try_kills
from program import Program
from programs import MissingProgramError, run_installer
from provider import Provider
from report_page import replace_part

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"
TITLE = "## Editors\n"
HEAD = """\
Clients of the Agent Client Protocol, installed apart, each with a conversation that asks before a
command; the first two are cancelled at a question and opened again in a new process. Kills: the
client kills the agent, or itself, at each phase, and a new client has the thread go on to its end;
no command runs twice, and none is forgotten. This part is of {date}.
"""
SDK, ACPX, NODE = "@agentclientprotocol/sdk", "acpx", "node@24"
PYTHON_SDK = "agent-client-protocol"
HERE = Path(__file__).parent
GOOD = ("done", "end_turn", "cancelled")
Steps = Mapping[str, str]


def runs(command: str) -> dict[str, Any]:
    """Return an answer that calls a command."""
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


ANSWERS = [runs("touch made"), {"text": "Made."}, runs("touch another"), {"text": "Again."}]


def install_npm(folder: Path, *packages: str) -> Path:
    """Install packages with npm; return the folder that they are in."""
    modules = folder / "node_modules"
    if not modules.exists():
        flags = ["--no-audit", "--no-fund", "--loglevel=error"]
        run_installer(["npm", "install", "--prefix", str(folder), *flags, *packages])
    return modules


def run_client(
    command: Sequence[str], folder: Path, path: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run a client against a scripted model; it starts `mcode acp` itself."""
    with Provider() as provider:
        provider.script(list(ANSWERS))
        program = Program(folder, provider.url)
        environ = {**program.environ, "OPENAI_BASE_URL": f"{provider.url}/v1"}
        environ["PATH"] = os.pathsep.join(filter(None, [path, environ["PATH"]]))
        filled = [str(program.project) if word == "FOLDER" else word for word in command]
        return subprocess.run(
            filled, cwd=program.project, env=environ, capture_output=True, text=True, timeout=120
        )


def try_typescript(modules: Path, version: int, folder: Path) -> Steps:
    """Hold the conversation with the TypeScript SDK."""
    script = str(HERE / "sdk_client.mjs")
    agent = [sys.executable, "-m", "maxagent", "acp"]
    ended = run_client(["node", script, str(version), "FOLDER", str(modules / SDK), *agent], folder)
    steps: Steps = json.loads(ended.stdout)["steps"] if not ended.returncode else {}
    return steps or {"start": f"failed: {ended.stderr[-200:]}"}


def try_python(folder: Path, work: Path) -> Steps:
    """Hold the conversation with the Python SDK, in its own environment."""
    python = folder / "python" / "bin" / "python"
    if not python.exists():
        run_installer([sys.executable, "-m", "venv", str(folder / "python")])
        run_installer([str(python), "-m", "pip", "install", "--quiet", PYTHON_SDK])
    agent = [sys.executable, "-m", "maxagent", "acp"]
    ended = run_client([str(python), str(HERE / "python_client.py"), "FOLDER", *agent], work)
    return (
        json.loads(ended.stdout)
        if not ended.returncode
        else {"start": f"failed: {ended.stderr[-200:]}"}
    )


def try_acpx(modules: Path, folder: Path) -> Steps:
    """Run one prompt with acpx, which says yes to all."""
    agent = f"{sys.executable} -m maxagent acp"
    command = ["node", str(modules / ".bin" / ACPX), "--agent", agent, "--approve-all", "exec"]
    ended = run_client([*command, "Make it."], folder, str(modules / ".bin"))
    is_done = not ended.returncode and (folder / "project" / "made").exists()
    return {"exec": "done" if is_done else f"failed: {ended.stdout[-200:]}{ended.stderr[-200:]}"}


def try_schema(modules: Path, version: int, folder: Path) -> Steps:
    """Check every message of a conversation by the protocol's own schema."""
    schema = json.loads(
        (modules / SDK / "schema" / f"v{version}" / "schema.json").read_text("utf-8")
    )
    with Provider() as provider:
        provider.script(list(ANSWERS))
        client = AcpClient(Program(folder, provider.url), f"{provider.url}/v1", version)
        work = {"cwd": str(folder / "project"), "mcpServers": []}
        opened = client.call("session/new", **work)
        session = opened["sessionId"]
        client.wait(client.prompt(session, "Make it."))
        client.wait_for_update("Made.")
        listed = client.call("session/list")
        client.end()
    messages = [("InitializeResponse", client.greeting), ("NewSessionResponse", opened)]
    messages += [("ListSessionsResponse", listed)]
    messages += [("SessionUpdate", update) for update in client.updates]
    messages += [("RequestPermissionRequest", asked["params"]) for asked in client.asked]
    faults = [
        f"{name}: {fault}" for name, value in messages for fault in find_faults(schema, name, value)
    ]
    return {"messages": "; ".join(["failed", *faults[:3]]) if faults else "done"}


UVX = """\
#!/bin/sh
while [ "${1#maxagent==}" = "$1" ]; do shift; done
shift
exec "PYTHON" -m maxagent "$@"
"""


def try_registry(checkout: Path, work: Path) -> Steps:
    """Have the registry's own programs judge our entry; `uvx` is one that starts this checkout."""
    if not (checkout / ".github").exists():
        raise MissingProgramError("name a checkout with `--registry`")
    for name in (".github", "agent.schema.json", "registry.schema.json"):
        copy = shutil.copytree if (checkout / name).is_dir() else shutil.copy
        work.mkdir(parents=True, exist_ok=True)
        copy(checkout / name, work / name)
    shutil.copytree(PAGE.parent / "acp-registry" / "maxagent", work / "maxagent")
    programs = work / "programs"
    programs.mkdir()
    for name, content in {
        "uvx": UVX.replace("PYTHON", sys.executable),
        "uv": "#!/bin/sh\n",
    }.items():
        (programs / name).write_text(content, "utf-8")
        (programs / name).chmod(0o755)
    environ = {**os.environ, "SKIP_URL_VALIDATION": "1"}
    environ["PATH"] = os.pathsep.join([str(programs), environ["PATH"]])
    steps = dict[str, str]()
    for step, command in {
        "schema": ["build_registry.py"],
        "start": ["verify_agents.py", "--agent", "maxagent"],
        "log in": ["verify_agents.py", "--auth-check", "--agent", "maxagent"],
    }.items():
        program = str(work / ".github" / "workflows" / command[0])
        ended = subprocess.run(
            [sys.executable, program, *command[1:]], env=environ, capture_output=True, text=True
        )
        steps[step] = f"failed: {ended.stdout[-300:]}" if ended.returncode else "done"
    return steps


def find_faults(schema: Mapping[str, Any], name: str, value: object) -> list[str]:
    """Return what a message violates."""
    part = {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
    return [error.message[:200] for error in Draft202012Validator(part).iter_errors(value)]


def render(date: str, rows: Mapping[str, Steps], missing: Mapping[str, str], versions: str) -> str:
    """Return the part of the page."""
    lines = [
        TITLE,
        HEAD.format(date=date),
        versions,
        "| client | steps | failed |",
        "|---|---|---|",
    ]
    for name, steps in rows.items():
        failed = [f"{step}: {end}" for step, end in steps.items() if end not in GOOD]
        lines.append(f"| {name} | {', '.join(steps)} | {'; '.join(failed) or 'none'} |")
    lines += [
        f"\n**{name} could not be had on this machine: {error}.**"
        for name, error in missing.items()
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Try all clients; return 1 when a step failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "acp-interop")
    parser.add_argument("--registry", type=Path, default=Path("/none"))
    options = parser.parse_args()
    folder: Path = options.folder
    rows, missing = dict[str, Steps](), dict[str, str]()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        try:
            modules = install_npm(folder / "sdk", SDK, "zod")
            for version in (1, 2):
                rows[f"TypeScript SDK, version {version}"] = try_typescript(
                    modules, version, work / f"ts{version}"
                )
                kills = ["node", str(HERE / "sdk_kills.mjs"), str(version), "FOLDER"]
                rows[f"TypeScript SDK, version {version}, kills"] = try_kills(
                    [*kills, str(modules / SDK)], work / f"kills{version}"
                )
                rows[f"schema, version {version}"] = try_schema(
                    modules, version, work / f"schema{version}"
                )
        except MissingProgramError as error:
            missing["the TypeScript SDK"] = str(error)
        try:
            rows["Python SDK, version 1"] = try_python(folder, work / "python")
            python = str(folder / "python" / "bin" / "python")
            kills = [python, str(HERE / "python_kills.py"), "FOLDER"]
            rows["Python SDK, version 1, kills"] = try_kills(kills, work / "kills")
        except MissingProgramError as error:
            missing["the Python SDK"] = str(error)
        try:
            rows["acpx"] = try_acpx(
                install_npm(folder / "acpx", f"{ACPX}@latest", NODE), work / "acpx"
            )
        except MissingProgramError as error:
            missing["acpx"] = str(error)
        try:
            rows["registry of agents"] = try_registry(options.registry, work / "registry")
        except MissingProgramError as error:
            missing["the registry of agents"] = str(error)
    versions = ", ".join(read_versions(folder)) + ".\n"
    part = render(f"{datetime.now(UTC):%Y-%m-%d}", rows, missing, versions)
    replace_part(PAGE, TITLE, part)
    print(part)
    return 1 if any(end not in GOOD for steps in rows.values() for end in steps.values()) else 0


def read_versions(folder: Path) -> list[str]:
    """Return the versions of what is installed."""
    found = list[str]()
    for work in (folder / "sdk" / "node_modules" / SDK, folder / "acpx" / "node_modules" / ACPX):
        if (file := work / "package.json").exists():
            package = json.loads(file.read_text("utf-8"))
            found.append(f"`{package['name']}` {package['version']}")
    for info in (folder / "python" / "lib").glob(
        f"*/site-packages/{PYTHON_SDK.replace('-', '_')}-*.dist-info"
    ):
        found.append(f"`{PYTHON_SDK}` {info.name.removesuffix('.dist-info').rpartition('-')[2]}")
    return found


if __name__ == "__main__":
    sys.exit(main())
