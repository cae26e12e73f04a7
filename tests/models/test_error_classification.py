"""Which failure an error answer is: the known words of every vendor."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.error_classification import (
    RequestTarget,
    classify_response,
    classify_stream_error,
)
from maxagent.models.errors import (
    AuthenticationError,
    ContentRefusedError,
    ContextOverflowError,
    InputRefusedError,
    InvalidRequestError,
    ModelCallError,
    ModelNotFoundError,
    ProviderFaultError,
    QuotaExhaustedError,
    RateLimitError,
    RequestBlockedError,
)

ASKED = RequestTarget("glm-4.6", "host:1", "mysecretkey")


def openai(message: str, code: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "type": "some_error", "code": code}})


OVERFLOWS = [
    (400, openai("whatever", "context_length_exceeded")),
    (400, openai("This model's maximum context length is 8192 tokens. However, you requested")),
    (400, openai("Your input exceeds the context window of this model")),
    (400, openai("The input (9000 tokens) is longer than the model's context length (8192")),
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
    (400, '{"message":"Input is too long for requested model."}'),
    (400, '{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081"}'),
    (422, '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097"}'),
    (400, '{"code":20015,"message":"length of prompt_tokens (9) must be less than max_seq_len"}'),
    (400, openai("Total tokens of image and text exceed max message tokens")),
    (400, openai("Request payload size exceeds the limit: 20971520 bytes.")),
    (400, '{"error":"However, the model is loaded with context length of only 4096 tokens"}'),
    (400, '{"errors":[{"message":"number of input tokens 5000 cannot exceed the limit 4096"}]}'),
    (400, openai("Prompt tokens (131500) exceeds limit (131072)")),
    (400, openai("prompt tokens", "model_max_prompt_tokens_exceeded")),
    (400, openai("Request body too large for gpt-4o model. Max size: 8000 tokens.")),
    (400, '{"error_code":336103,"error_msg":"the max length of current question is 20000"}'),
    (400, openai("输入内容超过模型最大上下文长度限制")),
]  # fmt: skip
OTHERS = [
    (401, openai("Incorrect API key provided", "invalid_api_key"), AuthenticationError),
    (403, "<html><head><title>Forbidden</title></head></html>", RequestBlockedError),
    (401, '{"detail":"Unauthorized"}', AuthenticationError),
    (402, '{"error":{"message":"Insufficient Balance"}}', QuotaExhaustedError),
    (429, openai("You exceeded your current quota", "insufficient_quota"), QuotaExhaustedError),
    (429, '{"error":{"code":"1113","message":"余额不足或无可用资源包"}}', QuotaExhaustedError),
    (429, openai("Rate limit reached for gpt-4o on tokens per min"), RateLimitError),
    (429, '{"error":{"code":"1302","message":"并发数过高"}}', RateLimitError),
    (429, "", RateLimitError),
    (404, openai("The model `x` does not exist", "model_not_found"), ModelNotFoundError),
    (404, "404 page not found", ModelNotFoundError),
    (400, '{"error":{"code":"1211","message":"模型不存在，请检查模型代码"}}', ModelNotFoundError),
    (400, openai("Model Not Exist"), ModelNotFoundError),
    (400, openai("foo is not a valid model ID"), ModelNotFoundError),
    (400, openai("Invalid model name passed in model=x. Call `/v1/models`"), ModelNotFoundError),
    (500, "Internal Server Error", ProviderFaultError),
    (503, openai("The server is overloaded"), ProviderFaultError),
    (529, '{"type":"error","error":{"type":"overloaded_error"}}', ProviderFaultError),
    (408, "", ProviderFaultError),
    (400, openai("Invalid 'tools[0].function.name'"), InvalidRequestError),
    (422, '{"detail":[{"loc":["body"],"msg":"field required"}]}', InvalidRequestError),
    (301, "", InvalidRequestError),
    (429, '{"error":{"type":"exceeded_current_quota_error","message":"Your account is suspended"}}',
     QuotaExhaustedError),
    (429, '{"error":"Your team has used all available credits"}', QuotaExhaustedError),
    (403, '{"error":"Your newly created team doesn\'t have any credits yet"}', QuotaExhaustedError),
    (429, openai("Your account is not active", "billing_not_active"), QuotaExhaustedError),
    (403, '{"code":30001,"message":"Sorry, your account balance is insufficient"}',
     QuotaExhaustedError),
    (429, '{"error":{"code":"1308","message":"已达到 5 小时的使用上限。"}}', QuotaExhaustedError),
    (429, '{"error":{"code":"1310","message":"Weekly/Monthly Limit Exhausted."}}',
     QuotaExhaustedError),
    (403, openai("You've reached your usage limit for this billing cycle."), QuotaExhaustedError),
    (403, openai("Key limit exceeded (total limit)."), QuotaExhaustedError),
    (400, openai("You have reached your specified API usage limits."), QuotaExhaustedError),
    (400, '{"error":{"message":"ExceededBudget: User over budget.","type":"budget_exceeded"}}',
     QuotaExhaustedError),
    (403, '{"error":{"message":"用户额度不足","code":"insufficient_user_quota"}}',
     QuotaExhaustedError),
    (400, openai("Throttling: requests rate limit exceeded"), RateLimitError),
    (403, '{"message":"You have exceeded a secondary rate limit."}', RateLimitError),
    (498, openai("Flex tier capacity exceeded"), ProviderFaultError),
    (400, '[{"error":{"code":400,"message":"API key expired. Please renew the API key."}}]',
     AuthenticationError),
    (400, '{"error":"Incorrect API key provided: xa***. You can obtain one"}', AuthenticationError),
    (400, openai("max_tokens is too large: 100000"), InvalidRequestError),
    (400, openai("'tools[0].function.description': string too long"), InvalidRequestError),
    (400, openai("messages.0.content.1.image: image exceeds 5 MB maximum"), InvalidRequestError),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
def test_every_vendors_words_for_too_long_are_known(status: int, body: str) -> None:
    assert type(classify_response(ASKED, status, body)) is ContextOverflowError


@pytest.mark.parametrize(("status", "body", "kind"), OTHERS)
def test_status_and_words_make_the_kind(status: int, body: str, kind: type[ModelCallError]) -> None:
    assert type(classify_response(ASKED, status, body)) is kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "slow down", "code": 429}, RateLimitError),
        ({"message": "slow down", "type": "rate_limit_error"}, RateLimitError),
        ({"message": "bad key", "type": "authentication_error"}, AuthenticationError),
        ({"message": "no", "type": "invalid_request_error"}, InvalidRequestError),
        ({"message": "prompt is too long: 9 tokens"}, ContextOverflowError),
        ({"message": "oops"}, ProviderFaultError),
        ({"code": "1234", "message": "network"}, ProviderFaultError),
        ("something broke", ProviderFaultError),
        ({"code": 502, "message": "upstream"}, ProviderFaultError),
        ({"status_code": 1004, "status_msg": "login fail"}, AuthenticationError),
        ({"status_code": 1002, "status_msg": "slow down"}, RateLimitError),
        ({"status_code": 1008, "status_msg": "insufficient balance"}, QuotaExhaustedError),
        ({"error_code": 17, "error_msg": "Open api daily request limit"}, ProviderFaultError),
        ("upstream connect error or disconnect", ProviderFaultError),
    ],
)
def test_stream_error_has_class_of_its_status(error: object, kind: type[ModelCallError]) -> None:
    failure = classify_stream_error(ASKED, error)
    assert type(failure) is kind
    assert "answered" not in failure.message


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (openai("Slow\n  down"), "Slow down"),
        ('{"error":"plain words"}', "plain words"),
        ('{"error":true,"message":"real words"}', "real words"),
        ('{"success":false,"errors":[{"code":7003,"message":"listed words"}]}', "listed words"),
        ('{"error_code":17,"error_msg":"other words"}', "other words"),
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
def test_message_names_model_host_and_quotes_provider(body: str, text: str) -> None:
    assert (
        classify_response(ASKED, 500, body).message == f"`glm-4.6` at host:1 answered 500: {text}"
    )


WINDOW = "maximum 32"


@pytest.mark.parametrize(
    ("key", "quoted"), [("x", WINDOW), ("maximum", WINDOW), ("maximum ", "…32")]
)
def test_a_short_key_is_not_searched_for(key: str, quoted: str) -> None:
    assert RequestTarget("m", "h", key).quote(WINDOW) == quoted


def test_the_quote_is_short_and_hides_every_key() -> None:
    body = openai("Incorrect key mysecretkey or sk-proj-abc***xyz, Bearer abcdef. " + "x" * 999)
    message = classify_response(ASKED, 401, body).message
    assert not any(secret in message for secret in ("mysecretkey", "sk-proj", "xyz", "abcdef"))
    assert len(message) < 350


def test_retry_after_is_kept_and_long_one_reported() -> None:
    assert classify_response(ASKED, 429, "", {"Retry-After": "3"}).retry_after == 3.0
    assert "3600 s" in classify_response(ASKED, 429, "", {"Retry-After": "3600"}).hint


@given(st.integers(300, 599), st.text() | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["error", "message", "code", "detail", "metadata", "raw"]), inner),
).map(json.dumps))  # fmt: skip
def test_no_body_makes_it_fail(status: int, body: str) -> None:
    assert isinstance(classify_response(ASKED, status, body), ModelCallError)
    assert isinstance(classify_stream_error(ASKED, body), ModelCallError)


INSPECTIONS = [
    (400, '{"code":"data_inspection_failed","message":"Input data may be inappropriate content."}'),
    (400, '{"error":{"code":"DataInspectionFailed","message":"Input text data may contain"}}'),
    (400, openai("prompt triggering Azure OpenAI's content management policy", "filter")),
    (400, openai("Content Exists Risk", "invalid_request_error")),
    (400, openai("The request was rejected because it was considered high risk")),
    (400, '{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}'),
    (400, openai("your prompt was flagged as potentially violating our usage policy")),
    (403, openai("Your chosen model requires moderation and your input was flagged")),
    (422, '{"base_resp":{"status_code":1026,"status_msg":"input new_sensitive"}}'),
    (400, '{"error":{"code":"SensitiveContentDetected","message":"the input may contain"}}'),
    (451, openai("blocked by content security")),
]  # fmt: skip
OF_ANSWERS = [
    (400, '{"code":"data_inspection_failed","message":"Output data may contain risks"}'),
    (400, '{"error":{"message":"Output blocked by content filtering policy"}}'),
    (422, '{"base_resp":{"status_code":1027,"status_msg":"output new_sensitive"}}'),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), INSPECTIONS)
def test_inspection_of_the_request_is_known(status: int, body: str) -> None:
    assert type(classify_response(ASKED, status, body)) is InputRefusedError


@pytest.mark.parametrize(("status", "body"), OF_ANSWERS)
def test_refused_answer_is_no_refused_request(status: int, body: str) -> None:
    assert type(classify_response(ASKED, status, body)) is ContentRefusedError


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("too large on tokens per min (TPM): Limit 30000, Requested 45000.", ContextOverflowError),
        ("Rate limit reached: Limit: 6,000, Requested: 7,000", ContextOverflowError),
        ("per minute: limit 12000, requested 12001, try again in 5s", ContextOverflowError),
        ("on TPM: Limit 30000, Used 20000, Requested 15000. Try again in 10s", RateLimitError),
        ("Limit 30000, Requested 20000. Try again in 10s", RateLimitError),
        ("Too many requests", RateLimitError),
    ],
)  # fmt: skip
def test_request_above_a_minutes_limit_waits_for_nothing(
    text: str, kind: type[ModelCallError]
) -> None:
    assert type(classify_response(ASKED, 429, openai(text))) is kind
