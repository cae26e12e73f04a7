"""What models send: thinking in tags, and server-sent events, with our readers.

A case of `thinking`: `chunks`, `thinking`, `answer`. A case of `events`: `bytes` (as latin-1 writes
them) and `events`, the data of each. Each is fed as it stands, whole, and letter by letter. `ours`
and `why` as for edits. A case of `hooks`: `matcher`, `fires` and `silent`, names of our tools.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from peer_suite import DIFFERENT, SAME, UNNAMED, WRONG, Outcome, PeerSuite

from maxagent.models.chat_completions.think_tags import ThinkingSplitter
from maxagent.models.http.sse import EventDecoder
from maxagent.tools.hooks.matching import matches_tool


def play_hooks(suite: PeerSuite, folder: Path) -> Iterator[Outcome]:
    """Try each matcher with each tool."""
    for raw in suite.cases:
        for tool, fires in _list_tools(raw):
            name = f"{raw['matcher']}: {tool}"
            outcome = matches_tool(raw["matcher"], tool)
            reason = raw.get("why", {}).get(tool, "")
            if outcome == fires:
                yield Outcome(name, UNNAMED if reason else SAME, detail="no difference")
            elif reason:
                yield Outcome(name, DIFFERENT, reason)
            else:
                yield Outcome(name, WRONG, detail=f"fires: {outcome}")


def _list_tools(raw: dict[str, Any]) -> list[tuple[str, bool]]:
    fires = [(tool, True) for tool in raw.get("fires", ())]
    return fires + [(tool, False) for tool in raw.get("silent", ())]


def play_thinking(suite: PeerSuite, folder: Path) -> Iterator[Outcome]:
    """Split each answer into thinking and text."""
    for raw in suite.cases:
        whole = "".join(raw["chunks"])
        results = [_split_thinking(chunks) for chunks in (raw["chunks"], [whole], [*whole])]
        yield _compare(raw, results, ("thinking", "answer"))


def _split_thinking(chunks: Sequence[str]) -> Sequence[object]:
    splitter = ThinkingSplitter()
    parts = [*(splitter.feed(chunk) for chunk in chunks), splitter.close()]
    return ["".join(part) for part in zip(*parts, strict=True)]


def play_events(suite: PeerSuite, folder: Path) -> Iterator[Outcome]:
    """Decode each stream."""
    for raw in suite.cases:
        stream = raw["bytes"].encode("latin-1")
        letters = [stream[at : at + 1] for at in range(len(stream))]
        results = [[_decode_events(portions)] for portions in ([stream], letters)]
        yield _compare(raw, results, ("events",))


def _decode_events(portions: Sequence[bytes]) -> list[str]:
    decoder = EventDecoder()
    events = [event for portion in portions for event in decoder.feed(portion)]
    return events + decoder.close()


def _compare(
    raw: dict[str, Any], results: Sequence[Sequence[object]], keys: Sequence[str]
) -> Outcome:
    name, theirs = raw["case"], [raw[key] for key in keys]
    ours = [raw.get("ours", {}).get(key, raw[key]) for key in keys]
    if all(result == theirs for result in results):
        return Outcome(name, UNNAMED if "ours" in raw else SAME, detail="`ours` is not needed")
    if "ours" in raw and all(result == ours for result in results):
        return Outcome(name, DIFFERENT, raw["why"])
    return Outcome(name, WRONG, detail=f"{results}, not {ours}")
