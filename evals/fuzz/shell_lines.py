"""Command lines nobody would write: from pieces of the shell's grammar, and from the corpora."""

import random
from collections.abc import Sequence
from pathlib import Path

import tree_sitter_bash
from command_lines import TABLES, cases
from hypothesis import strategies as st
from tree_sitter import Language

_WORDS = r"""
ls cat echo rm -rf / a b -l README.md sub .env * ? [ab] {a,b} ~ $HOME $x ${x} "$x" 'q r' "s t" $'\n'
$'\\' $' \; \  '' "" = A=1 x=$y x=~ 1 2 -- . .. @ % ! -n + , : ^ # {} } { ] [ é 中 😀 -s2
"""
_JOINTS = r"""
; && || | |& & ;; ;& ( ) { } ! > < >> << <<< <<- >& <& &> >| <> <&- 2>&- 2>&1 2>/dev/null >/dev/null
$( ) ` <( >( (( )) [[ ]] ' " \ # if then else fi for in do done while until case esac function
coproc time select [ ] $ ${ = == =~ != += @( ?( !( EOF 'EOF'
"""
_SIMPLE = ["a", "b", "ls", "x", "y", "-f", "--x=1", "'q r'", '"s t"', "=", "1"]
WORDS = _WORDS.split()
JOINTS = [*_JOINTS.split(), "\n", "\t", "\r", "\x0b", "\x0c", "\\\n", "\xa0", "\u3000"]

_pieces = st.sampled_from([*WORDS, *JOINTS, "rm -rf /", "\nEOF\n", "cat <<EOF\n", "cd sub"])
_spaced = st.tuples(_pieces, st.sampled_from([" ", " ", "", "\n"])).map("".join)
lines = st.lists(_spaced, max_size=12).map("".join)


def any_line(source: random.Random) -> str:
    """A line of one of three kinds: a wild one, a nearly sane one, or nearly one of the corpora."""
    kind = source.randrange(3)
    if kind == 2:
        return mutated(source)
    parts = [(WORDS, 6), (JOINTS, 2), (_SIGNS, 1)] if kind else [(_SIMPLE, 6), (_SIGNS, 3)]
    return _composed(source, parts)


def mutated(source: random.Random) -> str:
    """A line of the corpora with something inserted, lost, doubled, or of another line."""
    line = source.choice(_LINES)
    for _ in range(source.randint(1, 3)):
        at = source.randint(0, len(line))
        to = min(len(line), at + source.randint(0, 4))
        line = source.choice(
            [
                line[:at] + source.choice([*WORDS, *JOINTS, " "]) + line[at:],
                line[:at] + line[to:],
                line[:to] + line[at:],
                line[:at] + source.choice(_LINES)[at:],
                f"{line} {source.choice(JOINTS)} {source.choice(_LINES)}",
            ]
        )
    return line


def _composed(source: random.Random, parts: Sequence[tuple[Sequence[str], int]]) -> str:
    kinds = source.choices([one for one, _ in parts], [often for _, often in parts], k=10)
    pieces = (source.choice(kind) + source.choice(["", " ", " "]) for kind in kinds)
    return "".join(list(pieces)[: source.randint(1, 10)])


def _signs() -> list[str]:
    """Whatever is a sign or a word of its own to the grammar."""
    grammar = Language(tree_sitter_bash.language())
    every = range(grammar.node_kind_count)
    kinds = {grammar.node_kind_for_id(at) for at in every if not grammar.node_kind_is_named(at)}
    return sorted(kind for kind in kinds if kind and "_" not in kind)


_SIGNS = _signs()
_LINES = [case.line for table in TABLES for case in cases(Path(table))]
