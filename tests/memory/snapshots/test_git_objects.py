import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.file_version import FILE, LINK, PROGRAM, FileVersion
from maxagent.memory.snapshots.git_objects import (
    EMPTY_TREE,
    MissingObjectError,
    collect_object_ids,
    list_tree_changes,
    read_object,
    read_tree,
    write_object,
    write_tree,
)


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path], check=True)
    return tmp_path / "objects"


def git(objects: Path, *arguments: str) -> bytes:
    command = ["git", "--git-dir", str(objects.parent), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


@pytest.mark.parametrize("content", [b"", b"x", b"\0\xff" * 70_000])
def test_git_reads_what_was_written(content: bytes, objects: Path) -> None:
    name = write_object(objects, "blob", content)
    assert git(objects, "cat-file", "blob", name) == content
    assert read_object(objects, "blob", name) == content
    assert write_object(objects, "blob", content) == name
    assert list(objects.rglob("tmp_*")) == []


def test_tree_is_readable_by_git_and_back(objects: Path) -> None:
    """Git sorts a folder as if its name ended with a slash."""
    blob = write_object(objects, "blob", b"x")
    names = ["a", "a.b", "a-b", "a0", "sub/x", "sub.x", "sub0", "sub/a/b", "ü", "l\nine"]
    files = {name.encode(): FileVersion(FILE, blob) for name in names}
    files |= {b"\xff": FileVersion(PROGRAM, blob), b"z/link": FileVersion(LINK, blob)}
    tree = write_tree(objects, files)
    part = git(objects, "ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
    entries = dict(reversed(line.split(b"\t")) for line in part)
    assert entries == {
        name: f"{version.mode} blob {version.blob}".encode() for name, version in files.items()
    }
    git(objects, "fsck", "--strict", tree)
    assert read_tree(objects, tree) == files


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@given(paths=st.sets(PATHS))
def test_every_tree_is_read_as_it_was_written(
    paths: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    objects = tmp_path_factory.mktemp("store")
    files = {
        path.encode(): FileVersion(FILE, f"{number:040x}")
        for number, path in enumerate(sorted(paths))
        if not any(other.startswith(f"{path}/") for other in paths)
    }
    assert read_tree(objects, write_tree(objects, files)) == files


def test_the_empty_tree_has_gits_name(objects: Path) -> None:
    assert write_tree(objects, {}) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_a_tree_comes_with_all_its_parts(objects: Path) -> None:
    item, two, other = (write_object(objects, "blob", text) for text in (b"1", b"2", b"3"))
    tree = write_tree(objects, {b"a": FileVersion(FILE, item), b"sub/b": FileVersion(FILE, two)})
    inner = git(objects, "rev-parse", f"{tree}:sub").decode().strip()
    assert collect_object_ids(objects, [tree, "f" * 40]) == {tree, inner, item, two, "f" * 40}
    assert collect_object_ids(objects, [other]) == {other}


def test_missing_torn_or_wrong_object_raises(objects: Path) -> None:
    blob = write_object(objects, "blob", b"x" * 100)
    with pytest.raises(MaxAgentError, match="is not a tree"):
        read_tree(objects, blob)
    with pytest.raises(MaxAgentError, match="lost a blob"):
        read_object(objects, "blob", "1" * 40)
    location = objects / blob[:2] / blob[2:]
    location.chmod(0o600)
    location.write_bytes(location.read_bytes()[:10])
    with pytest.raises(MaxAgentError, match="lost a blob"):
        read_object(objects, "blob", blob)


VERSIONS = st.sampled_from([FILE, PROGRAM, LINK]).flatmap(
    lambda mode: st.sampled_from(["1" * 40, "2" * 40]).map(lambda blob: FileVersion(mode, blob))
)
# No path is also a folder of another
TREES = st.dictionaries(PATHS, VERSIONS, max_size=8).map(
    lambda files: {
        path.encode(): version
        for path, version in files.items()
        if not any(other.startswith(f"{path}/") for other in files)
    }
)


@given(old=TREES, new=TREES)
def test_trees_differ_as_git_says(
    old: dict[bytes, FileVersion],
    new: dict[bytes, FileVersion],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = tmp_path_factory.mktemp("store")
    subprocess.run(["git", "init", "-q", "--bare", store], check=True)
    trees = [write_tree(store / "objects", files) for files in (old, new)]
    printed = git(store / "objects", "diff-tree", "-r", "--no-renames", "-z", "--no-abbrev", *trees)
    entries = printed.split(b"\0")
    expected = {
        os.fsdecode(path): tuple(fields.decode().removeprefix(":").split(" ")[:4])
        for fields, path in zip(entries[0::2], entries[1::2], strict=False)
    }
    changes = list_tree_changes(store / "objects", *trees)
    assert expected == {
        change.path: (change.old.mode, change.new.mode, change.old.blob, change.new.blob)
        for change in changes
    }
    assert [change.path for change in changes] == sorted(expected)


def test_permissions_of_a_tree_are_no_change(objects: Path) -> None:
    blob = write_object(objects, "blob", b"x")
    plain, more = (
        write_tree(objects, {b"a": FileVersion(FILE, blob), **extra})
        for extra in ({}, {b".git": FileVersion(FILE, blob)})
    )
    assert list_tree_changes(objects, plain, more) == []
    assert [c.path for c in list_tree_changes(objects, EMPTY_TREE, more)] == ["a"]


def test_lost_tree_is_said(objects: Path) -> None:
    with pytest.raises(MissingObjectError):
        list_tree_changes(objects, EMPTY_TREE, "3" * 40)
