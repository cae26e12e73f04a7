import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.definitions.python_definitions import find_python_definitions

SOURCE = '''\
import a

class A(B, metaclass=M):
    """Text."""

    @property
    def x(self, a: int = 1, *rest: str, **more) -> dict[str, int]: ...

    class Inner:
        async def y(self): pass


if TYPE_CHECKING:
    def z(): pass
else:
    try:
        def q():
            def hidden(): pass
    except Error: pass
'''
BROKEN = """\
class A:
    def ok(self): pass
    def bad(self:
        pass

@decorator
def fine(a, b=1):
    return 1

async def broken(x y):
    pass
"""


def outline(source: str) -> list[tuple[int, int, str]]:
    return [tuple(definition) for definition in find_python_definitions(source).definitions]


def test_classes_methods_and_functions_have_lines_and_signatures() -> None:
    assert outline(SOURCE) == [
        (3, 0, "class A(B, metaclass=M)"),
        (7, 1, "def x(self, a: int=1, *rest: str, **more) -> dict[str, int]"),
        (9, 1, "class Inner"),
        (10, 2, "async def y(self)"),
        (14, 0, "def z()"),
        (17, 0, "def q()"),
    ]
    assert find_python_definitions(SOURCE).is_whole


def test_a_broken_file_gives_what_parses_and_lines() -> None:
    assert [(line, depth, text.partition(":")[0]) for line, depth, text in outline(BROKEN)] == [
        (1, 0, "class A"),
        (2, 1, "def ok(self)"),
        (3, 1, "def bad(self"),
        (7, 0, "def fine(a, b=1)"),
        (10, 0, "async def broken(x y)"),
    ]
    assert not find_python_definitions(BROKEN).is_whole


@pytest.mark.parametrize("broken", ["", "def c(: pass\n"])
@pytest.mark.parametrize(
    "before",
    [
        "\f\n",
        "x = 1\n\f",
        "# a\x0bb\n",
        "# a\x1cb\x1d\x1e\n",
        "# a\x85\n",
        "'\u2028\u2029'\n",
        "#\r#\r\n",
    ],
)
def test_lines_are_counted_as_python_does(before: str, broken: str) -> None:
    source = f"{before}def a(): pass\n\f\ndef b(): pass\n{broken}"
    count = len(before.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    assert [line for line, *_ in outline(source)][:2] == [count, count + 2]
    assert find_python_definitions(source).is_whole == (not broken)


@pytest.mark.parametrize(
    "source",
    [
        "import os\ndef a(): 1\n",
        "def a(): 1\n",
        "\n\ndef a(): 1",
        "class A:\r\n x = 1",
        "def a(:\n",
    ],
)
def test_byte_order_mark_changes_nothing(source: str) -> None:
    assert find_python_definitions("\ufeff" + source) == find_python_definitions(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f(a=" + "(" * 5_000,
        "def f(a=" + "-" * 20_000 + "1): 1",
        "x = '\\d'\n",
        "\0def f(): 1",
    ],
)
def test_hostile_files_end_without_an_error(source: str) -> None:
    find_python_definitions(source)


@given(st.text(st.sampled_from("def class@():\n\t x\udcff\0"), max_size=60))
def test_any_text_can_be_read(source: str) -> None:
    python_definitions = find_python_definitions(source)
    assert [definition.line for definition in python_definitions.definitions] == sorted(
        definition.line for definition in python_definitions.definitions
    )
