import pytest

from maxagent.nodes.turn.user_question import has_question


@pytest.mark.parametrize(
    "answer",
    [
        "Which of the two do you prefer?",
        "The plan is ready.\n\n**Shall I begin?**",
        "Which database?\n\n- SQLite\n- Postgres\n- none",
        "I stopped here. Should I go on (y/n)? Nothing is changed yet.",
        "要我继续吗？",
        "可以开始了吗",
        "测试写好了。请确认是否删除旧文件。",
        "¿Sigo con el segundo paso?",
        "هل أتابع؟",
        "Two ways are possible. Please tell me which one to take.",
        "Let me know which of them is right.",
        "I am waiting for your approval before the migration.",
        'It says "done". Is that what you wanted?"',
        "Veux-tu que je continue ?",
        "1. Keep the name\n2. Change it\n\nPlease choose.",
    ],
)
def test_answer_that_asks_the_user_is_recognized(answer: str) -> None:
    assert has_question(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "All done.",
        "",
        "I wrote `a ? b : c` instead of the branch.",
        "It was the route `/items?page=2`; see https://example.com/a?b=c.",
        "```ts\nlet name: string? // why?\n```\nThe type is optional now.",
        "## What changed?\n\nThe parser reads both forms.",
        "> Can you repair it?\n\nIt is repaired.",
        "Let me know if something breaks.",
        "Why did it fail? " + "\n".join(f"Reason {n}." for n in range(20)),
        "The function asks for your name and prints it.",
    ],
)
def test_answer_that_reports_asks_nothing(answer: str) -> None:
    assert not has_question(answer)
