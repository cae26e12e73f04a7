"""Growing text is saved now and then, and when its writer is stopped."""

import asyncio
from threading import Event

import pytest

from maxagent.tools.process import autosave as autosave_module
from maxagent.tools.process.autosave import autosave


async def test_text_that_grows_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave_module, "INTERVAL", 0.0)
    text, saved, done = list[str](), list[str](), Event()

    def save(so_far: str) -> None:
        saved.append(so_far)
        done.set()

    async with autosave(lambda: "".join(text), save) as grown:
        for letter in "abc":
            text.append(letter)
            done.clear()
            grown()
            assert await asyncio.to_thread(done.wait, 60)
    assert saved == ["a", "ab", "abc"]


async def test_growing_text_is_saved_once_per_interval() -> None:
    saved, first = list[int](), Event()
    sizes = [0]

    def save(so_far: str) -> None:
        saved.append(len(so_far))
        first.set()

    async with autosave(lambda: "x" * sizes[-1], save) as grown:
        for size in range(1, 1_001):
            sizes.append(size)
            grown()
        assert await asyncio.to_thread(first.wait, 60)
        grown()
    assert saved == [1_000]


async def test_what_is_over_at_once_is_never_saved() -> None:
    saved = list[str]()
    async with autosave(lambda: "all", saved.append) as grown:
        grown()
    assert saved == []


async def test_who_is_stopped_has_saved_all() -> None:
    saved, inside = list[str](), asyncio.Event()

    async def write() -> None:
        async with autosave(lambda: "all of it", saved.append) as grown:
            grown()
            inside.set()
            await asyncio.Event().wait()

    writing = asyncio.ensure_future(write())
    await inside.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert saved == ["all of it"]


class SlowSaves:
    """Saves of which the first waits until it is released."""

    def __init__(self) -> None:
        self.begun, self.released, self.saved = Event(), Event(), list[str]()

    def save(self, text: str) -> None:
        if not self.begun.is_set():
            self.begun.set()
            assert self.released.wait(60)
        self.saved.append(text)


class RunEnded(Exception):
    """How a block of the table ends."""


ENDS: dict[str, tuple[type[BaseException] | None, str, str]] = {
    "cancelled": (asyncio.CancelledError, "one two", "one two"),
    "cancelled before more came": (asyncio.CancelledError, "one", "one"),
    "failed": (RunEnded, "one two", "one"),
    "over": (None, "one two", "one"),
    "over without more": (None, "one", "one"),
}


@pytest.mark.parametrize("case", ENDS)
async def test_a_slow_save_does_not_end_last(case: str) -> None:
    error, text, expected = ENDS[case]
    slow, written = SlowSaves(), ["one"]

    async def write() -> None:
        async with autosave(lambda: written[-1], slow.save) as grown:
            grown()
            assert await asyncio.to_thread(slow.begun.wait, 60)
            written.append(text)
            asyncio.get_running_loop().call_later(0.01, slow.released.set)
            if error:
                raise error

    await asyncio.gather(asyncio.ensure_future(write()), return_exceptions=True)
    count = len(slow.saved)
    assert slow.saved[-1] == expected
    await asyncio.get_running_loop().shutdown_default_executor()
    assert len(slow.saved) == count
