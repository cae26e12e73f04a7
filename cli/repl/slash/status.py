"""`/status`, `/cost`, `/todos`: the state of the conversation."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .... import __version__
from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.definition_list import format_definition_list
from ...rendering.humanize import format_cost
from ..prompt.status_bar import describe_thinking
from ..session.session import Session

if TYPE_CHECKING:
    from ....config.trust.decision import Trust
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
    yield t("slash.status.thinking"), describe_thinking(session.thinking, session.effort) or unknown
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
    from ...rendering.listings.threads import SHORT_ID, format_title, open_index

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
    from ...rendering.sanitize import sanitize_line
    from ...rendering.text_renderer import TODO_MARKS

    done = sum(todo["status"] in ("completed", "cancelled") for todo in todos)
    session.show(t("slash.todos.is", done=done, count=len(todos)))
    for todo in todos:
        mark = TODO_MARKS.get(todo["status"], " ")
        style = "bold" if todo["status"] == "in_progress" else "dim" if mark != " " else ""
        session.show(f"  [{mark}] {sanitize_line(todo['content'])}", style)
