import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.shell.parsing.flags import Flags, NotReadOnlyError

FLAGS = Flags.from_usage("-a -n=N -k= -P=A -w=? -NUM --all --lines=N --color=? --key=")


@pytest.mark.parametrize(
    ("words", "given", "operands"),
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
def test_flags_and_operands_are_told_apart(
    words: list[str], given: dict[str, tuple[str, ...]], operands: tuple[str, ...]
) -> None:
    parsed = FLAGS.parse("p", words)
    assert (parsed.flag_values, parsed.operands) == (given, operands)


@pytest.mark.parametrize(
    "words",
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
def test_unlisted_flag_raises_with_reason(words: list[str]) -> None:
    with pytest.raises(NotReadOnlyError, match="`p"):
        FLAGS.parse("p", words)


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
    shown = " ".join(words)
    assert all(value in shown for values in parsed.flag_values.values() for value in values)
    dashes = words.index("--") if "--" in words and parsed.after_dashes is not None else len(words)
    assert [one for one in parsed.operands if one.startswith("-") and one != "-"] == [
        one for one in words[dashes + 1 :] if one.startswith("-") and one != "-"
    ]
