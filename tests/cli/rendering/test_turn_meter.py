from maxagent.cli.rendering.turn_meter import TurnMeter
from maxagent.sdk import events as ev

STARTED = ev.RunStarted("t", "title", "/p", "m", "ask", False)
QUESTION = ev.Question("t", "i", "approval", [], [])


def usage(cost: float | None) -> ev.TokenUsage:
    result = dict(input=100, output=20, cached=50, cost=cost)
    return ev.TokenUsage(9, 900, 90, 0, None, 100, 1000, result)


def meter_after(*events: ev.Event) -> TurnMeter:
    ticks = iter(range(100))
    meter = TurnMeter(lambda: float(next(ticks)))
    for event in events:
        meter.count_event(event)
    return meter


def test_a_turn_counts_its_own_requests_alone() -> None:
    meter = meter_after(STARTED, usage(0.5), usage(0.25), ev.Interrupted("t"))
    assert meter.format_summary() == "1.0 s · 200 tokens in (50% cached), 40 out · $0.7500"


def test_waiting_for_the_user_takes_no_time() -> None:
    meter = meter_after(STARTED, usage(None), QUESTION, STARTED, ev.Failure("", "", 1))
    assert meter.format_summary() == "2.0 s · 100 tokens in (50% cached), 20 out"


def test_a_few_words_end_a_turn_at_a_terminal() -> None:
    assert meter_after(STARTED, usage(0.25), ev.Failure("", "", 1)).format_brief() == (
        "1 s · 10% of the context · $0.25"
    )
    assert meter_after(usage(None)).format_brief() == "1 s · 10% of the context"


def test_nothing_is_reported_without_a_request() -> None:
    assert meter_after(STARTED, ev.Interrupted("t")).format_summary() == ""


def test_attempts_count_with_the_task() -> None:
    used = dict(requests=7, input=100, output=20, cached=50, cost=0.5)
    meter = meter_after(STARTED, ev.AttemptsCompared([], used), usage(0.25), ev.Interrupted("t"))
    assert meter.format_summary() == "1.0 s · 200 tokens in (50% cached), 40 out · $0.7500"
