import bz2
import gzip
import io
import lzma
import zipfile

import pytest

from maxagent.tools.git.archives import MAX_BYTES, UnreadableArchiveError, read_archive


def pack_zip(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_files_of_an_archive_are_read_with_their_names() -> None:
    inner = pack_zip(b=b"two")
    assert read_archive(pack_zip(a=b"one", c=inner)) == [
        *(b"", b"a", b"one", b"c", inner),
        *(b"", b"b", b"two"),
    ]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_content_is_read(pack: object) -> None:
    assert callable(pack)
    assert read_archive(pack(b"one")) == [b"one"]


@pytest.mark.parametrize("content", [b"", b"text", b"\x89PNG\r\n\x1a\n", b"PK\1\2"])
def test_other_content_has_no_files(content: bytes) -> None:
    assert read_archive(content) == []


ZEROS = bytes(MAX_BYTES + 1)
BOMBS = {
    "gzip": lambda: gzip.compress(ZEROS),
    "bzip2": lambda: bz2.compress(ZEROS),
    "xz": lambda: lzma.compress(ZEROS),
    "zip": lambda: pack_zip(a=ZEROS),
}
UNREADABLE = {
    "gzip in gzip in gzip in gzip": gzip.compress(
        gzip.compress(gzip.compress(gzip.compress(b"x")))
    ),
    "cut gzip": gzip.compress(b"one" * 1000)[:-9],
    "cut zip": pack_zip(a=b"one")[:-5],
    "zstd": b"\x28\xb5\x2f\xfd" + bytes(20),
    "7z": b"7z\xbc\xaf\x27\x1c" + bytes(20),
    "rar": b"Rar!" + bytes(20),
    "lzma": lzma.compress(b"one" * 99, format=lzma.FORMAT_ALONE),
    "lz4": b"\x04\x22\x4d\x18" + bytes(20),
    "compress": b"\x1f\x9d\x90" + bytes(20),
    "git pack": b"PACK\0\0\0\2" + bytes(20),
    "git bundle": b"# v2 git bundle\n" + bytes(20),
    "lzma in zip": pack_zip(a=lzma.compress(b"one" * 99, format=lzma.FORMAT_ALONE)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_is_an_error(name: str) -> None:
    with pytest.raises(UnreadableArchiveError):
        read_archive(BOMBS[name]())


@pytest.mark.parametrize("name", UNREADABLE)
def test_archive_that_is_not_read_whole_is_an_error(name: str) -> None:
    with pytest.raises(UnreadableArchiveError):
        read_archive(UNREADABLE[name])


BROTLI = b"\x0b\x02\x80one\xff\x03"


@pytest.mark.parametrize("path", ["a.br", "x/A.BR", "p.pack", "a.lzma", "a.txt.Z"])
def test_kind_without_first_bytes_is_known_by_name(path: str) -> None:
    with pytest.raises(UnreadableArchiveError):
        read_archive(BROTLI, path)
    with pytest.raises(UnreadableArchiveError):
        read_archive(pack_zip(**{path: BROTLI}))
    assert read_archive(b"text", path) == [] == read_archive(BROTLI, "a.png")
