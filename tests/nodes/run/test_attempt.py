from maxagent.memory.threads.thread_id import build_attempt_thread_id
from maxagent.nodes.run.attempt import build_attempts

PARENT = "0c0c0c0c-0000-4000-8000-000000000000"


def test_models_begin_anew_and_cost_is_shared() -> None:
    options = {"best_of": 3, "models": ["a/x", "b/y"], "max_cost": 0.9, "mode": "edits"}
    folders = {3: "/three", 1: "/one", 2: "/two"}
    attempts = build_attempts(PARENT, "repair it", options, folders)
    assert [(attempt.number, attempt.folder, attempt.model) for attempt in attempts] == [
        (1, "/one", "a/x"),
        (2, "/two", "b/y"),
        (3, "/three", "a/x"),
    ]
    assert {round(attempt.options["max_cost"], 9) for attempt in attempts} == {0.3}
    assert all(
        attempt.options["apply"] and attempt.options["mode"] == "edits" for attempt in attempts
    )
    assert all({"best_of", "models"}.isdisjoint(attempt.options) for attempt in attempts)
    assert attempts[1].title == "attempt 2 of 3"


def test_thread_of_an_attempt_is_always_the_same() -> None:
    names = [build_attempt_thread_id(PARENT, number) for number in (1, 2, 1)]
    assert names[0] == names[2] != names[1]
    assert build_attempt_thread_id("other", 1) != names[0]
