import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.nodes.turn.plan_steps import parse_plan_steps

PLAN = """The parser is too large.

1. **Split** `src/parser.py:10-40`: the lexer goes to `src/lexer.py`
   - keep the names
   - no new behaviour

2) Adapt the imports
   in `src/app.py`

What must not break:
1. the public API
"""


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
