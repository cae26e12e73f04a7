"""A program's function that answers the questions of its runs."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace

from ...config.errors import UsageError
from ...config.text import text
from ..events import Question, list_questions
from ..interrupt_response import Answer

OnQuestion = Callable[[Question], Answer | None | Awaitable[Answer | None]]


class QuestionCallback:
    """Asks the function about each open question once; one without an answer stays open."""

    def __init__(self, callback: OnQuestion) -> None:
        self._callback = callback
        self._left_open = set[str]()
        self.has_asked = False

    async def request_answers(self, first: Question) -> list[Answer]:
        """Return the answers to the open questions of a thread."""
        self.has_asked = True
        answers = list[Answer]()
        for question in list_questions(first):
            answer = await self._request_answer(question)
            if answer:
                answers.append(answer)
            else:
                self._left_open.add(question.id)
        return answers

    async def _request_answer(self, question: Question) -> Answer | None:
        if question.id in self._left_open:
            return None
        answer = self._callback(question)
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is None:
            return None
        if not isinstance(answer, Answer):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(
                text("`on_question` returned {value}", value=repr(answer)),
                hint="return `question.allow()`, `.deny(why)`, `.answer(text)`, or None",
            )
        return replace(answer, question=answer.question or question.id)
