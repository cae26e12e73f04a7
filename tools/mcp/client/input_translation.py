"""Questions and answers between `mcp` and us."""

from collections.abc import Mapping

from mcp import types as protocol

from ..input_request import InputAnswer, InputAnswers, InputRequest, InputRequired


def request_from_params(params: protocol.ElicitRequestParams) -> InputRequest:
    """Convert what a server asks."""
    if isinstance(params, protocol.ElicitRequestURLParams):
        return InputRequest("url", params.message, url=params.url)
    return InputRequest("form", params.message, dict(params.requested_schema))


def answer_to_result(answer: InputAnswer) -> protocol.ElicitResult:
    """Convert an answer; only an accepted one has content."""
    content = dict(answer.content) if answer.action == "accept" and answer.content else None
    return protocol.ElicitResult(action=answer.action, content=content)


def required_from_result(result: protocol.InputRequiredResult, round: int) -> InputRequired:
    """Convert the questions of a server of the new era; others than to the user are left out."""
    asked = {
        key: request_from_params(request.params)
        for key, request in (result.input_requests or {}).items()
        if isinstance(request, protocol.ElicitRequest)
    }
    return InputRequired(asked, result.request_state or "", round)


def responses_from_answers(
    answers: InputAnswers | None,
) -> Mapping[str, protocol.ElicitResult] | None:
    """Convert the answers to a server's questions."""
    if answers is None:
        return None
    return {key: answer_to_result(answer) for key, answer in answers.answers.items()}
