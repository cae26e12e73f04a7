"""Both engines find the same lines: ours in Python, and ripgrep where it is on the machine."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from maxagent.tools.result import ToolError
from maxagent.tools.search.file_search import find_ripgrep, search_with_ripgrep
from maxagent.tools.search.python_search import Search, SearchResult, search_lines
from maxagent.tools.workspace import Workspace

FILES = {
    "a.py": b"import os\n\ndef one():\n    return 'x'\n",
    "crlf.txt": b"first\r\nlast\r\n",
    "mixed.txt": b"one\r\ntwo\nthree",
    "bom.txt": b"\xef\xbb\xbfmarked\n",
    "utf16.txt": "\ufeffwide é\n".encode("utf-16-le"),
    "gbk.txt": "配置文件 name = 1\n说明 name\n".encode("gbk"),
    "chinese.txt": "配置 name = 2\n".encode(),
    "stray.txt": b"good\nbad \xff\n",
    "binary": b"def one\n\0\n",
    "late-binary": b"def one\n" + b"x" * 9000 + b"\0",
    "long.txt": b"x" * 100_000 + b" needle " + b"y" * 100_000,
    "empty": b"",
    "-dash": b"dashed\n",
    "-": b"only a dash\n",
    "two\nlines": b"hard name\n",
    "文件.txt": b"named in Chinese\n",
}
DIGIT = ("chinese.txt", 1, "配置 name = 2", 10)
Engine = Callable[[Search], SearchResult]


@pytest.fixture(params=["python", "ripgrep"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "python":
        return search_lines
    if not (program := find_ripgrep()):
        pytest.skip("ripgrep is not on this machine")

    def search(subject: Search) -> SearchResult:
        result = asyncio.run(search_with_ripgrep(program, subject))
        assert result is not None
        return result

    return search


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    return Workspace(tmp_path)


def ask(
    workspace: Workspace, pattern: str, names: Sequence[str] = (*FILES,), most: int = 100
) -> Search:
    return Search(workspace, names, pattern, most, time.monotonic() + 20)


@pytest.mark.parametrize(
    ("pattern", "result"),
    [
        (r"def \w+", [("a.py", 3, "def one():", 0)]),
        (r"'x'$", [("a.py", 4, "    return 'x'", 11)]),
        (r"^last$", [("crlf.txt", 2, "last", 0)]),
        (r"^(two|three)$", [("mixed.txt", 2, "two", 0), ("mixed.txt", 3, "three", 0)]),
        (r"^marked", [("bom.txt", 1, "marked", 0)]),
        (r"wide", [("utf16.txt", 1, "wide é", 0)]),
        (
            r"name",
            [
                ("gbk.txt", 1, "配置文件 name = 1", None),
                ("gbk.txt", 2, "说明 name", None),
                ("chinese.txt", 1, "配置 name = 2", 3),
                ("two\nlines", 1, "hard name", 5),
                ("文件.txt", 1, "named in Chinese", 0),
            ],
        ),
        (r"^bad", [("stray.txt", 2, "bad \udcff", 0)]),
        (r"(?i)IMPORT\s+OS", [("a.py", 1, "import os", 0)]),
        (r"dash", [("-dash", 1, "dashed", 0), ("-", 1, "only a dash", 7)]),
        (r"-dash|--files", []),
        (r"nothing like it", []),
        (r"[[:digit:]]{1,2}$", [("gbk.txt", 1, "配置文件 name = 1", None), DIGIT]),
    ],
)
def test_lines_are_found(
    engine: Engine,
    workspace: Workspace,
    pattern: str,
    result: list[tuple[str, int, str, int | None]],
) -> None:
    hits = engine(ask(workspace, pattern)).hits
    received = [(hit.path, hit.line, hit.text, hit.column) for hit in hits]
    assert [hit[:3] for hit in received] == [hit[:3] for hit in result]
    assert all(want[3] in (None, hit[3]) for hit, want in zip(received, result, strict=True))


def test_match_in_a_very_long_line_is_found(engine: Engine, workspace: Workspace) -> None:
    (hit,) = engine(ask(workspace, "needle")).hits
    assert (hit.path, hit.line, hit.column, len(hit.text)) == ("long.txt", 1, 100_001, 200_008)


def test_only_named_files_are_searched_in_order(engine: Engine, workspace: Workspace) -> None:
    hits = engine(ask(workspace, "name", ["two\nlines", "chinese.txt", "gone"])).hits
    assert [hit.path for hit in hits] == ["two\nlines", "chinese.txt"]


def test_the_search_stops_at_enough_hits(engine: Engine, workspace: Workspace) -> None:
    result = engine(ask(workspace, "name", most=2))
    assert [hit.line for hit in result.hits] == [1, 2] and result.complete


def test_many_files_are_all_searched(engine: Engine, tmp_path: Path) -> None:
    names = [f"{number:04}{'x' * 200}" for number in range(6000)]
    for name in names[::1000]:
        (tmp_path / name).write_text("here\n")
    hits = engine(ask(Workspace(tmp_path), "here", names)).hits
    assert [hit.path for hit in hits] == names[::1000]


def test_search_out_of_time_reports_incomplete_result(workspace: Workspace) -> None:
    (workspace.root / "trap").write_text("a" * 60 + "b\n")
    search = Search(workspace, ["a.py", "trap"], "one|(a|aa)+$", 9, time.monotonic() + 0.5)
    lines = search_lines(search)
    assert [hit.path for hit in lines.hits] == ["a.py"] and not lines.complete


@pytest.mark.parametrize("pattern", ["(", "*a", "[z-a]", r"\p{nonsense}"])
def test_a_wrong_pattern_is_refused_with_the_reason(workspace: Workspace, pattern: str) -> None:
    with pytest.raises(ToolError, match="is not a valid regular expression: .*backslash"):
        search_lines(ask(workspace, pattern))


@pytest.mark.parametrize(
    "pattern", ["((((a{100}){100}){100}){100})", "((a{9999,}){1,999}){999}", "(a|b)" * 1000]
)
def test_pattern_that_exhausts_memory_is_refused(workspace: Workspace, pattern: str) -> None:
    with pytest.raises(ToolError, match="too large"):
        search_lines(ask(workspace, pattern))
