"""`/think`, `/effort`: whether the model thinks, and how much, from the next message on."""

from typing import cast

from ....config.errors import UsageError
from ....nodes.options import Options
from ...i18n.catalogs import t
from ..session.session import Session

# What is typed, and what the thread keeps
STRATEGIES = {"auto": "auto", "on": "enabled", "off": "disabled"}
EFFORTS = ("auto", "low", "medium", "high", "max")


async def switch_thinking(session: Session, name: str) -> None:
    """Choose when the model thinks, or show the last folded thought; without a name say it."""
    if name == "show":
        session.open_fold(kind="thought")
        return
    if name:
        strategy = STRATEGIES.get(name) or _validate(name, [*STRATEGIES.values()], [*STRATEGIES])
        session.thinking = strategy
        session.options = cast(Options, {**session.options, "thinking": strategy})
        session.prompt.refresh()
    strategy = session.thinking or session.next_options.get("thinking", "")
    spoken = t(f"status.thinking.{strategy}") if strategy else t("slash.not_yet")
    session.show(t("slash.think.now" if name else "slash.think.is", thinking=spoken))


async def switch_effort(session: Session, name: str) -> None:
    """Choose how much the model thinks; without a name say it."""
    if name:
        session.effort = _validate(name, EFFORTS, EFFORTS)
        session.options = cast(Options, {**session.options, "effort": name})
        session.prompt.refresh()
    effort = session.effort or session.next_options.get("effort", "") or "auto"
    session.show(t("slash.effort.now" if name else "slash.effort.is", effort=effort))


def _validate(
    name: str,
    accepted_names: "list[str] | tuple[str, ...]",
    shown_names: "list[str] | tuple[str, ...]",
) -> str:
    """Return the name if it is known; raise UsageError with those that are."""
    if name in accepted_names:
        return name
    names = ", ".join(f"`{each}`" for each in shown_names)
    raise UsageError(t("slash.think.unknown", name=name), hint=t("slash.near", names=names))
