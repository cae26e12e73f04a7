"""A file in an old encoding is read and edited right, or its bytes are shown."""

import re
from pathlib import Path

import pytest
from encoded_texts import ENCODINGS, TEXTS

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import ToolResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

ANCHOR = "x = 1\n"
PAIRS = [(language, encoding) for language, names in ENCODINGS.items() for encoding in names]
_BYTES = re.compile(r"(?:\\x[89a-f][0-9a-f])+")


def list_snippets(language: str) -> list[str]:
    """The whole text, many of it, each line alone, and the last lines."""
    text = TEXTS[language]
    lines = text.splitlines(keepends=True)
    return [text, text * 40, *lines, *("".join(lines[start:]) for start in (1, 3))]


@pytest.mark.parametrize(("language", "encoding"), PAIRS)
async def test_text_is_right_or_bytes(tmp_path: Path, language: str, encoding: str) -> None:
    right = 0
    for number, snippet in enumerate(list_snippets(language)):
        text = ANCHOR + snippet.encode(encoding, "ignore").decode(encoding)
        path = tmp_path / f"{number}.c"
        path.write_bytes(text.encode(encoding))
        seen = {path.name: hash_content(path.read_bytes())}
        run = ToolRun(Workspace(tmp_path), "c", tmp_path / "outputs", seen=seen)
        right += is_shown_right(await invoke(read_file, {"path": path.name}, run), text)
        await check_edits(run, path, text, encoding)
    assert right >= 1  # a long text is read


def is_shown_right(result: ToolResult, text: str) -> bool:
    """Whether all of a text is shown; what is shown instead may only be bytes."""
    numbered = re.findall(r"^ *\d+→(.*)$", result.output, re.MULTILINE)
    pairs = list(zip(numbered, text.splitlines(), strict=False))
    if all(shown == line for shown, line in pairs):
        return True
    assert all(_BYTES.sub("", shown).isascii() for shown, _ in pairs), pairs
    return False


async def check_edits(run: ToolRun, path: Path, text: str, encoding: str) -> None:
    """Each tool adds letters of the language: in the right bytes, or not at all."""
    old = path.read_bytes()
    letters = text.splitlines()[1]
    new = text.replace(ANCHOR, f"x = 2  # {letters}\n", 1).encode(encoding)
    line = f"x = 2  # {letters}"
    edit_call = {"path": path.name, "old_string": ANCHOR, "new_string": f"{line}\n"}
    patch = f"*** Begin Patch\n*** Update File: {path.name}\n@@\n-x = 1\n+{line}\n*** End Patch"
    for tool, arguments in ((edit, edit_call), (apply_patch, {"patch": patch})):
        result = await invoke(tool, arguments, run)
        assert path.read_bytes() == (new if result.ok else old), (encoding, result.output)
        path.write_bytes(old)
