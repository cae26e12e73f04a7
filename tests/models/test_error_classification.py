"""Which failure an error answer is: the known words of every vendor."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.error_classification import Asked, refusal, refusal_in_stream
from maxagent.models.errors import (
    AuthenticationFailed,
    ContextOverflow,
    InvalidRequest,
    ModelFailure,
    ModelNotFound,
    ProviderFault,
    QuotaExhausted,
    RateLimited,
)

ASKED = Asked("glm-4.6", "host:1", "mysecretkey")


def openai(message: str, code: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "some_error", "code": code}})


OVERFLOWS = [
    (400, openai("whatever", "context_length_exceeded")),
    (400, openai("This model's maximum context length is 8192 tokens. However, you requested")),
    (400, openai("Your input exceeds the context window of this model")),
    (400, openai("Input tokens exceed the configured limit of 272000 tokens")),
    (400, '{"error":{"code":"1261","message":"Prompt exceeds max length"}}'),
    (400, '{"error":{"code":"1261","message":"Prompt 超长"}}'),
    (400, openai("Range of input length should be [1, 129024]", "invalid_parameter_error")),
    (400, '{"code":"InvalidParameter","message":"Input length should be [1, 30720]"}'),
    (400, '{"object":"error","message":"The decoder prompt (length 5) is longer than the maximum '
     'model length of 4","type":"BadRequestError","code":400}'),
    (400, openai("litellm.ContextWindowExceededError: litellm.BadRequestError: prompt")),
    (400, '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long:'
     ' 210000 tokens > 200000 maximum"}}'),
    (413, '{"type":"error","error":{"type":"request_too_large","message":"too large"}}'),
    (413, "<html><title>413 Request Entity Too Large</title></html>"),
    (400, openai("context window exceeds limit (2013)")),
    (500, '{"error":{"message":"the request exceeds the available context size","type":'
     '"exceed_context_size_error"}}'),
    (400, '[{"error":{"code":400,"message":"The input token count (9) exceeds the maximum"}}]'),
]  # fmt: skip
OTHERS = [
    (401, openai("Incorrect API key provided", "invalid_api_key"), AuthenticationFailed),
    (403, "<html><head><title>Forbidden</title></head></html>", AuthenticationFailed),
    (401, '{"detail":"Unauthorized"}', AuthenticationFailed),
    (402, '{"error":{"message":"Insufficient Balance"}}', QuotaExhausted),
    (429, openai("You exceeded your current quota", "insufficient_quota"), QuotaExhausted),
    (429, '{"error":{"code":"1113","message":"余额不足或无可用资源包"}}', QuotaExhausted),
    (429, openai("Rate limit reached for gpt-4o on tokens per min"), RateLimited),
    (429, '{"error":{"code":"1302","message":"并发数过高"}}', RateLimited),
    (429, "", RateLimited),
    (404, openai("The model `x` does not exist", "model_not_found"), ModelNotFound),
    (404, "404 page not found", ModelNotFound),
    (400, '{"error":{"code":"1211","message":"模型不存在，请检查模型代码"}}', ModelNotFound),
    (400, openai("Model Not Exist"), ModelNotFound),
    (400, openai("foo is not a valid model ID"), ModelNotFound),
    (400, openai("Invalid model name passed in model=x. Call `/v1/models`"), ModelNotFound),
    (500, "Internal Server Error", ProviderFault),
    (503, openai("The server is overloaded"), ProviderFault),
    (529, '{"type":"error","error":{"type":"overloaded_error"}}', ProviderFault),
    (408, "", ProviderFault),
    (400, openai("Invalid 'tools[0].function.name'"), InvalidRequest),
    (422, '{"detail":[{"loc":["body"],"msg":"field required"}]}', InvalidRequest),
    (301, "", InvalidRequest),
]


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
def test_every_vendors_words_for_too_long_are_known(status: int, body: str) -> None:
    assert type(refusal(ASKED, status, body)) is ContextOverflow


@pytest.mark.parametrize(("status", "body", "kind"), OTHERS)
def test_status_and_words_make_the_kind(status: int, body: str, kind: type[ModelFailure]) -> None:
    assert type(refusal(ASKED, status, body)) is kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "slow down", "code": 429}, RateLimited),
        ({"message": "slow down", "type": "rate_limit_error"}, RateLimited),
        ({"message": "bad key", "type": "authentication_error"}, AuthenticationFailed),
        ({"message": "no", "type": "invalid_request_error"}, InvalidRequest),
        ({"message": "prompt is too long: 9 tokens"}, ContextOverflow),
        ({"message": "oops"}, ProviderFault),
        ({"code": "1234", "message": "network"}, ProviderFault),
        ("something broke", ProviderFault),
        ({"code": 502, "message": "upstream"}, ProviderFault),
    ],
)
def test_an_error_inside_a_stream_has_the_kind_its_status_would_give(
    error: object, kind: type[ModelFailure]
) -> None:
    failure = refusal_in_stream(ASKED, error)
    assert type(failure) is kind
    assert "answered" not in failure.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (openai("Slow\n  down"), "Slow down"),
        ('{"error":"plain words"}', "plain words"),
        ('{"base_resp":{"status_code":1039,"status_msg":"limit"}}', "limit"),
        ('{"error":{"message":"Provider returned error","metadata":{"raw":"upstream said no"}}}',
         "Provider returned error (upstream said no)"),
        ("<html><head><title>502 Bad Gateway</title></head><body>x</body>", "502 Bad Gateway"),
        ("<p>Down for <b>maintenance</b></p>", "Down for maintenance"),
        ('{"weird":1}', '{"weird": 1}'),
        ("[]", "[]"),
        ("null", "None"),
    ],
)  # fmt: skip
def test_the_message_names_model_and_host_and_quotes_the_provider(body: str, words: str) -> None:
    assert refusal(ASKED, 500, body).message == f"`glm-4.6` at host:1 answered 500: {words}"


WINDOW = "maximum 32"


@pytest.mark.parametrize(
    ("key", "quoted"), [("x", WINDOW), ("maximum", WINDOW), ("maximum ", "…32")]
)
def test_a_short_key_is_not_searched_for(key: str, quoted: str) -> None:
    assert Asked("m", "h", key).quote(WINDOW) == quoted


def test_the_quote_is_short_and_hides_every_key() -> None:
    body = openai("Incorrect key mysecretkey or sk-proj-abc***xyz, Bearer abcdef. " + "x" * 999)
    message = refusal(ASKED, 401, body).message
    assert not any(secret in message for secret in ("mysecretkey", "sk-proj", "xyz", "abcdef"))
    assert len(message) < 350


def test_the_wish_to_wait_is_kept_and_a_long_one_is_said() -> None:
    assert refusal(ASKED, 429, "", {"Retry-After": "3"}).retry_after == 3.0
    assert "3600 s" in refusal(ASKED, 429, "", {"Retry-After": "3600"}).hint


@given(st.integers(300, 599), st.text() | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["error", "message", "code", "detail", "metadata", "raw"]), inner),
).map(json.dumps))  # fmt: skip
def test_no_body_makes_it_fail(status: int, body: str) -> None:
    assert isinstance(refusal(ASKED, status, body), ModelFailure)
    assert isinstance(refusal_in_stream(ASKED, body), ModelFailure)
