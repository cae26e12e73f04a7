"""`.editorconfig` and git's attribute say which encoding a file has."""

import subprocess
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.read_file import read_text_file
from maxagent.tools.encodings.project_statements import find_stated_encoding
from maxagent.tools.filesystem.text_codec import choose_encoding, decode_file, encode_text
from maxagent.tools.workspace import Workspace

GIT, EDITOR = ".gitattributes", ".editorconfig"


@pytest.mark.parametrize(
    ("files", "name", "encoding"),
    [
        ({GIT: "*.txt working-tree-encoding=cp1251\n"}, "a/b.txt", "cp1251"),
        ({GIT: "*.txt text working-tree-encoding=SHIFT-JIS eol=lf"}, "b.txt", "shift_jis"),
        ({GIT: '"a b.txt" working-tree-encoding=koi8-r'}, "a b.txt", "koi8-r"),
        ({GIT: "*.txt working-tree-encoding=gbk\nx.txt -working-tree-encoding"}, "x.txt", ""),
        ({GIT: "# *.txt working-tree-encoding=gbk"}, "x.txt", ""),
        (
            {
                GIT: "* working-tree-encoding=gbk",
                "a/.gitattributes": "* working-tree-encoding=big5",
            },
            "a/x.txt",
            "big5",
        ),
        ({GIT: "/a/*.txt working-tree-encoding=cp1253"}, "b/a/x.txt", ""),
        ({GIT: "*.txt working-tree-encoding=UTF-16LE-BOM"}, "x.txt", ""),
        ({EDITOR: "[*]\ncharset = latin1\n"}, "a/b/c.txt", "iso8859-1"),
        ({EDITOR: "root = true\n[*.{c,h}]\nCharset=Latin1"}, "src/x.h", "iso8859-1"),
        ({EDITOR: "[*.{c,h}]\ncharset=latin1"}, "src/x.hh", ""),
        ({EDITOR: "[lib/**.js]\ncharset=latin1"}, "lib/a/b.js", "iso8859-1"),
        ({EDITOR: "[lib/*.js]\ncharset=latin1"}, "lib/a/b.js", ""),
        ({EDITOR: "[*]\ncharset=latin1\n[*.md]\ncharset=utf-8"}, "x.md", "utf-8"),
        ({EDITOR: "[*]\ncharset=latin1\n[x.md]\ncharset=unset"}, "x.md", ""),
        ({EDITOR: "[*]\ncharset=latin1", "a/.editorconfig": "root=true\n"}, "a/x.md", ""),
        ({EDITOR: "[[ab]?.txt]\ncharset=latin1"}, "a1.txt", "iso8859-1"),
        ({EDITOR: "[[z-a].txt]\ncharset=latin1"}, "a.txt", ""),
        ({EDITOR: "[[!ab]?.txt]\ncharset=latin1"}, "a1.txt", ""),
        ({EDITOR: "[v{1..3}.txt]\ncharset=latin1"}, "v2.txt", "iso8859-1"),
        ({EDITOR: "[v{1..3}.txt]\ncharset=latin1"}, "a/v3.txt", "iso8859-1"),
        ({EDITOR: "[v{1..3}.txt]\ncharset=latin1"}, "v4.txt", ""),
        ({EDITOR: "[v{1..3}.txt]\ncharset=latin1"}, "v02.txt", ""),
        ({EDITOR: "[t{-2..+2}]\ncharset=latin1"}, "t-1", "iso8859-1"),
        ({EDITOR: "[{9..11}/{a,b}.c]\ncharset=latin1"}, "10/b.c", "iso8859-1"),
        ({EDITOR: "[{1..1000000}]\ncharset=latin1"}, "7", ""),
        ({EDITOR: "[{one}.txt]\ncharset=latin1"}, "{one}.txt", "iso8859-1"),
        ({EDITOR: "[{one}.txt]\ncharset=latin1"}, "one.txt", ""),
        ({EDITOR: f"[{'*a' * 20}]\ncharset=latin1"}, "a" * 60, ""),
        ({EDITOR: "[*]\ncharset=latin1", GIT: "* working-tree-encoding=cp1252"}, "x", "cp1252"),
    ],
)
def test_statement_is_found(
    tmp_path: Path, files: dict[str, str], name: str, encoding: str
) -> None:
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    assert find_stated_encoding(tmp_path, name) == encoding


