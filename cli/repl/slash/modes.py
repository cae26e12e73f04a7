"""`/model`, `/mode`, `/plan`, `/build`, `/agents`: who answers the next message, and how."""

import os
from typing import TYPE_CHECKING, get_args

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.definition_list import listed
from ..session.cli_bridge import as_typed
from ..session.session import Session

if TYPE_CHECKING:
    from ....config.settings.schema import Settings
    from ....models.resolver import ResolvedModel


async def model(session: Session, name: str) -> None:
    """Switch to a model that can be asked; without a name say which there are."""
    if name:
        resolved = resolved_model(session, name)
        session.options = {**session.options, "model": resolved.name}
        session.model = resolved.name
        session.show(t("slash.model.now", model=resolved.name))
        return
    present = session.model or resolved_model(session).name
    session.show(t("slash.model.is", model=present))
    session.show("\n".join(f"  {one}" for one in known_models(_settings(session), present)))


def resolved_model(session: Session, name: str = "") -> "ResolvedModel":
    """The model of that name, or that would be asked; raises UsageError when it cannot be."""
    from ....models.resolver import resolve

    name = name or session.wanted.get("model", "")
    return resolve(_settings(session), os.environ, name)


def known_models(settings: "Settings", present: str) -> list[str]:
    """Those that the user has configured, and those of providers that can be asked."""
    from ....models.catalog import catalog
    from ....models.providers import providers

    own = {name for name, one in providers().items() if one.key(os.environ)}
    own.add(present.partition("/")[0])
    listed = [name for name in catalog() if name.partition("/")[0] in own and name[-1] != "*"]
    return list(dict.fromkeys([present, *settings.model.models, *listed]))


def _settings(session: Session) -> "Settings":
    from ....config.settings.loader import load

    url = session.wanted.get("base_url")
    flags = {"litellm.base_url": url, "litellm.provider": "" if url else None}
    return load(session.folder, session.home, flags=flags).settings


async def mode(session: Session, name: str) -> None:
    """Switch to an approval mode; without a name say which there are."""
    from ....config.settings.schema import Mode

    known = get_args(Mode)
    if name in known:
        session.mode = name
        session.options = {**session.options, "mode": name}
        session.show(t("slash.mode.now", mode=name))
    elif name:
        names = ", ".join(f"`{one}`" for one in known)
        raise UsageError(t("slash.mode.unknown", name=name), hint=t("slash.near", names=names))
    else:
        session.show(t("slash.mode.is", mode=session.mode or t("slash.not_yet")))
        session.show(listed([(f"  {one}", t(f"slash.mode.{one}")) for one in known]))


async def plan(session: Session, words: str) -> None:
    """Go on in plan mode, with these words if there are any."""
    await _switch(session, True, words)


async def build(session: Session, words: str) -> None:
    """Go on in build mode, with these words if there are any."""
    await _switch(session, False, words)


async def _switch(session: Session, plan: bool, words: str) -> None:
    session.plan = plan
    if words:
        await session.say(words)
    else:
        session.show(t("slash.plan.now" if plan else "slash.build.now"))


async def agents(session: Session, name: str) -> None:
    """Let another agent speak from the next message on; without a name list them."""
    from ....config.agents.registry import find_agents
    from ....config.trust.decision import trust_of
    from ...commands.agents import list_

    if not name:
        await as_typed(session, list_)
        session.show(t("slash.agents.how"))
        return
    trust = trust_of(session.folder, session.home)
    found = find_agents(session.folder, session.home, trust).find_speaking(name.removeprefix("@"))
    session.agent = found.name
    session.show(t("slash.agents.now", agent=found.name))
