"""What the pictures show: programs, what their models answer, and what a user types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


def call(name: str, **args: object) -> dict[str, object]:
    """A tool call of the script."""
    return {"name": name, "args": args}


def say(text: str, *calls: dict[str, object]) -> dict[str, object]:
    """A turn of the script."""
    return {"text": text, "tool_calls": list(calls)}


Act = tuple[Literal["type", "wait", "ask", "rest", "end", "note", "draw"], str]
"""Keys to press, a text or an open question to wait for, or a picture's name.

`rest` waits until nothing is written, `end` for the program's end.

`note` remembers a text that is seen: later scripts have it instead of `NOTED`.
"""
Script = dict[str, list[dict[str, object]]]


@dataclass(frozen=True)
class Scene:
    """One window, from its first key to its last picture."""

    command: Sequence[str]
    script: Script
    acts: Sequence[Act]


ANSWER = """The discount was **cut**, not rounded.

| price | before | now |
|---|---|---|
| 0.99 | 0.90 | 0.89 |

`shop/prices.py` is repaired; see https://docs.python.org/3/library/functions.html#round.
"""
TODOS = [
    {"id": "1", "content": "Repair the discount", "status": "in_progress", "priority": "high"},
    {"id": "2", "content": "Run the tests", "status": "pending", "priority": "high"},
]
DONE_TODOS = [{**todo, "status": "completed"} for todo in TODOS]
CONVERSATION = [
    say(
        "I look at the prices.",
        call("read_file", path="shop/prices.py"),
        call("read_file", path="tests/test_prices.py"),
    ),
    say("", call("todowrite", action="create", todos=TODOS)),
    say("", call("run_command", command="python3 -m pytest -q")),
    say("", call("todowrite", action="create", todos=DONE_TODOS)),
    say(ANSWER),
]
STEPS = [say(f"Now step {n}.", call("grep", regex=f"price{n}", path="shop")) for n in range(60)]
READ = call("read_file", path="shop/prices.py")
REPAIR = call(
    "edit",
    file_path="shop/prices.py",
    old_string="    return sum(discounted(price, percent) for price in prices)",
    new_string="    return discounted(sum(prices), percent)",
)
LOOKS_AROUND = [
    {"agent_type": "explore", "task": "Find who calls discounted."},
    {"agent_type": "explore", "task": "Find the tests of the shop."},
]
DONE = call("attempt_completion", result="The discount is taken from the sum.")
TASK: Script = {
    "architect": [say("SMALL: take the discount from the sum, in shop/prices.py.")],
    "coder": [say("", READ), say("", REPAIR), say("", DONE)],
    "tester": [say("ACCEPTED\nThe discount is taken from the sum, as the docstring says.")],
}
PLAN = """1. Round half up in `discounted`.
2. Add a test for 0.99 at 10 %.
3. Run the tests."""
CHAT = ("chat", "--trust", "--mode", "ask")
TASK_COMMAND = ("task", "Take the discount from the sum", "--trust", "--mode", "auto")
SCENES = (
    Scene(
        CHAT,
        {"build": CONVERSATION},
        [
            ("wait", "›"),
            ("type", "Why is the discount wrong?\r"),
            ("ask", ""),
            ("draw", "2-approval"),
            ("type", "1"),
            ("wait", "#round"),
            ("rest", ""),
            ("draw", "3-answer"),
            ("type", "/context\r"),
            ("wait", "128,000"),
            ("draw", "4-context"),
        ],
    ),
    Scene(
        ("chat", "--trust", "--mode", "auto"),
        {"build": [*STEPS, *[say("Nothing uses them.")] * 3]},
        [
            ("wait", "›"),
            ("type", "Who uses the sixty prices?\r"),
            ("wait", "Nothing uses them."),
            ("rest", ""),
            ("draw", "5-sixty-steps"),
            ("type", "/compact\r"),
            ("wait", "→"),
            ("rest", ""),
            ("draw", "9-compaction"),
        ],
    ),
    Scene(
        CHAT,
        {"build": [say("I look.", READ), say("I repair it.", REPAIR), say("It is repaired now.")]},
        [
            ("wait", "›"),
            ("type", "Take the discount from the sum.\r"),
            ("ask", ""),
            ("draw", "6-edit"),
            ("type", "1"),
            ("wait", "repaired now."),
            ("rest", ""),
            ("type", "/diff\r"),
            ("rest", ""),
            ("draw", "7-diff"),
        ],
    ),
    Scene(
        CHAT,
        {
            "build": [
                say("Two look.", call("subagent", tasks=LOOKS_AROUND)),
                say("Both are back."),
            ],
            "explore": [
                say("", call("grep", regex="discounted", path=".")),
                say("shop/prices.py calls it, in `total`."),
            ],
        },
        [
            ("wait", "›"),
            ("type", "Who calls it?\r"),
            ("wait", "Both are back."),
            ("rest", ""),
            ("draw", "8-subagents"),
        ],
    ),
    Scene(
        ("chat", "--plan", "--trust"),
        {"plan": [say("Half up, or half to even?")], "build": []},
        [
            ("wait", "›"),
            ("type", "Plan the rounding.\r"),
            ("wait", "to even?"),
            ("note", r"\.llc/plans/[\w-]+\.md"),
            ("rest", ""),
        ],
    ),
    Scene(
        ("chat", "--continue"),
        {
            "plan": [
                say("Half up, or half to even?"),
                say("I plan.", call("write_file", path="NOTED", content=PLAN)),
                say("This is the plan.", call("plan_exit")),
            ],
            "build": [],
        },
        [("wait", "›"), ("type", "Half up.\r"), ("ask", ""), ("draw", "10-plan")],
    ),
    Scene([*TASK_COMMAND, "--apply"], TASK, [("end", ""), ("draw", "11-task")]),
    Scene(
        [*TASK_COMMAND, "--best-of", "2"],
        TASK,
        [("ask", ""), ("draw", "12-best-of")],
    ),
    Scene([*TASK_COMMAND, "--max-turns", "1"], TASK, [("end", ""), ("draw", "13-limit")]),
    Scene(("chat", "Why?", "--model", "openai/gpt-4o"), {}, [("end", ""), ("draw", "14-error")]),
    Scene(
        ("chat", "--resume"),
        {},
        [("wait", "Who calls it?"), ("draw", "15-picker")],
    ),
)
