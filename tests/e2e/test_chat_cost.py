"""What a conversation takes of the machine: nothing while it waits, little for each chunk."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_window import ChatWindow
from provider import Provider

# Seconds without a key; a program that polls ten times a second takes more than the ticks below
IDLE_SECONDS = 3
# Seconds between two checks whether the program still writes
REST = 0.5
MAX_IDLE_SHARE = 0.01
CHUNKS, CHUNK = 1_000, "word "
# A picture of the answer's end, of the prompt, or of both
PICTURE = "\x1b[?25l"
# Characters that are written for each one of the answer; 10 were measured, 125 pictures
MAX_BYTES = 40


@pytest.fixture
def window(tmp_path: Path) -> Iterator[ChatWindow]:
    with Provider() as provider, ChatWindow(tmp_path, provider, "en").open("--trust") as window:
        yield window


def measure_cpu(pid: int) -> float:
    """Return the seconds of the processor that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("columns", [120, 80, 40])
@pytest.mark.parametrize("pause", [0, 0.002])
def test_streamed_chunks_cost_few_pictures(window: ChatWindow, columns: int, pause: float) -> None:
    window.terminal.resize(columns, 24)
    lines = [CHUNK * 5 + f"end{number}\n\n" for number in range(CHUNKS // 6)]
    text = "".join(lines)
    window.answers({"text": text, "portion": len(CHUNK), "pause": pause})
    window.rest()
    start = len(window.terminal.shown)

    window.say("stream", until=f"end{len(lines) - 1}")

    written = window.terminal.shown[start:]
    assert written.count(PICTURE) <= CHUNKS / 2
    assert len(written) <= MAX_BYTES * len(text)


def test_waiting_prompt_takes_no_cpu(window: ChatWindow) -> None:
    window.answers({"text": "Done."})
    window.say("hello", until="Done.")
    while window.terminal.reads_within(REST):
        continue
    before = measure_cpu(window.terminal.pid)
    assert not window.terminal.reads_within(IDLE_SECONDS)
    assert measure_cpu(window.terminal.pid) - before <= MAX_IDLE_SHARE * IDLE_SECONDS
