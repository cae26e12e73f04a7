import pytest

from maxagent import UsageError
from maxagent.nodes.messages.steering import SteeringQueue


@pytest.fixture
def queue() -> SteeringQueue:
    queue = SteeringQueue()
    queue.begin_run("thread")
    return queue


def read_texts(queue: SteeringQueue) -> list[str]:
    return [message.text for message in queue.take_unsent()]


def test_messages_are_taken_once_in_their_order(queue: SteeringQueue) -> None:
    first, second = queue.put("one"), queue.put("two")
    assert queue.take("another thread") == []
    assert [message.id for message in queue.take("thread")] == [first, second]
    assert (queue.take("thread"), queue.has_unconfirmed("thread")) == ([], True)


def test_message_is_taken_back_until_it_is_read(queue: SteeringQueue) -> None:
    retained, message_id = queue.put("kept"), queue.put("changed my mind")
    assert (queue.take_back(message_id), queue.take_back(message_id)) == (True, False)
    queue.take("thread")
    assert not queue.take_back(retained)


def test_message_in_the_thread_is_confirmed_once(queue: SteeringQueue) -> None:
    first, _ = queue.put("one"), queue.put("two")
    queue.take("thread")
    confirmed = [[message.text for message in queue.confirm({first})] for _ in range(2)]
    queue.end_run("thread", {first})
    assert (confirmed, read_texts(queue)) == ([["one"], []], ["two"])


def test_only_what_the_thread_lacks_waits_again(queue: SteeringQueue) -> None:
    first, _ = queue.put("one"), queue.put("two")
    queue.take("thread")
    queue.put("three")
    queue.end_run("thread", {first})
    assert (read_texts(queue), read_texts(queue), queue.has_unconfirmed("thread")) == (
        ["two", "three"],
        [],
        False,
    )


@pytest.mark.parametrize("queue", [SteeringQueue()])
def test_without_a_run_nothing_is_accepted(queue: SteeringQueue) -> None:
    with pytest.raises(UsageError, match="no turn is running"):
        queue.put("anyone?")
    queue.begin_run("thread")
    queue.end_run("thread", ())
    with pytest.raises(UsageError):
        queue.put("anyone?")
