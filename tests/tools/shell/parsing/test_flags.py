import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.shell.parsing.flags import Flags, NotReadOnlyError

FLAGS = Flags.from_usage("-a -n=N -k= -P=A -w=? -NUM --all --lines=N --color=? --key=")


@pytest.mark.parametrize(
    ("arguments", "value", "operands"),
    [
        ([], {}, ()),
        (["-a", "x"], {"-a": ("",)}, ("x",)),
        (["-n", "5", "x"], {"-n": ("5",)}, ("x",)),
        (["-n5", "x"], {"-n": ("5",)}, ("x",)),
        (["-an5"], {"-a": ("",), "-n": ("5",)}, ()),
        (["-an", "-5"], {"-a": ("",), "-n": ("-5",)}, ()),
        (["-ka", "x"], {"-k": ("a",)}, ("x",)),
        (["-k", "-a"], {"-k": ("-a",)}, ()),
        (["-k", "a", "-kb"], {"-k": ("a", "b")}, ()),
        (["-P", "x"], {"-P": ("x",)}, ()),
        (["-w", "x"], {"-w": ("",)}, ("x",)),
        (["-w8"], {"-w": ("8",)}, ()),
        (["-20", "x"], {"-NUM": ("20",)}, ("x",)),
        (["--all", "x", "--lines=3"], {"--all": ("",), "--lines": ("3",)}, ("x",)),
        (["--lines", "3"], {"--lines": ("3",)}, ()),
        (["--color", "x", "--color=never"], {"--color": ("", "never")}, ("x",)),
        (["--key=a=b"], {"--key": ("a=b",)}, ()),
        (["-", "x"], {}, ("-", "x")),
        (["x", "--", "-o", "--"], {}, ("x", "-o", "--")),
    ],
)
def test_flags_and_operands_are_distinguished(
    arguments: list[str], value: dict[str, tuple[str, ...]], operands: tuple[str, ...]
) -> None:
    parsed = FLAGS.parse("p", arguments)
    assert (parsed.flag_values, parsed.operands) == (value, operands)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-o"],
        ["-ao", "x"],
        ["-oa"],
        ["-n"],
        ["-n", "x"],
        ["-nx"],
        ["-n", "../x"],
        ["-Px"],
        ["--outp=x"],
        ["--al"],
        ["--all=x"],
        ["--lines"],
        ["--lines=all"],
        ["-20f"],
        ["--=x"],
        ["-é"],
        ["x", "-o"],
    ],
)
def test_unlisted_flag_raises_with_reason(arguments: list[str]) -> None:
    with pytest.raises(NotReadOnlyError, match="`p"):
        FLAGS.parse("p", arguments)


def test_operands_after_two_dashes_are_known_as_such() -> None:
    assert FLAGS.parse("p", ["a", "--", "b"]).after_dashes == ("b",)
    assert FLAGS.parse("p", ["a", "--"]).after_dashes == ()
    assert FLAGS.parse("p", ["a"]).after_dashes is None


WORDS = st.lists(st.one_of(st.text(max_size=6), st.text("-=ankPw5xo", max_size=5)), max_size=6)


@given(WORDS)
def test_accepted_flags_are_listed_and_words_kept(words: list[str]) -> None:
    try:
        parsed = FLAGS.parse("p", words)
    except NotReadOnlyError:
        return
    assert set(parsed.flag_values) <= set(FLAGS.kinds)
    text = " ".join(words)
    assert all(value in text for values in parsed.flag_values.values() for value in values)
    dashes = words.index("--") if "--" in words and parsed.after_dashes is not None else len(words)
    assert [
        operand for operand in parsed.operands if operand.startswith("-") and operand != "-"
    ] == [word for word in words[dashes + 1 :] if word.startswith("-") and word != "-"]
