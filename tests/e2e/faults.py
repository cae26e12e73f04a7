"""What a server and a model can do wrong, and what is to come of it: one table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from program import KEY

Answer = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """Answers that come in place of a good one, which follows when they are used up."""

    name: str
    answers: Sequence[Answer]
    told: str
    """Words of what the user, or for a wrong call the model, is told of it."""
    code: int = 0
    """The exit code with which the run ends; 0: it does not."""
    retries: int | None = None
    """How often a request may be repeated; None: as configured by default."""
    writes: Sequence[str] = field(default=())
    """The lines that its own calls write all the same."""


def says(name: str) -> Answer:
    """A good answer: it calls a command that writes a line."""
    return {"text": f"Now {name}.", "tool_calls": [_writing(name)]}


def _writing(name: str, **call: str) -> Answer:
    return {"name": "run_command", "args": {"command": f"echo {name} >> log.txt"}, **call}


def _refusal(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    body = {"error": {"message": message, "type": "some_error", "code": code}}
    return {"status": status, "headers": headers, "body": body}


def _calls(*deltas: Answer) -> Answer:
    """Tool calls as raw deltas, one in each event."""
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]} for delta in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return {"sse": [f"data: {json.dumps(chunk)}\n" for chunk in (*chunks, end)]}


def _function(name: str) -> Answer:
    call = _writing(name)
    return {"function": {"name": call["name"], "arguments": json.dumps(call["args"])}}


def _unfinished(delta: Answer) -> Answer:
    """The first delta of an answer, and the end of the stream: no reason, no count of tokens."""
    chunk = {"choices": [{"index": 0, "delta": delta}]}
    return {"sse": [f"data: {json.dumps(chunk)}\n", "data: [DONE]\n"]}


_HALF_OF_ARGUMENTS = {
    "tool_calls": [
        {"index": 0, "id": "c", "function": {"name": "run_command", "arguments": '{"command": "ec'}}
    ]
}
HTML = "<html><head><title>503 Back soon</title></head><body><h1>Sorry</h1></body></html>"
HALF = {"text": "Half of an answer, and", "portion": 4}
HALF_A_CALL = {**says("half"), "portion": 4}
ERROR_EVENT = {"error": {"message": "the upstream is busy", "code": 503}}

REPEATED = [
    Fault("too-many", [_refusal(429, "slow down", **{"Retry-After": "1"})], "429: slow down"),
    Fault("too-many-ms", [_refusal(429, "slow", **{"Retry-After-Ms": "700"})], "429: slow"),
    Fault("too-many-silent", [{"status": 429}], "answered 429"),
    Fault("broken-server", [{"status": 500, "body": "oops"}], "500: oops"),
    Fault("html-page", [{"status": 503, "body": HTML}], "503 Back soon"),
    Fault("twice", [{"status": 502}, {"status": 529}], "answered 5"),
    Fault("cut-text", [{**HALF, "cut_after": 3}], "broke off"),
    Fault("cut-at-once", [{**HALF, "cut_after": 0}], "broke off"),
    Fault("cut-call", [{**HALF_A_CALL, "cut_after": 9}], "broke off"),
    Fault("unfinished-text", [_unfinished({"content": "Half of"})], "without a finish reason"),
    Fault("unfinished-call", [_unfinished(_HALF_OF_ARGUMENTS)], "without a finish reason"),
    Fault("broken-event", [{"sse": ['data: {"choices": [{"de', ""]}], "broken JSON"),
    Fault("error-event", [{"sse": [f"data: {json.dumps(ERROR_EVENT)}", ""]}], "upstream is busy"),
    Fault("reset", [{"reset": True}], "broke off"),
    Fault("nothing", [{}], "sent an empty answer"),
    Fault("blanks", [{"text": " \n "}], "sent an empty answer"),
    Fault("only-thinking", [{"thinking": "hm", "text": ""}], "sent an empty answer"),
]
"""The very same request is made again."""

BROKEN = {"name": "run_command", "args": '{"command": "echo broken >> log.txt'}
ALIEN = {"name": "launch_rocket", "args": {"to": "the moon"}}
HUGE = {"name": "list_files", "args": {"path": ".", "max_results": 10**40}}
NUL = {"name": "grep", "args": {"regex": "a\0b", "path": "log.txt\0"}}
DEEP = {"name": "todowrite", "args": '{"todos": ' + "[" * 5000 + "]" * 5000 + "}"}
WRONG = {"name": "run_command", "args": {"command": ["echo"], "colour": "red"}}

ANSWERED = [
    Fault("broken-json", [{"tool_calls": [BROKEN]}], "not valid JSON"),
    Fault(
        "cut-arguments", [{"tool_calls": [BROKEN], "finish_reason": "length"}], "cut at its token"
    ),
    Fault("no-object", [{"tool_calls": [{**BROKEN, "args": "[1]"}]}], "not a JSON object"),
    Fault("deep", [{"tool_calls": [DEEP]}], "nested too deeply"),
    Fault("unknown-tool", [{"tool_calls": [ALIEN]}], "There is no tool `launch_rocket`"),
    Fault("no-name", [{"tool_calls": [{**ALIEN, "name": ""}]}], "There is no tool `unknown`"),
    Fault("wrong-arguments", [{"tool_calls": [WRONG]}], "no argument `colour`"),
    Fault(
        "good-and-bad",
        [{"tool_calls": [_writing("good-one"), BROKEN, ALIEN]}],
        "not valid JSON",
        writes=["good-one"],
    ),
]
"""The model is told what was wrong with its call, and goes on."""

ACCEPTED = [
    Fault("huge-integer", [{"tool_calls": [HUGE]}], ""),
    Fault("nul", [{"tool_calls": [NUL]}], ""),
    Fault(
        "no-ids",
        [{"tool_calls": [_writing("no-id-1", id=""), _writing("no-id-2", id="")]}],
        "",
        writes=["no-id-1", "no-id-2"],
    ),
    Fault(
        "same-ids",
        [{"tool_calls": [_writing("same-1", id="x"), _writing("same-2", id="x")]}],
        "",
        writes=["same-1", "same-2"],
    ),
    Fault(
        "no-index",
        [_calls({"id": "a", **_function("index-1")}, {"id": "b", **_function("index-2")})],
        "",
        writes=["index-1", "index-2"],
    ),
    Fault(
        "neither",
        [_calls(_function("neither-1"), _function("neither-2"))],
        "",
        writes=["neither-1", "neither-2"],
    ),
    Fault(
        "one-index",
        [_calls({"index": 0, "id": "a", **_function("zero-1")},
                {"index": 0, "id": "b", **_function("zero-2")})],
        "",
        writes=["zero-1", "zero-2"],
    ),
    Fault("unstreamed", [{**says("whole"), "streamed": False}], "", writes=["whole"]),
]  # fmt: skip
"""Odd, but what is meant is clear."""

TOO_LONG = "This model's maximum context length is 8192 tokens. However, you requested 9000"
ENDING = [
    Fault("bad-key", [_refusal(401, f"Incorrect API key provided: {KEY}")], "answered 401", 1),
    Fault("forbidden", [{"status": 403, "body": HTML}], "answered 403", 1),
    Fault("no-model", [_refusal(404, "The model `served` does not exist")], "does not exist", 1),
    Fault("bad-request", [_refusal(400, "Invalid `tools[0]`")], "400: Invalid", 1),
    Fault("still-broken", [{"status": 500, "body": f"oops {KEY}"}] * 2, "500: oops", 1, retries=1),
    Fault("still-cut", [{**HALF_A_CALL, "cut_after": 9}] * 2, "broke off", 1, retries=1),
    Fault("still-empty", [{}], "sent an empty answer", 1, retries=0),
    Fault("no-room", [{"text": "", "finish_reason": "length"}], "used up its answer's tokens", 1),
    Fault("filtered", [{"text": "", "finish_reason": "content_filter"}], "content filter", 1),
    Fault("sign-in", [{"status": 200, "headers": {"Content-Type": "text/html"}, "body": HTML}],
          "a web page", 1),
    Fault("too-long", [_refusal(400, TOO_LONG, "context_length_exceeded")], "8192 tokens", 3),
    Fault("too-long-glm", [{"status": 400, "body": {"error": {"code": "1261", "message": "超长"}}}],
          "超长", 3),
    Fault("too-long-large", [{"status": 413, "body": HTML}], "answered 413", 3),
]  # fmt: skip
"""The run ends in words; the thread goes on when the server has come to its senses."""
