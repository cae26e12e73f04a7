"""`/goal`, `/review`, `/test`, `/doctor`: checks of the work, the project and the machine."""

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...options import OutputFormat
from ..session.message import run_message
from ..session.session import Session

if TYPE_CHECKING:
    from ....nodes.options import Options
    from ....tools.testing.command import TestCommand
    from ....tools.testing.run import TestRun
    from ...commands.test.project import TestedProject

TEST_TEMPLATE = "The user ran the project's tests: {result}\n{tail}"


async def work_until_checked(session: Session, words: str) -> None:
    """Send the text; the turn ends when the project's tests pass, or at the limit of rounds."""
    if not words:
        raise UsageError(t("slash.goal.empty"), hint=t("slash.goal.empty.hint"))
    session.plan = False  # plan mode changes nothing that tests could check
    await run_message(session, words, once={"goal": True})


async def review(session: Session, target: str) -> None:
    """Let a read-only agent review changes, in a conversation of its own, and show its findings."""
    runner = await session.wait_for_runner()  # it has loaded the imports below
    from ....sdk.events import Completion
    from ....sdk.reviews.review import build_report, review_changes
    from ....sdk.reviews.scope import find_scope
    from ...execution.review_report import show_report
    from ..session.turn_renderer import TurnView

    folder = session.folder.resolve()
    scope = await find_scope(target, folder, session.home)
    report = build_report('{"findings": []}', scope, "")
    if scope.diff.strip():
        chosen: Options = {}
        if model := session.next_options.get("model"):
            chosen["model"] = model
        if base_url := session.next_options.get("base_url"):
            chosen["base_url"] = base_url
        view = TurnView(session, is_beside=True)
        last = await view.show_events(review_changes(runner, scope, folder, chosen))
        view.show_end(last)
        if not isinstance(last, Completion) or last.outcome != "answered":
            return
        report = json.loads(last.summary)
    await session.ask_question(partial(show_report, report, OutputFormat.text))


async def run_project_tests(session: Session, words: str) -> None:
    """Run the project's tests as a task does; the model reads the result with the next message."""
    import shlex

    from ....config.trust.decision import check_trust
    from ....tools.testing.command import select_commands
    from ....tools.testing.detection import NONE_FOUND, SIGNS, detect_test_commands
    from ...commands.test.execution import UNTRUSTED, format_run
    from ...commands.test.project import open_project

    try:
        arguments = shlex.split(words)
    except ValueError:
        raise UsageError(t("slash.test.quote"), hint=t("slash.test.quote.hint")) from None
    if not check_trust(session.folder, session.home).trusted:
        raise UsageError(translate(UNTRUSTED), hint=t("slash.test.trust"))
    project = await asyncio.to_thread(open_project, session.folder)
    configured = project.settings.task.test_command
    commands = await detect_test_commands(project.folder, configured, project.sandbox)
    if not commands:
        raise UsageError(NONE_FOUND, hint=SIGNS)
    for command in select_commands(commands):
        result = await _run_tests(session, project, command, arguments)
        line = format_run(result)
        session.show(line, "red" if result.red or result.exit_code else "green")
        session.side_context.append(TEST_TEMPLATE.format(result=line, tail=result.tail).rstrip())


async def _run_tests(
    session: Session, project: "TestedProject", command: "TestCommand", arguments: list[str]
) -> "TestRun":
    from dataclasses import replace

    from ....tools.testing.detection import format_command
    from ....tools.testing.execution import run_tests
    from ..session.line_buffer import LineBuffer

    words = format_command(command)
    session.show(t("test.running", command=words), "dim")
    lines, timeout = LineBuffer(session), project.settings.task.test_timeout
    result = await run_tests(
        command, project.folder, timeout, lines.add_text, project.sandbox, arguments
    )
    lines.flush()
    return replace(result, command=words)


async def check_machine(session: Session, _: str) -> None:
    """Check the machine and suggest remedies."""
    from ...commands.doctor.command import print_checks, run_checks

    checks = (await asyncio.to_thread(run_checks, session.folder.resolve()))[1]
    await session.ask_question(partial(print_checks, checks))
