"""Instruction files in effect in a folder, and those that are ignored or cut."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...config.instructions.discovery import MAX_BYTES, Instruction, load_instructions
from ...config.settings.schema import Settings
from ...config.trust.decision import Trust
from ..i18n.catalogs import t
from ..i18n.message_translation import translate


def list_effective_files(folder: Path, home: Path, trust: Trust, settings: Settings) -> str:
    """List their names, lowest precedence first; then a line for each that is ignored or cut."""
    instructions = load_instructions(folder, home, trust, settings.security.ignore_patterns)
    names = [instruction.name for instruction in instructions if instruction.text]
    return "\n".join([", ".join(names) or t("instructions.none"), *_list_incomplete(instructions)])


def _list_incomplete(instructions: Sequence[Instruction]) -> Iterator[str]:
    for instruction in instructions:
        if instruction.left_out:
            yield t(
                "instructions.left_out", name=instruction.name, why=translate(instruction.left_out)
            )
        elif instruction.cut:
            yield t(
                "instructions.cut",
                name=instruction.name,
                count=instruction.cut,
                most=MAX_BYTES // 1000,
            )
