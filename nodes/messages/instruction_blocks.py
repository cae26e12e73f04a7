"""Instruction files as blocks of a prompt; their text cannot close its block."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from ...config.instructions.discovery import Instruction
from ...config.security.control_characters import HIDDEN_CHARACTER

BLOCK = "<instructions file={name}>\n{text}\n</instructions>"
CUT = "[{count} more bytes of this file are left out: altogether there is too much of it]"
LEFT_OUT = "[this file is left out: {why}]"
_MARK = re.compile(r"<(?=\s*/?\s*instructions)", re.IGNORECASE)
_INVISIBLE = re.compile(HIDDEN_CHARACTER)


def format_instructions(instructions: Sequence[Instruction]) -> str:
    """Return the files with an introduction; empty if there are none."""
    if not instructions:
        return ""
    words = Path(__file__).with_name("instructions.md").read_text(encoding="utf-8").strip()
    return "\n\n".join([words, *format_blocks(instructions)])


def format_blocks(instructions: Sequence[Instruction]) -> list[str]:
    """Return one block for each file."""
    return [_format_block(instruction) for instruction in instructions]


def _format_block(instruction: Instruction) -> str:
    """Format one file without invisible characters: a user who trusts it did not see them."""
    text = _MARK.sub("&lt;", _INVISIBLE.sub("", instruction.text))
    more = [LEFT_OUT.format(why=instruction.left_out)] if instruction.left_out else []
    more += [CUT.format(count=instruction.cut)] if instruction.cut else []
    parts = [*more, text] if instruction.keeps_end else [text, *more]
    name = _MARK.sub("&lt;", json.dumps(_INVISIBLE.sub("", instruction.name), ensure_ascii=False))
    return BLOCK.format(name=name, text="\n".join(filter(None, parts)))
