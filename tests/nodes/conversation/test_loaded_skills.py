from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from maxagent.nodes.conversation.loaded_skills import (
    SKILLS,
    choose_kept_skills,
    describe_omitted_skills,
    find_loaded_skills,
)
from maxagent.nodes.conversation.view import build_view

WINDOW = 100_000


def load(name: str, number: int, digest: str = "1", size: int = 100) -> ToolMessage:
    marks = {SKILLS: {name: digest}}
    text = f"<skill {name}>" + "word " * size
    return ToolMessage(text, tool_call_id="c", id=f"m{number}", additional_kwargs=marks)


def say(number: int) -> HumanMessage:
    return HumanMessage("hello", id=f"m{number}")


def cut(upto: str, skills: list[str]) -> dict[str, object]:
    return {
        "id": f"{upto}{skills}", "upto": upto, "summary": "Earlier.", "kept": [], "request": "",
        "references": {}, "pruned": [], "skills": skills, "made_by": "x", "before": 9, "after": 1,
        "scale": 1.0, "step": 1,
    }  # fmt: skip


def test_hidden_skills_stay_and_later_ones_are_not_doubled() -> None:
    messages: list[AnyMessage] = [load("a", 1), load("b", 2), say(3), load("a", 4)]
    skills = choose_kept_skills(messages, "m3", WINDOW, 1.0)
    assert (skills.messages, skills.left_out) == (("m2",), ())
    assert choose_kept_skills(messages, "nothing", WINDOW, 1.0).messages == ()


def test_newest_skills_stay_where_room_is_short() -> None:
    messages: list[AnyMessage] = [load("a", 1), load("b", 2, size=9_000), load("c", 3), say(4)]
    skills = choose_kept_skills(messages, "m4", 10_000, 1.0)
    assert (skills.messages, skills.left_out) == (("m1", "m3"), ("b",))
    assert describe_omitted_skills(skills).endswith(
        "for want of room: `b`. get_skill loads one again."
    )


def test_skill_loaded_twice_stays_once_in_its_last_form() -> None:
    messages: list[AnyMessage] = [load("a", 1), load("a", 2, "2"), say(3)]
    assert choose_kept_skills(messages, "m3", WINDOW, 1.0).messages == ("m2",)
    assert find_loaded_skills(messages) == {"a": "2"}


def test_view_after_a_cut_has_the_bodies_and_their_marks() -> None:
    messages: list[AnyMessage] = [load("a", 1), load("b", 2), say(3), say(4)]
    view = build_view(messages, cut("m3", ["m1", "m2"]))  # type: ignore[arg-type]
    summary, skills, last = view
    assert "Earlier." in summary.text and last.id == "m4"
    assert "<skill a>" in skills.text and "<skill b>" in skills.text
    assert find_loaded_skills(view) == {"a": "1", "b": "1"}
