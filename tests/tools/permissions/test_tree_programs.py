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
        ("7z a x.7z . -xr!private -mx=9", "a x.7z . --exclude=private"),
        ("7z a -xr!p/* x.7z .", "a --exclude=p x.7z ."),
        ("7z a x.7z . -xr!p -ir!k", "a x.7z . --exclude=p --include=*"),
        ("7z a x.7z @list", "a x.7z --include=* ."),
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
        ("zip -r x.zip . -x './private/*'", True),
        ("7z a x.7z . -xr!private", True),
        ("7z a x.7z . -xr!private -ir!key.txt", False),
        ("7z a x.7z . -x!private", False),
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
        ("rg -T txt x", False),
        ("rg --type-not=md x", True),
        ("rg -T unknown x", True),
        ("grep -r --include='*.{py,txt}' x .", False),
        ("fd -t f md", False),
        ("fd -t f tes", True),
        ("fd -t f '^notes'", True),
        (r"fd -t f '\.md$'", False),
        ("fd -t f 'n.*s'", True),
        ("fd -t f -g '*.md'", False),
        ("fd md", True),
        ("fd -t f -p md", True),
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


@pytest.mark.parametrize(
    ("line", "depth"),
    [
        ("rg x", None),
        ("rg --max-depth 1 x", 1),
        ("rg --maxdepth=2 x", 2),
        ("rg -d 3 x", 3),
        ("fd -d 1", 1),
        ("fd --exact-depth 2", 2),
        ("rg --max-depth 1 --maxdepth 4 x", 4),
        ("grep -r x .", None),
    ],
)
def test_options_that_limit_the_depth(line: str, depth: int | None) -> None:
    name, *arguments = line.split()
    program = PROGRAMS[name]
    assert program.find_depth(program.flags.parse(name, arguments)) == depth
