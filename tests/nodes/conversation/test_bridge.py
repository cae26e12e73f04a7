import pytest
from conversations import Builder, conversations
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AnyMessage

from maxagent.nodes.conversation.bridge import IN_BACKGROUND, build_bridge
from maxagent.nodes.conversation.token_estimate import estimate_text


def work(language: str) -> list[AnyMessage]:
    """A task with a constraint in its third request, a file changed and a failing test."""
    chinese = language == "zh"
    builder = Builder("plain")
    builder.ask("给购物车加上折扣。" if chinese else "Add discounts to the cart.")
    builder.answer("", [("read_file", "cart.py", "code\n" * 300)], thinks=False)
    builder.answer("完成。" if chinese else "Done.", [], thinks=False)
    builder.ask("还有税。" if chinese else "And taxes.")
    builder.answer("完成了税。" if chinese else "Taxes are in.", [], thinks=False)
    builder.ask("价格不要用浮点数。" if chinese else "Never store prices as floats.")
    for turn in range(40):
        builder.answer("", [("write_file", f"part{turn}.py", "written")], thinks=False)
        builder.answer("", [("run_command", f"step {turn}", "ok\n" * 50)], thinks=False)
    failure = "Error: exit code 1\n\nFAILED test_cart.py::test_total - assert 3 == 4"
    builder.answer("", [("run_command", "pytest -q", failure)], thinks=False)
    return builder.messages


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Add discounts to the cart.", "Never store prices as floats.", "Taxes are in."]),
        ("zh", ["给购物车加上折扣。", "价格不要用浮点数。", "完成了税。", "修改过的文件"]),
    ],
)
@pytest.mark.parametrize("tokens", [1_000, 2_000, 4_000])
def test_bridge_names_what_the_work_needs(language: str, expected: list[str], tokens: int) -> None:
    bridge = build_bridge(work(language), tokens)
    assert [text for text in expected if text not in bridge] == []
    assert "part39.py" in bridge and "cart.py" in bridge
    assert "pytest -q`: exit code 1" in bridge and "assert 3 == 4" in bridge
    assert "step 39`: exit code 0" in bridge
    assert estimate_text(bridge) <= tokens


def test_failure_that_was_mended_is_not_reported() -> None:
    messages = work("en")
    builder = Builder("plain", messages, steps=200, calls=200)
    builder.answer("", [("run_command", "pytest -q", "9 passed")], thinks=False)
    bridge = build_bridge(messages, 2_000)
    assert "assert 3 == 4" not in bridge and "pytest -q`: exit code 0" in bridge


def test_running_command_has_no_exit_code() -> None:
    builder = Builder("plain", [*work("en")], steps=200, calls=200)
    started = "Runs in the background, id: c1"
    builder.answer("", [("run_command", "npm run dev", started)], thinks=False)
    builder.messages[-1].additional_kwargs[IN_BACKGROUND] = "c1"
    bridge = build_bridge(builder.messages, 2_000)
    assert "npm run dev`: went on in the background, id: c1" in bridge


@settings(max_examples=60)
@given(conversations(), st.integers(200, 4_000))
def test_bridge_is_bounded_and_never_empty(talk: tuple[str, list[AnyMessage]], tokens: int) -> None:
    bridge = build_bridge(talk[1], tokens)
    assert bridge and estimate_text(bridge) <= tokens


def test_same_messages_give_the_same_bridge() -> None:
    assert build_bridge(work("zh"), 2_000) == build_bridge(work("zh"), 2_000)
