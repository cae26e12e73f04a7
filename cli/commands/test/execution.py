"""`mcode test run`: run the project's tests as a task does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import exit_codes, paths
from ....config.errors import UsageError
from ....config.trust.decision import check_trust
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...options import Folder, Output, OutputFormat
from ...prompts.trust import TrustFlag, settle_trust
from ...rendering.output import echo, echo_json
from .live_output import LiveLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....tools.testing.command import TestCommand
    from ....tools.testing.coverage import CoverageTool
    from ....tools.testing.run import TestRun
    from .project import TestedProject

UNTRUSTED = "the folder is not trusted, so its tests were not run"


def run(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGS", help="Arguments for the test program, after `--`."),
    ] = None,
    folder: Folder = Path("."),
    framework: Annotated[
        str, typer.Option("--framework", help="Run only the tests of this framework.")
    ] = "",
    coverage: Annotated[bool, typer.Option("--coverage", help="Also measure coverage.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Run again when files change, until Ctrl-C.")
    ] = False,
    trust: TrustFlag = False,
    output: Output = OutputFormat.text,
) -> None:
    """Run the project's tests in the sandbox, with the time limit of a task.

    Their output goes to stderr, the counts to stdout. Exit codes: 0 all passed, 1 some failed,
    2 none found or not installed.
    """
    from .project import open_project, require_tests

    require_tests(folder, framework)
    settle_trust(folder, yes=trust, output=output, tests=True)
    if not check_trust(folder, paths.locate_home()).trusted:
        raise UsageError(UNTRUSTED, hint="run `mcode trust`, or repeat with `--trust`")
    project = open_project(folder)
    commands = project.select(framework)
    tools = [_find_coverage(command, project) if coverage else None for command in commands]
    if watch:
        raise typer.Exit(_watch(project, commands, arguments or [], tools, output))
    raise typer.Exit(run_once(project, commands, arguments or [], tools, output))


def _watch(
    project: "TestedProject",
    commands: "Sequence[TestCommand]",
    arguments: "Sequence[str]",
    tools: "Sequence[CoverageTool | None]",
    output: OutputFormat,
) -> int:
    """Watch by the framework if it can and is the only one, else run again on each change."""
    from .watch import can_watch, repeat_on_changes, watch_by_framework

    if len(commands) == 1 and can_watch(commands[0]) and not any(tools):
        return watch_by_framework(commands[0], arguments, project.sandbox, project.folder)
    repeat_on_changes(
        project.sandbox.workspace, lambda: run_once(project, commands, arguments, tools, output)
    )
    return exit_codes.INTERRUPTED


def run_once(
    project: "TestedProject",
    commands: "Sequence[TestCommand]",
    arguments: "Sequence[str]",
    tools: "Sequence[CoverageTool | None]",
    output: OutputFormat,
) -> int:
    """Run the commands one after the other; return the exit code."""
    import asyncio

    runs = asyncio.run(_run_commands(project, commands, arguments, tools))
    if output is OutputFormat.text:
        for run in runs:
            echo(format_run(run))
    else:
        rows = [describe_run(run) for run in runs]
        echo_json(rows[0] if len(rows) == 1 else rows)
    return to_exit_code(runs)


async def _run_commands(
    project: "TestedProject",
    commands: "Sequence[TestCommand]",
    arguments: "Sequence[str]",
    tools: "Sequence[CoverageTool | None]",
) -> "list[TestRun]":
    from dataclasses import replace

    from ....tools.testing.detection import format_command
    from ....tools.testing.execution import run_tests
    from ...execution.stop_signal import exit_on_termination

    runs: list[TestRun] = []
    for command, tool in zip(commands, tools, strict=True):
        command_line, live = format_command(command), LiveLines()
        echo(t("test.running", command=command_line), err=True)
        with exit_on_termination():
            run = await run_tests(
                command,
                project.folder,
                project.settings.task.test_timeout,
                live.add_text,
                project.sandbox,
                arguments,
                tool,
            )
        live.close()
        runs.append(replace(run, command=command_line))
    return runs


def format_run(run: "TestRun") -> str:
    """Return a run as one line: command, verdict, counts, coverage."""
    from ....tools.testing.run import evaluate_run

    run_verdict = evaluate_run(run)
    verdict = t(
        "labelled", label=t(f"verdict.{run_verdict.verdict}"), said=translate(run_verdict.reason)
    )
    percent = "" if run.coverage is None else t("test.coverage", percent=f"{run.coverage:g}")
    return f"{run.command}: {verdict}{percent}"


def describe_run(run: "TestRun") -> dict[str, object]:
    """Return a run as JSON."""
    from ....tools.testing.run import evaluate_run

    run_verdict = evaluate_run(run)
    counts = {name: getattr(run, name) for name in ("passed", "failed", "errors", "skipped")}
    return {
        "framework": run.framework,
        "command": run.command,
        "verdict": run_verdict.verdict,
        **counts,
        "reason": str(run_verdict.reason),
        "exit_code": run.exit_code,
        "failing": list(run.failing),
        **({} if run.coverage is None else {"coverage": run.coverage}),
    }


def to_exit_code(runs: "Sequence[TestRun]") -> int:
    """Return the exit code: of a red run, else of one that could not prove anything."""
    from ....tools.testing.run import evaluate_run

    verdicts = {evaluate_run(run).verdict for run in runs}
    if "failed" in verdicts:
        return exit_codes.FAILED
    return exit_codes.USAGE if "unverified" in verdicts else exit_codes.DONE


def _find_coverage(command: "TestCommand", project: "TestedProject") -> "CoverageTool | None":
    from ....tools.testing.coverage import find_coverage_tool

    if command.problem:
        return None
    tool = find_coverage_tool(command, project.folder)
    if isinstance(tool, str):
        raise UsageError(tool, hint="run the tests without `--coverage`")
    return tool
