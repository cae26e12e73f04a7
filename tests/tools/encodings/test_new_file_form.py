"""A new file has the line ends and the byte-order mark that `.editorconfig` states."""

from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

CRLF = "[*]\nend_of_line = crlf\n"
TEXT = "one\ntwo Größe\n"


@pytest.mark.parametrize("tool", ["write", "patch"])
@pytest.mark.parametrize(
    ("config", "data"),
    [
        (CRLF, b"one\r\ntwo Gr\xc3\xb6\xc3\x9fe\r\n"),
        ("root = true\n[*.{bat,txt}]\nEND_OF_LINE = CRLF\n", TEXT.replace("\n", "\r\n").encode()),
        ("[a/**]\nend_of_line = cr\n", TEXT.replace("\n", "\r").encode()),
        ("[*]\nend_of_line = lf\n", TEXT.encode()),
        (f"{CRLF}[*.txt]\nend_of_line = lf\n", TEXT.encode()),
        (f"{CRLF}[*.txt]\nend_of_line = unset\n", TEXT.encode()),
        (f"{CRLF}[*.md]\nend_of_line = lf\n", TEXT.replace("\n", "\r\n").encode()),
        ("[*]\nend_of_line = other\n", TEXT.encode()),
        ("[*]\ncharset = utf-8-bom\n", b"\xef\xbb\xbf" + TEXT.encode()),
        (f"{CRLF}charset = latin1\n", TEXT.replace("\n", "\r\n").encode("latin-1")),
        ("[*.bat]\nend_of_line = crlf\n", TEXT.encode()),
        ("[n{1..3}.txt]\nend_of_line = crlf\n", TEXT.replace("\n", "\r\n").encode()),
    ],
)
async def test_new_file_has_stated_form(
    tool: str, config: str, data: bytes, tmp_path: Path
) -> None:
    run = open_run(tmp_path, config)
    if tool == "write":
        result = await invoke(write_file, {"path": "a/n1.txt", "content": TEXT}, run)
    else:
        lines = "".join(f"+{line}\n" for line in TEXT.splitlines())
        patch = f"*** Begin Patch\n*** Add File: a/n1.txt\n{lines}*** End Patch\n"
        result = await invoke(apply_patch, {"patch": patch}, run)
    assert result.ok, result.error
    assert (tmp_path / "p" / "a" / "n1.txt").read_bytes() == data


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\r\nb\n", "a\nb\r\n"])
async def test_models_line_ends_are_not_doubled(content: str, tmp_path: Path) -> None:
    run = open_run(tmp_path, CRLF)
    await invoke(write_file, {"path": "n.txt", "content": content}, run)
    assert (tmp_path / "p" / "n.txt").read_bytes() == b"a\r\nb\r\n"


async def test_existing_file_keeps_its_line_ends(tmp_path: Path) -> None:
    run = open_run(tmp_path, CRLF)
    (tmp_path / "p" / "n.txt").write_bytes(b"a\nb\n")
    arguments = {"file_path": "n.txt", "old_string": "b", "new_string": "c\nd"}
    seen = {"n.txt": hash_content(b"a\nb\n")}
    result = await invoke(edit, arguments, replace(run, seen=seen))
    assert result.ok, result.error
    assert (tmp_path / "p" / "n.txt").read_bytes() == b"a\nc\nd\n"


def open_run(folder: Path, config: str) -> ToolRun:
    root = folder / "p"
    root.mkdir()
    (root / ".editorconfig").write_text(config)
    return ToolRun(Workspace(root), "c", folder / "outputs")
