import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.nodes.architect import extract_plan, parse_plan_steps, run_architect

PLAN = """The parser is too large.

1. **Split** `src/parser.py:10-40`: the lexer goes to `src/lexer.py`
   - keep the names
   - no new behaviour

2) Adapt the imports
   in `src/app.py`

What must not break:
1. the public API
"""


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("SMALL\nlook at a.py", ""),
        ("**SMALL**: look at a.py", ""),
        ("SMALL", ""),
        ("Smaller steps first.", "Smaller steps first."),
        ("The cause is small.\n1. …", "The cause is small.\n1. …"),
        ("", ""),
    ],
)
def test_a_small_task_has_no_plan(text, plan):
    assert extract_plan(text) == plan


async def test_new_request_on_ended_thread_resets_proof():
    ended = {"request": "next", "folder": "/", "outcome": "verified", "kept": True, "rounds": 2}
    command = await run_architect(ended, runtime=None)
    process = {**ended, **command.update}
    assert command.goto == "architect"
    assert not any(process[name] for name in ("outcome", "kept", "accepted", "evidence", "rounds"))
    assert [message.text for message in process["messages"]] == ["next"]


def test_numbered_steps_become_todos() -> None:
    todos = parse_plan_steps(PLAN)
    output = [(todo["id"], todo["content"], todo["file_path"], todo["details"]) for todo in todos]
    split = "Split `src/parser.py:10-40`: the lexer goes to `src/lexer.py`"
    assert output == [
        ("1", split, "src/parser.py", "- keep the names\n- no new behaviour"),
        ("2", "Adapt the imports", "src/app.py", "in `src/app.py`"),
    ]
    assert {todo["status"] for todo in todos} == {"pending"}


@pytest.mark.parametrize(
    "plan",
    ["", "Just do it.", "1. one step", "- a\n- b", "\n".join(f"{n}. x" for n in range(1, 20))],
)
def test_other_plans_have_no_todos(plan: str) -> None:
    assert parse_plan_steps(plan) == []


def test_a_second_list_is_not_a_step() -> None:
    todos = parse_plan_steps("1. a\n2. b\n## Tests\n1. c\n2. d")
    assert [todo["content"] for todo in todos] == ["a", "b"]


@given(st.text(alphabet="1.) -*`a/\n", max_size=80))
def test_any_plan_is_read(plan: str) -> None:
    assert len(parse_plan_steps(plan)) <= 12
