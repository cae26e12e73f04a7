"""Assembler of encoded messages to turns that alternate, with marks for the cache (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..http.json_encoding import encode_json
from .message_blocks import Block, EncodedMessage, Role

MARK = b',"cache_control":{"type":"ephemeral"}}'
LOST = "No result: the call was interrupted."


@dataclass
class Turn:
    """One message as the protocol knows it: everything that one side says at once."""

    role: Role
    blocks: list[Block] = field(default_factory=list[Block])


@dataclass(frozen=True)
class TurnHistory:
    """A whole history."""

    system: list[Block]
    turns: list[Turn]


def build_turns(messages: Sequence[EncodedMessage], *, thinking: bool) -> TurnHistory:
    """Merge messages of one side; each call gets its result at once, and only once."""
    system, turns = list[Block](), list[Turn]()
    for message in messages:
        blocks = message.blocks if thinking else message.without_thinking
        if message.role == "system" and not turns:
            system.extend(blocks)
        elif blocks:
            role: Role = "assistant" if message.role == "assistant" else "user"
            if not turns or turns[-1].role != role:
                _answer_calls(turns)
                turns.append(Turn(role))
            turns[-1].blocks.extend(blocks)
    if turns and turns[-1].role == "assistant" and _list_calls(turns[-1]):
        turns.append(Turn("user"))
    _answer_calls(turns)
    return TurnHistory(system, [turn for turn in turns if turn.blocks])


def starts_with_thinking(turns: Sequence[Turn]) -> bool:
    """Return whether the open tool loop began with thinking; also if there is no open loop."""
    first: Turn | None = None
    for turn in reversed(turns):
        if turn.role == "assistant":
            first = turn
        elif not any(block.kind == "result" for block in turn.blocks):
            break
    return first is None or first.blocks[0].kind == "thinking"


def encode_system(conversation: TurnHistory) -> bytes:
    """Return the system blocks as JSON, with a mark at their end."""
    blocks = [block.data for block in conversation.system]
    if blocks:
        blocks[-1] = add_mark(blocks[-1])
    return b",".join(blocks)


def encode_turns(turns: Sequence[Turn]) -> bytes:
    """Return the turns as JSON.

    Two marks: at the last block, which the next request reads back to, and before the newest
    message of the user, where rewinds and forks begin. They move on, so a request repeats the one
    before it byte for byte, but for the marks; servers leave the marks out of what they compare.
    """
    marked = {len(turns) - 1, _find_last_human_turn(turns) - 1}
    return b",".join(_encode_turn(turn, mark=i in marked) for i, turn in enumerate(turns))


def add_mark(encoded: bytes) -> bytes:
    """Return the JSON object with a mark: the prefix up to here is worth keeping."""
    return encoded[:-1] + MARK


def _encode_turn(turn: Turn, *, mark: bool) -> bytes:
    blocks = [block.data for block in turn.blocks]
    # a mark at a thinking block is refused
    places = [i for i, block in enumerate(turn.blocks) if block.kind != "thinking"] if mark else []
    if places:
        blocks[places[-1]] = add_mark(blocks[places[-1]])
    return b'{"role":"%s","content":[%s]}' % (turn.role.encode(), b",".join(blocks))


def _find_last_human_turn(turns: Sequence[Turn]) -> int:
    for index in range(len(turns) - 1, -1, -1):
        if turns[index].role == "user" and turns[index].blocks[0].kind != "result":
            return index
    return 0


def _answer_calls(turns: list[Turn]) -> None:
    """Put the results of the last turn first, in the order of their calls, and add missing ones."""
    if not turns or turns[-1].role != "user":
        return
    calls = _list_calls(turns[-2]) if len(turns) > 1 else []
    blocks = turns[-1].blocks
    results = {block.call_id: block for block in blocks if block.kind == "result"}
    if calls or results:
        rest = [block for block in blocks if block.kind != "result"]
        answers = [results.get(call_id) or _build_missing_result(call_id) for call_id in calls]
        turns[-1].blocks = [*answers, *rest]


def _list_calls(turn: Turn) -> list[str]:
    return [block.call_id for block in turn.blocks if block.kind == "call"]


def _build_missing_result(call_id: str) -> Block:
    fields = {"type": "tool_result", "tool_use_id": call_id, "content": LOST, "is_error": True}
    return Block("result", encode_json(fields), call_id)