@pytest.mark.parametrize(
    ("encoding", "text", "new"),
    [
        ("cp1251", "Привет", "мир"),
        ("cp1253", "Γειά", "σου"),
        ("cp1254", "ğış", "Şİ"),
        ("cp949", "한글", "단어"),
        ("shift_jis", "日本", "語"),
        ("gbk", "编码", "文"),
        ("cp1252", "Größe", "ß"),
    ],
)
def test_short_text_is_edited_as_stated(tmp_path: Path, encoding: str, text: str, new: str) -> None:
    (tmp_path / GIT).write_text(f"*.txt working-tree-encoding={encoding}\n")
    (tmp_path / "x.txt").write_bytes(f"{text}\n".encode(encoding))
    workspace = Workspace(tmp_path)
    decoded = decode_file(workspace, "x.txt", (tmp_path / "x.txt").read_bytes())
    assert (decoded.text, decoded.encoding) == (f"{text}\n", encoding)
    assert encode_text(decoded, f"{text}{new}\n") == f"{text}{new}\n".encode(encoding)
    output = read_text_file(workspace, "x.txt").output
    assert text in output and "by `.gitattributes` or `.editorconfig`" in output


@pytest.mark.parametrize(
    ("statement", "data"),
    [
        ((GIT, "* working-tree-encoding=shift-jis"), "Größe und Maß\n".encode()),
        ((GIT, "* working-tree-encoding=gbk"), b"\xff\xff\n"),
        ((EDITOR, "[*]\ncharset=utf-8"), "Größe\n".encode("latin-1")),
        ((EDITOR, "[*]\ncharset=latin1"), "Größe und 日本\n".encode()),
        ((EDITOR, "[*]\ncharset=utf-8"), "Привет\n".encode("cp1251")),
    ],
)
def test_wrong_statement_is_reported_and_bytes_stay(
    tmp_path: Path, statement: tuple[str, str], data: bytes
) -> None:
    (tmp_path / statement[0]).write_text(statement[1])
    (tmp_path / "x.txt").write_bytes(data)
    workspace = Workspace(tmp_path)
    assert "does not fit the bytes" in read_text_file(workspace, "x.txt").output
    decoded = decode_file(workspace, "x.txt", data)
    assert encode_text(decoded, decoded.text + "more\n") == data + b"more\n"


def test_users_setting_wins(tmp_path: Path) -> None:
    (tmp_path / GIT).write_text("* working-tree-encoding=cp1252\n")
    workspace = Workspace(tmp_path, encodings=(("*.txt", "cp1251"),))
    assert workspace.find_encoding("x.txt") == "cp1251"
    assert workspace.find_encoding("x.md") == "cp1252"


@pytest.mark.parametrize(
    "pattern",
    ["*.txt", "/a/x.txt", "a/*", "**/x.txt", "x.*", "b/*", "a", "a/", "[z-a].txt", "?.txt"],
)
def test_attribute_is_as_git_reads_it(tmp_path: Path, pattern: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / GIT).write_text(f"{pattern} working-tree-encoding=cp1251\n")
    command = ["git", "check-attr", "working-tree-encoding", "a/x.txt"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert ("cp1251" in said.stdout) == bool(find_stated_encoding(tmp_path, "a/x.txt"))


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [("latin1", "utf-8"), ("latin1", "latin-1"), ("utf-8", "utf-8"), ("utf-8-bom", "utf-8")],
)
def test_new_letters_keep_the_files_encoding(tmp_path: Path, charset: str, encoding: str) -> None:
    (tmp_path / EDITOR).write_text(f"[*]\ncharset = {charset}\n")
    data = "Größe\nzwei\n".encode(encoding)
    assert choose_encoding(Workspace(tmp_path), "x.txt", data) in ("", "utf-8", "iso8859-1")
    decoded = decode_file(Workspace(tmp_path), "x.txt", data)
    assert encode_text(decoded, "Größe\nzwölf\n") == "Größe\nzwölf\n".encode(encoding)
