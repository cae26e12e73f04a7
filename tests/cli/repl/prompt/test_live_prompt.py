"""What the prompt paints, on the screen of a terminal that is only in memory."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pyte
from prompt_toolkit.completion import DummyCompleter
from prompt_toolkit.data_structures import Size
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from maxagent.cli.repl.prompt.layout import PromptState
from maxagent.cli.repl.prompt.live_prompt import LivePrompt, read_typeahead
from maxagent.cli.repl.prompt.paste_placeholder import Pastes

ROWS = 18
RULE = "─" * 40
EMPTY = ["", RULE, "› Type what to do, or / for commands", RULE, "status"]


class Glass:
    """The far side of an output: 40 columns, 14 rows."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self._screen = pyte.Screen(40, ROWS)
        self._stream = pyte.Stream(self._screen)

    def write(self, text: str) -> None:
        self._stream.feed(text)

    def flush(self) -> None:
        pass

    @property
    def rows(self) -> list[str]:
        rows = [row.rstrip() for row in self._screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows


@asynccontextmanager
async def painted(prompt_state: PromptState) -> AsyncIterator[tuple[LivePrompt, Glass]]:
    glass, usable = Glass(), asyncio.Event()
    there: Any = glass
    output = Vt100_Output(
        there, lambda: Size(rows=ROWS, columns=40), term="xterm", enable_cpr=False
    )
    nobody: Any = None
    with create_pipe_input() as keys:
        prompt = LivePrompt(
            nobody,
            Pastes(),
            prompt_state,
            DummyCompleter(),
            InMemoryHistory(),
            input=keys,
            output=output,
        )
        running = asyncio.ensure_future(prompt.run(usable.set))
        await usable.wait()
        yield prompt, glass
        prompt.close()
        await running


async def until(glass: Glass, rows: list[str]) -> None:
    try:
        async with asyncio.timeout(20):
            while glass.rows != rows:
                await asyncio.sleep(0.005)
    except TimeoutError:
        assert glass.rows == rows


def around(**arguments: Any) -> PromptState:
    output = {"waiting": tuple, "busy": str, "status": lambda columns: "status", **arguments}
    return PromptState(is_plan=lambda: False, **output)


async def test_lines_print_above_once_and_tail_is_replaced() -> None:
    async with painted(around()) as (prompt, glass):
        await until(glass, EMPTY)
        prompt.show_tail("half")
        await until(glass, ["half", *EMPTY])
        prompt.show_tail("half a line")
        prompt.print_above("a whole line\n")
        await until(glass, ["a whole line", "half a line", *EMPTY])
        prompt.print_above("another\n")
        prompt.print_above("and one more\n")
        prompt.show_tail("")
        await until(glass, ["a whole line", "another", "and one more", *EMPTY])
        prompt.show_tail("one\ntwo")
        await until(glass, ["a whole line", "another", "and one more", "one", "two", *EMPTY])
        prompt.show_tail("")
    assert glass.rows == ["a whole line", "another", "and one more"]


async def test_waiting_lines_and_activity_surround_the_line() -> None:
    lines = ("next\none", "then")
    output = around(waiting=lambda: lines, busy=lambda: "working 3 s")
    async with painted(output) as (prompt, glass):
        above = ["queued: next one", "queued: then", "working 3 s"]
        prompt.give_back("你好\nyou")
        await until(
            glass,
            ["", *above, RULE, "› 你好", "  you", RULE, "status"],
        )
        prompt.give_back("before")
        await until(
            glass,
            ["", *above, RULE, "› before", "  你好", "  you", RULE, "status"],
        )


async def test_a_question_stands_in_the_prompts_place() -> None:
    async with painted(around()) as (prompt, glass):
        prompt.print_above("before\n")

        def question() -> list[str]:
            return glass.rows

        assert await prompt.ask_question(question) == ["before"]
        await until(glass, ["before", *EMPTY])


def test_buffered_lines_are_read_without_waiting() -> None:
    far, keys = os.openpty()
    assert read_typeahead(keys) == []
    os.write(far, "repair it, 你好\rand then\rbegun".encode())
    assert read_typeahead(keys) == ["repair it, 你好", "and then"]
    for end in (far, keys):
        os.close(end)


def test_what_is_no_terminal_is_left_alone() -> None:
    near, far = os.pipe()
    os.write(far, b"line\n")
    assert read_typeahead(near) == [] and os.read(near, 9) == b"line\n"
    for end in (near, far):
        os.close(end)
