from pathlib import Path

import pytest

from maxagent.tools.process.output_capture import (
    ON_DISK,
    OutputRecorder,
    get_output_path,
    make_output_id,
)


def test_a_short_output_needs_no_file(tmp_path: Path) -> None:
    recording = OutputRecorder(tmp_path, "call_1")
    recording.add(b"one\n")
    recording.add(b"two\n")
    recording.close()
    assert (recording.to_text(), recording.stored_id) == ("one\ntwo\n", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [1, 700, 100_000])
def test_long_output_is_whole_on_disk(size: int, tmp_path: Path) -> None:
    data = b"".join(b"line %d\n" % number for number in range(10_000))
    recording = OutputRecorder(tmp_path / "outputs", "call_1")
    for start in range(0, len(data), size):
        recording.add(data[start : start + size])
    recording.close()
    file = get_output_path(tmp_path / "outputs", recording.stored_id)
    assert (file.read_bytes() == data, recording.size) == (True, len(data))
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    text = recording.to_text()
    assert text.startswith("line 0\n") and text.endswith("line 9999\n")
    assert 'cut; to read them: command_output(id="call_1") …]\n' in text
    assert len(text) < 17_000


def test_the_file_is_bounded_and_says_so(tmp_path: Path) -> None:
    recording = OutputRecorder(tmp_path, "call_1")
    for _ in range(ON_DISK // 1_000_000 + 3):
        recording.add(b"x" * 1_000_000)
    recording.close()
    assert get_output_path(tmp_path, "call_1").stat().st_size == ON_DISK
    assert "(the first 50,000,000 bytes are kept)" in recording.to_text()


def test_unwritable_folder_loses_only_the_middle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    recording = OutputRecorder(tmp_path / "file", "call_1")
    recording.add(b"a\n" * 20_000)
    recording.add(b"end\n")
    recording.close()
    assert recording.stored_id == ""
    assert "cut; the output could not be saved: " in recording.to_text()
    assert recording.to_text().endswith("a\nend\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_costs_only_the_middle(tmp_path: Path) -> None:
    get_output_path(tmp_path, "call_1").symlink_to("/dev/full")
    recording = OutputRecorder(tmp_path, "call_1")
    for _ in range(10):
        recording.add(b"a\n" * 20_000)
    recording.close()
    assert "the output could not be saved: No space left on device" in recording.to_text()


@pytest.mark.parametrize(
    ("call_id", "identity"),
    [
        ("call_a-1", "call_a-1"),
        ("../../etc/x", "______etc_x"),
        ("é.b", "__b"),
        ("a" * 300, "a" * 100),
    ],
)
def test_an_id_is_a_safe_file_name(call_id: str, identity: str) -> None:
    assert make_output_id(call_id) == identity
