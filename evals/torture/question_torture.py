"""Type sentences across the opening of every question; none of them is consent.

    python evals/torture/question_torture.py 700 [--seed S] [--terminals 16]

Each sentence is typed twice at a terminal, at 5 to 15 keys a second: once so that the question
opens inside it, and once as an answer to the question that is there. Exit code 1: a sentence was
taken for consent, for an undo, for trust or for a rule, or an answer in words was not a no with
these words.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

VICTIM = Path(__file__).with_name("question_victim.py")
READY = "↑↓"
"""A part of the row below the choices, which is drawn last."""
PATIENCE = 60
"""Seconds after which what is not shown will never be."""
KINDS = (
    *("call", "edit", "outside", "several", "review", "pull request", "plan", "plan mode"),
    *("dearer model", "form", "page", "options", "confirm", "unfinished", "trust", "commit"),
)
UNHEARD = {
    "confirm",
    "unfinished",
    "trust",
    "commit",
    "pull request",
    "dearer model",
    "form",
    "page",
}
"""Kinds whose no has no room for words: nobody would read them."""
STARTS = (
    *("yes but", "yet", "you forgot that", "y is wrong,", "try", "then", "there", "to be safe"),
    *("a better way:", "actually", "always", "and", "also", "allow me to say that", "edit"),
    *("every time", "else", "even so,", "use", "undo is not needed,", "unless", "until then"),
    *("keep in mind that", "keep going but", "kindly", "one more thing:", "or", "ok so", "only"),
    *("quit guessing,", "quickly", "remember", "retry and", "more", "mode matters,", "my"),
    *("1 test fails,", "2 files later", "3 things:", "4 spaces,", "no wait", "not now,", "n is"),
    *("please", "why not", "wait,", "I think", "so", "let us", "it is"),
)
ENDS = (
    *("use unittest", "we keep tabs", "the tests come first", "run ruff too", "look at utils"),
    *("ask me again", "add a y axis", "take another name", "you must not push", "a e t u"),
)
PHRASES = (
    ("用", "yong"), ("也", "ye"), ("要", "yao"), ("应该", "ying gai"), ("一下", "yi xia"),
    ("他", "ta"), ("同意", "tong yi"), ("按", "an"), ("恩", "en"), ("可以", "ke yi"),
    ("先", "xian"), ("不要", "bu yao"), ("请", "qing"), ("如果", "ru guo"), ("没有", "mei you"),
    ("那么", "na me"), ("你", "ni"), ("能", "neng"), ("快", "kuai"), ("看", "kan"),
)  # fmt: skip
TAILS = (
    ("测试", "ce shi"), ("提交", "ti jiao"), ("单元测试", "dan yuan ce shi"), ("推送", "tui song"),
    ("文件", "wen jian"), ("运行", "yun xing"), ("依赖", "yi lai"), ("代码", "dai ma"),
    ("项目", "xiang mu"), ("日志", "ri zhi"),
)  # fmt: skip
BACKSPACE = "\x7f"


@dataclass(frozen=True)
class Sentence:
    """What is typed, key by key, and what then stands in the line."""

    keys: tuple[str, ...]
    text: str


def build_sentences() -> list[Sentence]:
    """500 in English, 200 in Chinese: pinyin, characters, and pinyin that they replace."""
    english = [f"{start} {end}" for start, end in product(STARTS, ENDS)][:500]
    sentences = [Sentence(tuple(text), text) for text in english]
    for at, ((one, first), (other, second)) in enumerate(product(PHRASES, TAILS)):
        pinyin, text = f"{first} {second}", f"{one}{other}"
        forms = (
            Sentence(tuple(pinyin), pinyin),
            Sentence((one, other, "吧"), f"{text}吧"),
            Sentence((*pinyin, *[BACKSPACE] * len(pinyin), one, other, "吧"), f"{text}吧"),
        )
        sentences.append(forms[at % 3])
    return sentences


class Victim:
    """A process with a terminal of its own, in which questions open."""

    def __init__(self, keys: int, process: asyncio.subprocess.Process, kinds: int) -> None:
        self._keys, self._process, self._kinds = keys, process, kinds
        self.shown = ""
        self.answers: asyncio.StreamReader
        self.slowest = 0.0
        self._change = asyncio.Event()

    @classmethod
    async def start(cls, home: Path) -> "Victim":
        keys, terminal = os.openpty()
        read_kinds, kinds = os.pipe()
        answers, write_answers = os.pipe()
        environ = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        environ |= {"MAXAGENT_HOME": str(home), "HOME": str(home)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(VICTIM), str(read_kinds), str(write_answers)),
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environ,
            start_new_session=True,
            pass_fds=(read_kinds, write_answers),
        )
        for descriptor in (terminal, read_kinds, write_answers):
            os.close(descriptor)
        victim, loop = cls(keys, process, kinds), asyncio.get_running_loop()
        loop.add_reader(keys, victim._read)
        victim.answers = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(victim.answers)
        await loop.connect_read_pipe(lambda: protocol, os.fdopen(answers, "rb"))
        await victim.answers.readline()
        return victim

    async def stop(self) -> None:
        asyncio.get_running_loop().remove_reader(self._keys)
        os.close(self._kinds)
        self._process.kill()
        await self._process.wait()
        os.close(self._keys)

    async def ask(self, kind: str) -> "asyncio.Task[Any]":
        """Open a question; the task has its answer."""
        self.shown = ""
        os.write(self._kinds, f"{kind}\n".encode())
        return asyncio.ensure_future(self.answers.readline())

    async def see(self, words: str, answer: "asyncio.Task[Any]") -> bool:
        """Wait until the words are shown; False if the question has an answer already."""
        while words not in self.shown and not answer.done():
            self._change.clear()
            waiting = asyncio.ensure_future(self._change.wait())
            done, _ = await asyncio.wait(
                (waiting, answer), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
            )
            waiting.cancel()
            if not done:
                raise RuntimeError(f"{words!r} is not shown: {self.shown[-2000:]}")
        return not answer.done()

    async def type(self, keys: Sequence[str], speed: float) -> None:
        """Type the keys at that many a second."""
        loop = asyncio.get_running_loop()
        last = loop.time()
        for key in keys:
            await asyncio.sleep(max(last + 1 / speed - loop.time(), 0))
            self.slowest, last = max(self.slowest, loop.time() - last), loop.time()
            os.write(self._keys, key.encode())

    async def leave(self, answer: "asyncio.Task[Any]") -> Any:
        """Return the answer that comes within a second, else leave the question open."""
        await self.see("❯", answer)  # before that a slow process would not get the key below
        await asyncio.wait((answer,), timeout=1.2)
        if not answer.done():
            os.write(self._keys, b"\x03")
        if not (line := await answer):
            raise RuntimeError(f"a terminal ended: {self.shown[-2000:]}")
        return json.loads(line)

    def _read(self) -> None:
        with suppress(OSError):  # the process has ended
            self.shown += os.read(self._keys, 65_536).decode(errors="replace")
        self._change.set()


async def type_across(victim: Victim, kind: str, sentence: Sentence, dice: Random) -> Any:
    """Type a sentence, in which the question opens; return the answer."""
    at, speed = dice.randint(0, len(sentence.keys)), dice.uniform(5, 15)
    await victim.type(sentence.keys[:at], speed)
    answer = await victim.ask(kind)
    if at == len(sentence.keys) or dice.random() < 0.5:
        await victim.see("❯", answer)
    await victim.type([*sentence.keys[at:], "\r"], speed)
    return await victim.leave(answer)


async def type_after(victim: Victim, kind: str, sentence: Sentence, dice: Random) -> Any:
    """Answer the question with a sentence; return the answer."""
    answer = await victim.ask(kind)
    await victim.see(READY, answer)
    await victim.type([*sentence.keys, "\r"], dice.uniform(5, 15))
    return await victim.leave(answer)


def find_fault(kind: str, sentence: Sentence, across: Any, after: Any) -> str:
    """Return what went wrong; empty: nothing."""
    for when, answer in (("across", across), ("after", after)):
        if answer and not is_no(kind, answer):
            return f"{kind}, {when}: {sentence.text!r} was taken as {answer}"
    if kind in UNHEARD:
        return "" if kind == "unfinished" or after else f"{kind}: {sentence.text!r} got no answer"
    for when, answer in (("across", across), ("after", after)):
        words = answer["message"] if answer else sentence.text
        if " ".join(words.split()) != sentence.text:
            return f"{kind}, {when}: {sentence.text!r} came as {words!r}"
    return "" if after else f"{kind}: {sentence.text!r} got no answer"


def is_no(kind: str, answer: dict[str, Any]) -> bool:
    """Return whether the answer consents to nothing."""
    if kind in ("review", "options"):
        return answer["type"] == "respond"
    return answer["type"] == "reject" if "type" in answer else not answer["consent"]


async def play(count: int, seed: int, terminals: int) -> tuple[Counter[str], list[str], float]:
    """Type that many sentences; return how often what happened, the faults, the slowest gap."""
    dice = Random(seed)
    sentences = build_sentences()
    dice.shuffle(sentences)
    rounds = [(KINDS[at % len(KINDS)], one) for at, one in enumerate(sentences[:count])]
    counts, faults, slowest = Counter[str](), list[str](), [0.0]

    async def work(home: Path, own: Random) -> None:
        victim = await Victim.start(home)
        while rounds:
            kind, sentence = rounds.pop()
            across = await type_across(victim, kind, sentence, own)
            after = await type_after(victim, kind, sentence, own)
            counts[f"across: {'a no' if across else 'open'}"] += 1
            counts[f"after: {'a no' if after else 'open'}"] += 1
            print(".", end="", flush=True)
            if fault := find_fault(kind, sentence, across, after):
                faults.append(fault)
        slowest.append(victim.slowest)
        await victim.stop()

    with tempfile.TemporaryDirectory() as folder:
        workers = [work(Path(folder, str(at)), Random(seed + at)) for at in range(terminals)]
        await asyncio.gather(*workers)
    return counts, faults, max(slowest)


def main() -> int:
    """Type, and say what happened."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--terminals", type=int, default=16)
    given = parser.parse_args()
    counts, faults, slowest = asyncio.run(play(given.count, given.seed, given.terminals))
    for fault in faults:
        print("VIOLATED", fault)
    print(f"{given.count} sentences, slowest gap {slowest:.2f} s:", dict(sorted(counts.items())))
    print(f"{len(faults)} violated")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
