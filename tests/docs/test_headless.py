"""The examples of docs/headless.md, run as they are written."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from provider import Provider, Request
from warm_start import write_mcode

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/headless.md").read_text(encoding="utf-8")
WRITES = {"name": "write_file", "args": {"path": "hello.txt", "content": "hello\n"}}


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


@pytest.fixture
def environ(tmp_path: Path, provider: Provider) -> dict[str, str]:
    """A shell in which `mcode` is this MaxAgent, with the test's server as its model."""
    place = tmp_path / "bin"
    write_mcode(place)
    return {
        "PATH": f"{place}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "MAXAGENT_HOME": str(tmp_path / "home"),
        "OPENAI_API_KEY": "not-a-real-key",
        "OPENAI_BASE_URL": provider.url,
        "LLC_MODEL__DEFAULT": "openai/served",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def run(argv: list[str], folder: Path, environ: dict[str, str]) -> str:
    """What it printed; it ended well."""
    ended = subprocess.run(
        argv, cwd=folder, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_commands_do_what_they_say(
    environ: dict[str, str], project: Path, provider: Provider
) -> None:
    schema = block("json")

    def answer(request: Request) -> dict:
        asked = json.dumps(request.body["messages"])
        return {"text": '{"modules": ["cli"]}' if "JSON schema" in asked else "Said."}

    provider.script(answer)
    (project / "modules.json").write_text(schema)
    commands = block("sh")
    printed = run(["sh", "-ec", commands], project, environ).splitlines()
    assert printed == ["Said."] * 8 + ['{"modules": ["cli"]}']
    assert json.loads((project / "found.json").read_text()) == {"modules": ["cli"]}
    assert json.loads((project / "end.json").read_text())["summary"] == "Said."
    rows = json.loads(run(["mcode", "threads", "list", "--json"], project, environ))
    assert len(provider.requests) == commands.count("mcode") == len(rows) + 2
    assert [row["name"] for row in rows if row["parent"]] == ["idea"]


def test_the_program_answers_the_question(
    environ: dict[str, str], project: Path, provider: Provider
) -> None:
    provider.script([{"tool_calls": [WRITES]}, {"text": "Written."}])
    assert run([sys.executable, "-c", block("python")], project, environ) == "completion Written.\n"
    assert (project / "hello.txt").read_text() == "hello\n"


def test_page_and_help_name_the_same_options(environ: dict[str, str], project: Path) -> None:
    known = set(re.findall(r"--[a-z-]+", run(["mcode", "chat", "--help"], project, environ)))
    named = set(re.findall(r"`(?:-c`, `)?(--[a-z-]+)", PAGE)) | set(
        re.findall(r" (--[a-z-]+)", PAGE)
    )
    elsewhere = {"--apply", "--question", "--approve", "--reject", "--answer", "--wait", "--now"}
    assert named - known == elsewhere
    assert known - named == {"--help", "--folder", "--stream", "--no-title"}
