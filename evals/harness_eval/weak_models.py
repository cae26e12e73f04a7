"""Thirty scripted models, each weak in its own way: what a coder answers, turn by turn."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from repositories import Repository

Answer = Mapping[str, Any]
Model = Callable[[Repository], Sequence[Answer]]
"""The answers of the coder; after the last one it says that it is done."""
DONE = {"text": "Done."}


def call(*calls: tuple[str, object], **more: object) -> Answer:
    """Return an answer with these calls."""
    return {"tool_calls": [{"name": name, "args": args} for name, args in calls], **more}


def read(repository: Repository) -> tuple[str, object]:
    """Return a call that reads the faulty file."""
    return ("read_file", {"file_path": repository.path})


def edit(repository: Repository, **changes: object) -> tuple[str, object]:
    """Return a call that repairs it, with some arguments changed."""
    args = {"file_path": repository.path, "old_string": repository.old}
    return ("edit", {**args, "new_string": repository.new, **changes})


def write(repository: Repository, new: str) -> tuple[str, object]:
    """Return a call that writes the whole file."""
    content = repository.files[repository.path].replace(repository.old, new)
    return ("write_file", {"file_path": repository.path, "content": content})


def leak(name: str, **args: str) -> str:
    """Return a call as the markup of a model whose server does not parse it."""
    parameters = "".join(f"<parameter={key}>{value}</parameter>" for key, value in args.items())
    return f"<function={name}>{parameters}</function>"


def _give_bare_json(r: Repository) -> Sequence[Answer]:
    return [{"text": json.dumps({"name": "read_file", "arguments": read(r)[1]})}, call(edit(r))]


MODELS: Mapping[str, Model] = {
    "able": lambda r: [call(read(r)), call(edit(r)), DONE],
    "repeats each call": lambda r: [
        call(read(r)),
        call(read(r)),
        call(edit(r)),
        call(edit(r)),
        DONE,
    ],
    "reads in circles": lambda r: [*[call(read(r))] * 5, call(edit(r)), DONE],
    "forgets to read": lambda r: [call(edit(r)), call(read(r)), call(edit(r)), DONE],
    "forgets what it read": lambda r: [
        call(read(r)),
        call(("glob", {"pattern": "*"})),
        call(read(r)),
        call(edit(r)),
        DONE,
    ],
    "misnames the tools of others": lambda r: [
        call(("Read", read(r)[1])),
        call(("str_replace", edit(r)[1])),
        call(edit(r)),
        DONE,
    ],
    "invents a tool": lambda r: [
        call(("open_editor", {"file": r.path})),
        call(read(r)),
        call(edit(r)),
        DONE,
    ],
    "misnames arguments": lambda r: [
        call(("read_file", {"path": r.path})),
        call(("edit", {"path": r.path, "old": r.old, "new": r.new})),
        call(edit(r)),
        DONE,
    ],
    "invents arguments": lambda r: [
        call(("read_file", {"file_path": r.path, "colour": "red"})),
        call(read(r)),
        call(edit(r)),
        DONE,
    ],
    "forgets arguments": lambda r: [
        call(read(r)),
        call(("edit", {"file_path": r.path})),
        call(edit(r)),
        DONE,
    ],
    "sends text for numbers": lambda r: [
        call(("read_file", {"file_path": r.path, "start_line": "1", "end_line": "200"})),
        call(edit(r)),
        DONE,
    ],
    "sends arguments as text": lambda r: [
        call(("read_file", json.dumps(read(r)[1]))),
        call(edit(r)),
        DONE,
    ],
    "breaks its JSON": lambda r: [
        call(("read_file", '{"file_path": "')),
        call(read(r)),
        call(edit(r)),
        DONE,
    ],
    "leaks markup": lambda r: [
        {"text": leak("read_file", file_path=r.path)},
        call(read(r)),
        call(edit(r)),
        DONE,
    ],
    "writes a call as JSON": lambda r: [*_give_bare_json(r), call(read(r)), call(edit(r)), DONE],
    "leaks its thoughts": lambda r: [
        {**call(read(r)), "text": "<think>I look first.</think>"},
        call(edit(r)),
        DONE,
    ],
    "answers with nothing": lambda r: [{"text": ""}, call(read(r)), call(edit(r)), DONE],
    "stops in the middle": lambda r: [
        call(read(r)),
        {"text": "I have read it and will", "finish_reason": "length"},
        call(edit(r)),
        DONE,
    ],
    "names absolute paths of another machine": lambda r: [
        call(("read_file", {"file_path": f"/workspace/{r.path}"})),
        call(read(r)),
        call(edit(r)),
        DONE,
    ],
    "names paths with dots": lambda r: [
        call(("read_file", {"file_path": f"./{r.path}"})),
        call(edit(r, file_path=f"./{r.path}")),
        DONE,
    ],
    "quotes line numbers": lambda r: [
        call(read(r)),
        call(edit(r, old_string=f"     1\u2192{r.old}")),
        call(edit(r)),
        DONE,
    ],
    "quotes what is not there": lambda r: [
        call(read(r)),
        call(edit(r, old_string="no such line")),
        call(edit(r)),
        DONE,
    ],
    "quotes with other blanks": lambda r: [
        call(read(r)),
        call(edit(r, old_string=f" {r.old} ")),
        call(edit(r)),
        DONE,
    ],
    "writes whole files": lambda r: [call(read(r)), call(write(r, r.new)), DONE],
    "uses the shell for all": lambda r: [
        call(("run_command", {"command": f"cat {r.path}"})),
        call(read(r)),
        call(write(r, r.new)),
        DONE,
    ],
    "does all at once": lambda r: [call(read(r), edit(r)), DONE],
    "needs a second try": lambda r: [
        call(read(r)),
        call(edit(r, new_string=r.wrong)),
        DONE,
        call(read(r)),
        call(write(r, r.new)),
        DONE,
    ],
    "ignores failing tests": lambda r: [
        call(read(r)),
        call(edit(r, new_string=r.wrong)),
        *[DONE] * 9,
    ],
    "claims to be done": lambda r: [{"text": "I have repaired it, and all tests pass."}] * 9,
    "only talks": lambda r: [{"text": f"You should change {r.old} to {r.new}."}] * 9,
}
NEVER_RIGHT = frozenset({"ignores failing tests", "claims to be done", "only talks"})
"""Models that repair nothing: a run with one of them is right if it ends `failed`."""
TAKEN_BACK = frozenset({"reads in circles"})
"""Models whose conversation goes back to a point before, which changes what is sent on purpose."""
