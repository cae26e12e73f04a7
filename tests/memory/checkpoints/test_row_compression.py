import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.memory.checkpoints import row_compression
from maxagent.memory.checkpoints.row_compression import compress_row, expand_row

ROW = b"\x81\xa8messages\x91" + b"\xa5steps" * 40


@given(st.binary(max_size=2000).filter(lambda data: data[:1] != b"\x78" or len(data) == 1))
def test_every_row_comes_back_as_it_was(data: bytes) -> None:
    assert expand_row(compress_row(data)) == data


def test_names_of_channels_take_hardly_any_room() -> None:
    assert len(compress_row(ROW)) < len(ROW) / 8


def test_rows_on_the_disk_are_readable_for_good() -> None:
    existing = row_compression._DICTIONARIES.values()  # pyright: ignore[reportPrivateUsage]
    digests = [hashlib.sha256(dictionary).hexdigest()[:16] for dictionary in existing]
    assert digests == ["80ba646dc883cfb1", "d355f46ddca4ff22"]


def test_row_of_an_older_dictionary_is_read() -> None:
    oldest = next(iter(row_compression._DICTIONARIES.values()))  # pyright: ignore[reportPrivateUsage]
    packer = zlib.compressobj(zdict=oldest)
    assert expand_row(packer.compress(ROW) + packer.flush()) == ROW


@pytest.mark.parametrize("level", range(10))
def test_row_of_any_level_is_read(level: int) -> None:
    packer = zlib.compressobj(level, zdict=row_compression._NEWEST)  # pyright: ignore[reportPrivateUsage]
    assert expand_row(packer.compress(ROW) + packer.flush()) == ROW
    assert expand_row(zlib.compress(ROW, level)) == ROW


@pytest.mark.parametrize(
    "damage",
    [
        compress_row(ROW)[:-4],
        compress_row(ROW)[:-1],
        compress_row(ROW)[:-1] + b"?",
        compress_row(ROW)[:9],
        b"\x78\xbb\x00\x00\x00\x00" + compress_row(ROW)[6:],
        b"\x78\x9c\x00\x00",
        zlib.compress(ROW)[:9],
    ],
)
def test_a_damaged_row_is_refused(damage: bytes) -> None:
    with pytest.raises(ValueError, match="a row is damaged"):
        expand_row(damage)
