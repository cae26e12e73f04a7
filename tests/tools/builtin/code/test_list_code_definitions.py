import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxagent.tools.builtin.code.list_code_definitions import list_code_definitions as tool
from maxagent.tools.definitions.languages import load_parser
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

PYTHON = "class A:\n    def b(self, x: int) -> str: ...\n"


async def listed(folder: Path, **args: object) -> CallResult:
    return await invoke(tool, args, ToolRun(Workspace(folder), "call/1", folder / "outputs"))


@pytest.fixture
def without_grammars(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the extra `code` were not installed."""
    load_parser.cache_clear()
    for name in ("go", "rust"):
        monkeypatch.setitem(sys.modules, f"tree_sitter_{name}", None)
    yield
    load_parser.cache_clear()


async def test_a_file_shows_lines_and_signatures(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    result = await listed(tmp_path, path="a.py")
    assert result.output == "a.py\n  1: class A\n  2:   def b(self, x: int) -> str"
    assert result.metadata == {"path": "a.py", "definitions": 2, "files": 1}
    assert result.seen == {}  # a signature is not the file


async def test_a_folder_shows_its_files_and_all_if_recursive(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.py").write_text(PYTHON)
    (tmp_path / "notes.txt").write_text("def no(): pass")
    (tmp_path / "sub" / "b.go").write_text("package b\nfunc Go() {}\n")
    flat, deep = await listed(tmp_path), await listed(tmp_path, recursive=True)
    assert "a.py" in flat.output and "b.go" not in flat.output and "notes" not in flat.output
    assert deep.output.endswith("sub/b.go\n  2: func Go()")


async def test_ignored_and_secret_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("built.py\n")
    for name in ("a.py", "built.py", "credentials.py", ".env.py"):
        (tmp_path / name).write_text(f"def of_{Path(name).stem.strip('.').replace('.', '_')}(): 1")
    workspace = Workspace(tmp_path, ("credentials.py", ".env*"))
    run = ToolRun(workspace, "call/1", tmp_path / "outputs")
    result = await invoke(tool, {}, run)
    assert "of_a" in result.output
    assert not any(word in result.output for word in ("built", "credentials", "env"))
    assert "ignore patterns" in (await invoke(tool, {"path": "credentials.py"}, run)).error


async def test_missing_grammars_are_named_with_the_command(
    tmp_path: Path, without_grammars: None
) -> None:
    for name in ("a.go", "b.go", "c.rs"):
        (tmp_path / name).write_text("fn x() {}")
    (tmp_path / "a.py").write_text(PYTHON)
    result = await listed(tmp_path)
    assert "class A" in result.output
    text = "[left out: 2 Go files, 1 Rust file; the user can install their grammars: "
    assert f'{text}pip install "maxagent[code]"]' in result.output


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a.swift", "b.swift", "c.lua"], "1 Lua file, 2 Swift files"),
        (["a.ex", "b.exs"], "2 Elixir files"),
        (["Main.scala"], "1 Scala file"),
        (["run.sh", "build.zsh"], "2 Shell files"),
        (["App.vue", "x.DART", "q.sql"], "1 Dart file, 1 SQL file, 1 Vue file"),
    ],
)
async def test_source_files_without_parser_are_counted(
    tmp_path: Path, names: list[str], text: str
) -> None:
    for name in (*names, "notes.txt", "a.json", "b.md"):
        (tmp_path / name).write_text("x\n")
    (tmp_path / "a.py").write_text(PYTHON)
    output = (await listed(tmp_path)).output
    assert f"[left out: {text}; these languages are not parsed" in output and "class A" in output


@pytest.mark.parametrize(
    ("name", "source", "signature"),
    [
        ("lib/tasks/db.rake", "def migrate(to)\nend\n", "1: def migrate(to)"),
        ("Rakefile", "class Job\nend\n", "1: class Job"),
        ("Program.cs", "int Add(int a) { return a; }\n", "1: int Add(int a)"),
        ("build.gradle.kts", 'fun version(): String {\n    return "1"\n}\n', "1: fun version()"),
        ("page.phtml", "<b><?php function bold($x) { ?></b><?php } ?>\n", "1: function bold($x)"),
    ],
)
async def test_more_languages_are_known_by_name(
    tmp_path: Path, name: str, source: str, signature: str
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(source)
    output = (await listed(tmp_path, recursive=True)).output
    assert signature in output and "left out" not in output


async def test_broken_file_shows_what_parses_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("function ok(a) { }\nclass {{{ ")
    result = await listed(tmp_path, path="a.js")
    assert "1: function ok(a)" in result.output and "does not parse" in result.output


async def test_long_outline_is_cut_with_a_note(tmp_path: Path) -> None:
    for number in range(40):
        text = "\n".join(f"def function_{number}_{index}(argument): pass" for index in range(100))
        (tmp_path / f"m{number:02}.py").write_text(text)
    result = await listed(tmp_path)
    assert len(result.output) < 32_000
    assert "[cut: read the rest" in result.output
    assert "of 40 files; name a file or a smaller folder]" in result.output


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.txt", b"x", "none of the languages"),
        ("a.py", b"\0\1\2", "binary"),
        ("big.py", b"#" * 1_000_001, "larger than 1,000,000 bytes"),
        ("empty.py", b"", "[no definition found]"),
    ],
)
async def test_what_has_no_definitions_says_why(
    tmp_path: Path, name: str, content: bytes, text: str
) -> None:
    (tmp_path / name).write_bytes(content)
    result = await listed(tmp_path, path=name)
    assert text in (result.error or result.output)


async def test_unreadable_file_in_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    (tmp_path / "b.py").write_bytes(b"\0\1\2")
    assert "[could not be read: `b.py`]" in (await listed(tmp_path)).output
    (tmp_path / "empty").mkdir()
    assert "[no source file here in: Python" in (await listed(tmp_path, path="empty")).output
