"""`/status`, `/cost`, `/todos`, `/jobs`: the state of the conversation and of its commands."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .... import __version__
from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.definition_list import format_definition_list
from ...rendering.humanize import format_cost
from ...rendering.listings.threads import SHORT_ID, format_title, open_index
from ...rendering.sanitize import escape_hidden, sanitize_line, sanitize_text
from ..prompt.status_bar import describe_thinking
from ..session.session import Session
from .files import require_thread_id

if TYPE_CHECKING:
    from ....config.trust.decision import Trust
    from ....sdk.background import BackgroundJob
    from ....sdk.events import TokenUsage


async def show_status(session: Session, _: str) -> None:
    """Show the model, the folder, and what the agent may do."""
    facts = await asyncio.to_thread(
        lambda: [*_list_facts(session)]
    )  # reads the project files of the folder
    session.show(format_definition_list(facts))


def _list_facts(session: Session) -> Iterator[tuple[str, str]]:
    from ....config.trust.decision import check_trust, find_further_changes
    from ...rendering.listings.trust_inventory import describe_trust_state

    unknown = t("slash.not_yet")
    spoken = t("slash.status.plan" if session.plan else "slash.status.build")
    agent = "" if session.agent in ("", "build", "plan") else f"@{session.agent}"
    trust = check_trust(session.folder, session.home)
    yield t("slash.status.thread"), _describe_thread(session)
    yield t("threads.folder"), str(session.folder.resolve())
    yield t("slash.status.model"), session.model or unknown
    yield t("slash.status.mode"), " · ".join(filter(None, (spoken, session.mode, agent)))
    thinking = describe_thinking(session.thinking, session.effort, is_labelled=False)
    yield t("slash.status.thinking"), thinking or unknown
    yield t("slash.status.sandbox"), translate(session.sandbox) or unknown
    if jobs := session.count_jobs():
        yield t("slash.status.jobs"), t("slash.status.jobs.running", count=jobs)
    standing = (
        describe_trust_state(find_further_changes(trust))
        if trust.trusted
        else t("slash.status.untrusted")
    )
    yield t("slash.status.trust"), standing
    yield t("slash.status.instructions"), "\n".join(_describe_instructions(session, trust))
    yield t("slash.status.versions"), ", ".join(_list_versions())


def _describe_instructions(session: Session, trust: "Trust") -> Iterator[str]:
    from ....config.settings.loader import load_settings
    from ....sdk.threads.usage import read_nested_instructions
    from ...execution.instruction_files import list_effective_files

    try:
        settings = load_settings(session.folder, session.home, trust=trust).settings
    except UsageError as error:  # no run can start
        yield translate(error.message)
        return
    yield list_effective_files(session.folder, session.home, trust, settings)
    if session.thread and (names := read_nested_instructions(session.thread, session.home)):
        yield t("slash.status.below", names=", ".join(names))


def _describe_thread(session: Session) -> str:
    if not session.thread:
        return t("slash.no_thread")
    return f"{session.thread[:SHORT_ID]}  {format_title(open_index().get(session.thread))}"


def _list_versions() -> Iterator[str]:
    import platform
    from importlib.metadata import version

    yield f"mcode {__version__}"
    yield f"LangGraph {version('langgraph')}"
    yield f"Python {platform.python_version()}"


async def show_cost(session: Session, _: str) -> None:
    """Show what the thread has used so far."""
    usage = await _load_usage(session)
    if usage is None:
        session.show(t("slash.not_asked"))
        return
    dollars = t("slash.cost.unknown") if usage.cost is None else format_cost(usage.cost)
    numbers = {key: f"{getattr(usage, key):,}" for key in ("input", "output", "cached")}
    session.show(t("slash.cost.is", count=usage.requests, cost=dollars, **numbers))


async def _load_usage(session: Session) -> "TokenUsage | None":
    """Return the usage of the thread, even just after it was resumed."""
    if session.thread and session.usage is None:
        from ..session.background_startup import refresh_status

        await refresh_status(session, await session.wait_for_runner())
    return session.usage


async def show_todos(session: Session, _: str) -> None:
    """Show the model's list of tasks, and how many are done."""
    runner = await session.wait_for_runner()
    todos = (await runner.read_state(session.thread))[0].get("todos") if session.thread else None
    if not todos:
        session.show(t("slash.todos.none"))
        return
    from ...rendering.text_renderer import TODO_MARKS

    done = sum(todo["status"] in ("completed", "cancelled") for todo in todos)
    session.show(t("slash.todos.is", done=done, count=len(todos)))
    for todo in todos:
        mark = TODO_MARKS.get(todo["status"], " ")
        style = "bold" if todo["status"] == "in_progress" else "dim" if mark != " " else ""
        session.show(f"  [{mark}] {sanitize_line(todo['content'])}", style)


async def manage_jobs(session: Session, arguments: str) -> None:
    """List them, show the output of one, or end one."""
    action, _, job_id = arguments.partition(" ")
    if not action:
        await _list_jobs(session)
    elif action == "output" and job_id:
        await _show_output(session, job_id.strip())
    elif action == "kill" and job_id:
        await _kill_job(session, job_id.strip())
    else:
        raise UsageError(t("slash.jobs.unknown", words=arguments), hint=t("slash.jobs.hint"))


async def _list_jobs(session: Session) -> None:
    runner = await session.wait_for_runner()
    jobs = runner.background.list(session.thread) if session.thread else ()
    if jobs:
        rows = [
            (job.id, f"{sanitize_line(escape_hidden(job.command))}\n{describe_job(job)}")
            for job in jobs
        ]
        session.show(format_definition_list(rows))
    else:
        session.show(t("slash.jobs.none"))
    for thread, count in runner.background.count_running().items():
        if thread != session.thread:  # the status line counts them, too
            session.show(t("slash.jobs.elsewhere", count=count, thread=thread[:SHORT_ID]))


async def _show_output(session: Session, job_id: str) -> None:
    runner = await session.wait_for_runner()
    output = runner.background.read_output(require_thread_id(session), job_id)
    session.show(sanitize_text(output.rstrip("\n")) or t("slash.jobs.silent"))


async def _kill_job(session: Session, job_id: str) -> None:
    runner = await session.wait_for_runner()
    job = await runner.background.kill(require_thread_id(session), job_id)
    command = sanitize_line(escape_hidden(job.command))
    if job.state == "killed":
        session.show(t("slash.jobs.killed", command=command))
    else:  # it had ended before
        session.show(f"{command}\n{describe_job(job)}")


def describe_job(job: "BackgroundJob") -> str:
    """Describe what has become of a command."""
    words = {"seconds": f"{job.seconds:.0f}", "code": job.exit_code}
    state_key = "killed" if job.state == "ended" and job.exit_code is None else job.state
    state = t(f"slash.jobs.state.{state_key}", **words)
    return state if job.confined else f"{state} · {t('slash.jobs.outside')}"
