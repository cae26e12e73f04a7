import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from maxagent.cli.app import app
from maxagent.config.plan_files import PLANS


@pytest.fixture(autouse=True)
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / PLANS).mkdir(parents=True)
    (tmp_path / PLANS / "20261122-090807-old.md").write_text("# Old \x1b[31mplan\n")
    (tmp_path / PLANS / "20261123-101010-new.md").write_text("# New plan\n\n1. Do it.\n")
    return tmp_path


def run_plans(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plans", *arguments])


def test_plans_are_listed_without_control_characters() -> None:
    plans = run_plans("list")
    assert [line.split()[0] for line in plans.stdout.splitlines()[1:]] == [
        "20261123-101010-new",
        "20261122-090807-old",
    ]
    assert "\x1b" not in plans.stdout


def test_plans_are_listed_as_json() -> None:
    data = json.loads(run_plans("list", "--json").stdout)
    assert [item["title"] for item in data][0] == "New plan"


def test_latest_plan_is_shown_by_default() -> None:
    assert run_plans("show").stdout == "# New plan\n\n1. Do it.\n"
    assert run_plans("show", "old").stdout.startswith("# Old")


def test_unknown_plan_is_wrong_input() -> None:
    assert run_plans("show", "none").exit_code != 0
