"""`/status`, `/cost`, `/context`, `/compact`: how the conversation stands."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .... import __version__
from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import told
from ...rendering.definition_list import listed
from ..session.session import Session

if TYPE_CHECKING:
    from ....config.trust.decision import Trust
    from ....sdk.events import TokenUsage


async def status(session: Session, _: str) -> None:
    """Say who answers, where, and what it may do."""
    facts = await asyncio.to_thread(lambda: [*_facts(session)])  # which reads what a folder brings
    session.show(listed(facts))


def _facts(session: Session) -> Iterator[tuple[str, str]]:
    from ....config.trust.decision import changed_further, trust_of
    from ...rendering.trust_inventory import stands

    unknown = t("slash.not_yet")
    spoken = t("slash.status.plan" if session.plan else "slash.status.build")
    agent = "" if session.agent in ("", "build", "plan") else f"@{session.agent}"
    trust = trust_of(session.folder, session.home)
    yield t("slash.status.thread"), _thread(session)
    yield t("threads.folder"), str(session.folder.resolve())
    yield t("slash.status.model"), session.model or unknown
    yield t("slash.status.mode"), " · ".join(filter(None, (spoken, session.mode, agent)))
    yield t("slash.status.sandbox"), told(session.sandbox) or unknown
    standing = stands(changed_further(trust)) if trust.trusted else t("slash.status.untrusted")
    yield t("slash.status.trust"), standing
    yield t("slash.status.instructions"), "\n".join(_instructions(session, trust))
    yield t("slash.status.versions"), ", ".join(_versions())


def _instructions(session: Session, trust: "Trust") -> Iterator[str]:
    from ....config.settings.loader import load
    from ....sdk.threads.usage import told_below
    from ...commands.instruction_files import in_effect

    try:
        settings = load(session.folder, session.home, trust=trust).settings
    except UsageError as error:  # no run can begin
        yield told(error.message)
        return
    yield in_effect(session.folder, session.home, trust, settings)
    if session.thread and (names := told_below(session.thread, session.home)):
        yield t("slash.status.below", names=", ".join(names))


def _thread(session: Session) -> str:
    from ...commands.threads.listing import SHORT_ID, open_index, title_of

    if not session.thread:
        return t("slash.no_thread")
    return f"{session.thread[:SHORT_ID]}  {title_of(open_index().get(session.thread))}"


def _versions() -> Iterator[str]:
    import platform
    from importlib.metadata import version

    yield f"mcode {__version__}"
    yield f"LangGraph {version('langgraph')}"
    yield f"Python {platform.python_version()}"


async def cost(session: Session, _: str) -> None:
    """Say what the thread has taken so far."""
    usage = await _usage(session)
    if usage is None:
        session.show(t("slash.not_asked"))
        return
    dollars = t("slash.cost.unknown") if usage.cost is None else f"${usage.cost:.4f}"
    numbers = {key: f"{getattr(usage, key):,}" for key in ("requests", "input", "output", "cached")}
    session.show(t("slash.cost.is", cost=dollars, **numbers))


async def _usage(session: Session) -> "TokenUsage | None":
    """What the thread has taken, also right after it was taken up again."""
    if session.thread and session.usage is None:
        from ..session.background_startup import look

        await look(session, await session.runner())
    return session.usage


async def context(session: Session, _: str) -> None:
    """Say how much of what the model can take the last request has taken."""
    usage = await _usage(session)
    if usage is None:
        session.show(t("slash.not_asked"))
        return
    share = f"{usage.window / usage.context_length:.0%}" if usage.context_length else "?"
    window, length = f"{usage.window:,}", f"{usage.context_length:,}"
    session.show(t("slash.context.is", used=window, length=length, share=share))


async def compact(session: Session, _: str) -> None:
    """Say honestly that nothing is shortened yet, and what helps meanwhile."""
    session.show(t("slash.compact.later"))
    await context(session, "")
