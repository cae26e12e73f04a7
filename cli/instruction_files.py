"""Which instruction files are in effect in a folder, in one line for people."""

from pathlib import Path

from ..config.instructions import Instruction, instructions
from ..config.settings import Settings
from ..config.trust import Trust
from .i18n import t


def in_effect(folder: Path, home: Path, trust: Trust, settings: Settings) -> str:
    """Their names, what counts most last."""
    found = instructions(folder, home, trust, settings.security.ignore_patterns)
    return ", ".join(map(_named, found)) or t("instructions.none")


def _named(one: Instruction) -> str:
    if one.is_odd:
        return t("instructions.odd", name=one.name)
    return t("instructions.cut", name=one.name) if one.cut else one.name
