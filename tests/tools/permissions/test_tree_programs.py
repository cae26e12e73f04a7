"""Programs that read folders: how their words are parsed, and what these leave out."""

import shlex

import pytest

from maxagent.tools.permissions.tree_filters import PatternFilter
from maxagent.tools.permissions.tree_programs import PROGRAMS, spell_out


def build_filter(line: str) -> PatternFilter:
    name, *arguments = shlex.split(line)
    program = PROGRAMS[name]
    return program.build_filter(program.flags.parse(name, spell_out(name, arguments)))


@pytest.mark.parametrize(
    ("line", "spelled"),
    [
        ("tar czf x.tgz .", "-c -z -f x.tgz ."),
        ("tar cfC x.tar src .", "-c -f x.tar -C src ."),
        ("tar -czf x.tgz .", "-czf x.tgz ."),
        ("zip -r x.zip . -x a b", "-r x.zip . -x a -x b"),
        ("zip -r x.zip -x a b @ c", "-r x.zip -x a -x b c"),
        ("zip -r x.zip . -x a -q b", "-r x.zip . -x a -q b"),
        ("grep -rn x", "-rn x"),
    ],
)
def test_words_as_their_parser_takes_them(line: str, spelled: str) -> None:
    name, *arguments = line.split()
    assert spell_out(name, arguments) == spelled.split()


@pytest.mark.parametrize(
    ("line", "skips"),
    [
        ("grep -r --exclude-dir=private x .", True),
        ("grep -r x . --exclude-dir private", True),
        ("grep -r --exclude=private x .", False),
        ("rg -g '!private' x", True),
        ("rg --iglob '!PRIVATE' x", True),
        ("rg -g private x", False),
        ("rg -g '!{private,build}' x", True),
        ("rg --type-add 'a:*.a' -g '!private' x", False),
        ("ag --ignore private x", True),
        ("ack --ignore-dir=private x", True),
        ("diff -r -x private a b", True),
        ("diff -r -x private/ a b", False),
        ("fd -E private", True),
        ("tar czf x.tgz --exclude=private .", True),
        ("tar czf x.tgz . --exclude=private", False),
        ("tar czf x.tgz --anchored --exclude=private .", False),
        ("zip -r x.zip . -x private", False),
        ("zip -r x.zip . -x 'private/*'", True),
        ("zip -r x.zip . -x 'build/*' 'private/*'", True),
        ("rsync -a --exclude=private a b", True),
        ("rsync -a --filter='- private' --exclude=private a b", False),
        ("cp -r . out", False),
    ],
)
def test_options_that_skip_a_folder(line: str, skips: bool) -> None:
    assert build_filter(line).skips_folder("private") is skips


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        ("grep -r --include='*.py' x .", False),
        ("grep -r --include='*.txt' x .", True),
        ("grep -r --exclude='*.txt' x .", False),
        ("rg -t py x", False),
        ("rg -t unknown x", True),
        ("rg -g '*.{py,js}' x", False),
        ("rg -g '*.{py,txt}' x", True),
        ("fd -e py", False),
        ("fd -e .txt", True),
        ("zip -r x.zip . -i '*.py'", False),
        ("rsync -a --include='*.py' a b", True),
        ("rsync -a --include='*.py' --exclude='*' a b", False),
    ],
)
def test_options_that_read_a_file(line: str, is_read: bool) -> None:
    assert build_filter(line).reads("docs/notes.txt") is is_read


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("grep x a", False),
        ("grep -r x a", True),
        ("grep -drecurse x a", True),
        ("grep -d skip x a", False),
        ("rg x", True),
        ("cp a b", False),
        ("cp -a a b", True),
        ("diff a b", False),
        ("zip x.zip a", False),
        ("tar cf x.tar a", True),
    ],
)
def test_options_without_which_no_folder_is_read(line: str, reads: bool) -> None:
    name, *arguments = line.split()
    program = PROGRAMS[name]
    assert program.reads_folders(program.flags.parse(name, spell_out(name, arguments))) is reads
