"""A file in an old encoding is read and edited right, or its bytes are shown."""

import codecs
import re
from pathlib import Path

import pytest
from encoded_texts import ENCODINGS, TEXTS

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import CallResult
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
    right = edits = 0
    for number, snippet in enumerate(list_snippets(language)):
        text = ANCHOR + snippet.encode(encoding, "ignore").decode(encoding)
        path = tmp_path / f"{number}.c"
        path.write_bytes(text.encode(encoding))
        seen = {path.name: hash_content(path.read_bytes())}
        run = ToolRun(Workspace(tmp_path), "c", tmp_path / "outputs", seen=seen)
        right += is_shown_right(await invoke(read_file, {"path": path.name}, run), text)
        edits += await count_edits(run, path, text, encoding)
    assert right and edits  # a long text is read and edited


@pytest.mark.parametrize(("language", "encoding"), PAIRS)
async def test_named_encoding_is_read_and_written(
    tmp_path: Path, language: str, encoding: str
) -> None:
    names = codecs.lookup(encoding).name
    workspace = Workspace(tmp_path, encodings=(("*.c", "utf-8"), ("/old/", names)))
    (tmp_path / "old").mkdir()
    for number, snippet in enumerate(list_snippets(language)[2:]):
        text = ANCHOR + snippet.encode(encoding, "ignore").decode(encoding)
        path = tmp_path / "old" / f"{number}.c"
        path.write_bytes(text.encode(encoding))
        name = f"old/{path.name}"
        run = ToolRun(workspace, "c", tmp_path, seen={name: hash_content(path.read_bytes())})
        ended = await invoke(read_file, {"path": name}, run)
        assert is_shown_right(ended, text) and "by the bytes" not in ended.output
        edited = text.replace(ANCHOR, f"# {text.splitlines()[1]}\n", 1)
        arguments = {
            "file_path": name,
            "old_string": ANCHOR,
            "new_string": edited.splitlines()[0] + "\n",
        }
        assert (await invoke(edit, arguments, run)).ok
        assert path.read_bytes() == edited.encode(encoding)
        new = {"path": f"old/new{number}.c", "content": text}
        assert (result := await invoke(write_file, new, run)).ok, result
        assert (tmp_path / f"old/new{number}.c").read_bytes() == text.encode(encoding)
        header = f"*** Begin Patch\n*** Add File: old/add{number}.c"
        patch = f"{header}\n+{text.splitlines()[1]}\n*** End Patch"
        assert (await invoke(apply_patch, {"patch": patch}, run)).ok
        added = (tmp_path / f"old/add{number}.c").read_bytes()
        assert added == f"{text.splitlines()[1]}\n".encode(encoding)


def is_shown_right(result: CallResult, text: str) -> bool:
    """Whether all of a text is shown; what is shown instead may only be bytes."""
    numbered = re.findall(r"^ *\d+→(.*)$", result.output, re.MULTILINE)
    pairs = list(zip(numbered, text.splitlines(), strict=False))
    if all(output == line for output, line in pairs):
        return True
    assert all(_BYTES.sub("", output).isascii() for output, _ in pairs), pairs
    return False


async def count_edits(run: ToolRun, path: Path, text: str, encoding: str) -> int:
    """Each tool adds letters of the language: in the right bytes, or not at all."""
    count = 0
    old = path.read_bytes()
    letters = text.splitlines()[1]
    new = text.replace(ANCHOR, f"x = 2  # {letters}\n", 1).encode(encoding)
    line = f"x = 2  # {letters}"
    edit_call = {"file_path": path.name, "old_string": ANCHOR, "new_string": f"{line}\n"}
    patch = f"*** Begin Patch\n*** Update File: {path.name}\n@@\n-x = 1\n+{line}\n*** End Patch"
    for tool, arguments in ((edit, edit_call), (apply_patch, {"patch": patch})):
        result = await invoke(tool, arguments, run)
        assert path.read_bytes() == (new if result.ok else old), (encoding, result.output)
        assert result.ok or "not certain" in result.error or "cannot hold" in result.error
        path.write_bytes(old)
        count += result.ok
    return count
