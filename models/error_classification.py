"""Classification of an endpoint's error answers, and the provider's own message (pure)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..config.security.redaction import redact
from ..config.security.secrets.known_values import MIN_SECRET_LENGTH
from ..config.text import text
from .blocked_requests import find_block
from .errors import (
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
from .retry import MAX_REQUESTED_DELAY_SECONDS, find_requested_wait

# Characters of the provider's own message to quote
MAX_QUOTE_LENGTH = 300

OVERFLOW = re.compile(
    "|".join(
        (
            "context_length_exceeded",  # OpenAI and those who copy it, as code
            "maximum context length",  # OpenAI, DeepSeek, vLLM, OpenRouter, Mistral
            "maximum (model|prompt) length",  # vLLM; xAI
            "longer than the (maximum model|model.s context length)",  # vLLM; SGLang
            "context window",  # OpenAI Responses, MiniMax, LiteLLM
            "contextwindowexceeded",  # LiteLLM, as type
            "available context size",  # llama.cpp
            "exceed_context_size",  # llama.cpp, as type
            "exceed context limit",  # Anthropic
            "prompt is too long",  # Anthropic
            "prompt exceeds max length",  # GLM, code 1261
            "prompt 超长",  # GLM
            r"input length should be \[",  # Qwen: "Range of input length should be [1, 129024]"
            "input length exceed",  # Qwen
            "input token count",  # Gemini
            "input tokens exceed",  # OpenAI
            "exceeded model token limit",  # Kimi
            "reduce the length of the messages",  # Groq
            "request_too_large",  # Anthropic, as type
            r"exceeds the limit of \d+",  # Copilot: "prompt token count of 140000 exceeds the …"
            "greater than the context length",  # LM Studio
            "context length of only|reached context length|context overflow",  # LM Studio
            r"\b(input|prompt)( token)?( length)?( is)? too long",  # Bedrock, Vercel, Huawei
            "too many tokens: total",  # Cohere
            r"`inputs` tokens \+",  # Hugging Face, Together
            "max_seq_len",  # SiliconFlow, TensorRT-LLM
            "exceed max message tokens",  # Doubao
            "payload size exceeds",  # Gemini, in bytes
            r"(input|prompt) tokens?\b.{0,40}exceeds? ",  # watsonx, Copilot, in words
            "maximum allowed context|max length of current question",  # Baidu
            "model_max_prompt_tokens_exceeded|tokens_limit_reached",  # Copilot, GitHub, as code
            "max_input_tokens|max_total_tokens exceeded|body too large for",  # Databricks, GitHub
            "(上下文|输入|提示词?)[^。]{0,20}(超过|超出|超长|过长)",  # Spark, Hunyuan, Step
        )
    ),
    re.IGNORECASE,
)
QUOTA = re.compile(
    "insufficient[ _](quota|balance|funds)|exceeded your current quota|credit balance|arrearage"
    "|billing_error|余额不足|欠费|billing_hard_limit|FreeTierOnly"
    "|exceeded_current_quota|billing_not_active|check your (plan and )?billing"  # Kimi, OpenAI
    "|all available credits|any credits yet|out of credits|purchase credits"  # xAI
    "|(monthly|weekly|daily) spend(ing)? limit|specified API usage limit"  # Anthropic
    "|balance is insufficient|overdue balance|额度不足|insufficient_user_quota"  # Doubao
    "|usage limit (has been )?reached|usage_limit_reached|limit exhausted|使用上限"  # GLM, ChatGPT
    "|reached your usage limit|套餐已到期|quota_exceeded|premium request"  # Kimi, GLM, Copilot
    "|key limit exceeded|budget_exceeded|over budget",  # OpenRouter, LiteLLM
    re.IGNORECASE,
)
RATE = re.compile(
    r"throttl|secondary rate limit|rate[ _]limit[ _]?(reached|exceeded|error)|too many requests",
    re.IGNORECASE,
)
BAD_KEY = re.compile(
    r"api[ _-]?key (is )?(not valid|invalid|expired)|(invalid|incorrect)[ _]api[ _-]?key"
    r"|login fail",
    re.IGNORECASE,
)
MODEL_NOT_FOUND = re.compile(
    r"model[_ ]not[_ ](found|exist)|unknown model|invalid model|not a valid model|模型不存在"
    r"|model .{0,80}(does not exist|not found|is not supported)",
    re.IGNORECASE | re.DOTALL,
)
INSPECTION = re.compile(
    "|".join(
        (
            "data_?inspection",  # Qwen
            "inappropriate content",  # Qwen, in words
            "content[ _-]?filter|contentfilter",  # Azure, Kimi, GLM
            "content management policy",  # Azure, in words
            "content exists risk",  # DeepSeek
            "considered high risk",  # Kimi
            "new_sensitive|sensitive (content|words)|unsafe or sensitive",  # MiniMax, StepFun
            "不安全|敏感内容|敏感词|违规",  # GLM, Doubao, Hunyuan
            "usage polic(y|ies)|safety polic(y|ies)",  # OpenAI: "flagged as potentially violating"
            r"(input|prompt|request) was (flagged|blocked)",  # OpenRouter, Gemini
            "prohibited_content|blocked by content|moderation",  # Gemini, Anthropic, Mistral
            "content security|risk ?control|sensitivecontentdetected",  # Baidu, Doubao
        )
    ),
    re.IGNORECASE,
)
# OpenAI, Groq: "Limit 30000, Requested 45000"
_ABOVE_LIMIT = re.compile(r"limit:? ([\d,]{1,15}),? requested:? ([\d,]{1,15})", re.IGNORECASE)
# What was refused is the answer
_OF_OUTPUT = re.compile(
    r"output (data|text|new_sensitive|may|blocked)|completion was", re.IGNORECASE
)
KEY_LIKE = re.compile(r"\b(sk|pk|rk|key)-[\w*.-]{8,}|(?<=Bearer )\S+", re.IGNORECASE)
# HTTP status of an error inside a stream, by a part of its type or code
STATUS_OF_TYPE = {
    "rate_limit": 429,
    "billing_error": 402,
    "request_too_large": 413,
    "too_many_requests": 429,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "invalid_request": 400,
    "invalid_parameter": 400,
}
# Statuses after which a wait that the body asks for counts
WAITING = (408, 409, 425, 429, 500, 502, 503, 504, 529)
GLM_CODES = {
    "1261": ContextOverflowError,
    "1113": QuotaExhaustedError,
    "1211": ModelNotFoundError,
    **dict.fromkeys(("1304", "1308", "1309", "1310"), QuotaExhaustedError),
}
# HTTP status of an error of MiniMax, which comes with 200
_MINIMAX_STATUS = {1002: 429, 1004: 401, 1008: 402, 1039: 429, 2013: 400, 2049: 401}
HINTS: Mapping[type[ModelCallError], str] = {
    AuthenticationError: "check the key and that it belongs to this endpoint",
    QuotaExhaustedError: "check the account's balance and limits at the provider",
    InvalidRequestError: "check the settings of this model and the base URL",
    ModelNotFoundError: "check the model's name and the base URL (most end in `/v1`)",
    ContextOverflowError: "continue in a new thread, or set `context_length` of this model to its "
    "real value",
    ContentRefusedError: "rephrase the request, or continue with another model",
    InputRefusedError: "rephrase the request, or continue with another model",
    RateLimitError: "wait a moment, then continue",
    ProviderFaultError: "try again in a while",
}


@dataclass(frozen=True)
class RequestTarget:
    """The endpoint of a request, for messages, and secrets that must not appear in them."""

    model: str
    host: str
    secret: str = ""

    @property
    def label(self) -> str:
        """The model and its endpoint."""
        return text("`{model}` at {host}", model=self.model, host=self.host)

    def quote(self, words: str) -> str:
        """Return the provider's own message on one line, short and without keys."""
        # a shorter key occurs in ordinary words: with `x` as the key, `maximum` would lose a letter
        findable = len(self.secret) >= MIN_SECRET_LENGTH
        hidden = redact(words.replace(self.secret, "…") if findable else words)
        line = " ".join(KEY_LIKE.sub("…", hidden).split())
        return line if len(line) <= MAX_QUOTE_LENGTH else line[: MAX_QUOTE_LENGTH - 1] + "…"


def classify_response(
    target: RequestTarget, status: int, body: str, headers: Mapping[str, str] | None = None
) -> ModelCallError:
    """Return the error for an HTTP answer with an error status."""
    waits = status in WAITING or QUOTA.search(" ".join(_parse_error_body(body)))
    wait = find_requested_wait(headers or {}, body if waits else "")
    hint = find_block(status, body, " ".join(_parse_error_body(body)), headers or {})
    return _build_error(target, status, body, "answered {status}", wait, block_hint=hint)


def classify_stream_error(target: RequestTarget, error: object) -> ModelCallError:
    """Return the error for an `error` object inside a stream of status 200."""
    body = json.dumps({"error": error})
    words, code = _parse_error_body(body)
    status = _find_status(error, f"{code} {words}")
    wait = find_requested_wait({}, body) if status in WAITING else None
    return _build_error(target, status, body, "broke off", wait)


def _build_error(
    target: RequestTarget,
    status: int,
    body: str,
    problem: str,
    wait: float | None = None,
    *,
    block_hint: str = "",
) -> ModelCallError:
    words, code = _parse_error_body(body)
    kind = _choose_error_class(status, f"{words} {code}", code)
    if block_hint and not issubclass(kind, ContentRefusedError | QuotaExhaustedError):
        kind = RequestBlockedError
    if kind is QuotaExhaustedError and status == 429 and _is_short(wait):
        kind = RateLimitError  # Gemini calls its limit of a minute a quota
    quoted = target.quote(words)
    template = "{who} " + problem + (": {words}" if quoted else "")
    message = text(template, who=target.label, status=status, words=quoted)
    hint = HINTS.get(kind, block_hint)
    if wait is not None and wait > MAX_REQUESTED_DELAY_SECONDS:
        hint = text("the provider asks you to wait {wait} s; then continue", wait=f"{wait:.0f}")
    error = kind(message, hint=hint, retry_after=wait)
    error.reason = quoted
    return error


def _is_short(wait: float | None) -> bool:
    return wait is not None and wait <= MAX_REQUESTED_DELAY_SECONDS


def _choose_error_class(status: int, text: str, code: str) -> type[ModelCallError]:
    if code in GLM_CODES:
        return GLM_CODES[code]
    if status == 429 and _is_above_limit(text):
        return ContextOverflowError
    if status == 413 or (status not in (401, 403, 429) and OVERFLOW.search(text)):
        return ContextOverflowError
    if status == 400 and not text.strip():  # Cerebras says no more
        return ContextOverflowError
    if status in (400, 403, 422, 451) and INSPECTION.search(text):
        return ContentRefusedError if _OF_OUTPUT.search(text) else InputRefusedError
    if status == 402 or QUOTA.search(text):
        return QuotaExhaustedError
    if status in (400, 403) and RATE.search(text):
        return RateLimitError
    if status in (401, 403) or (status == 400 and BAD_KEY.search(text)):
        return AuthenticationError
    if status == 404 or (status in (400, 422) and MODEL_NOT_FOUND.search(text)):
        return ModelNotFoundError
    if status == 429:
        return RateLimitError
    if status in (408, 409, 425, 498) or status >= 500:
        return ProviderFaultError
    return InvalidRequestError


def _is_above_limit(words: str) -> bool:
    """Return whether the request alone has more tokens than a minute may have: no wait helps."""
    match = _ABOVE_LIMIT.search(words)
    return match is not None and int(match[2].replace(",", "")) > int(match[1].replace(",", ""))


def _find_status(error: object, text: str) -> int:
    fields = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    if minimax_status := _MINIMAX_STATUS.get(fields.get("status_code", 0)):
        return minimax_status
    for name in ("status", "status_code", "code"):
        value = str(fields.get(name, ""))
        if value.isdecimal() and 400 <= int(value) <= 599:
            return int(value)
    kind = f"{fields.get('type', '')} {text}".lower().replace(" ", "_")
    return next((status for part, status in STATUS_OF_TYPE.items() if part in kind), 500)


def _parse_error_body(body: str) -> tuple[str, str]:
    """Return message and code of an error body in any vendor's format; else the body's text."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return _strip_html(body), ""
    if isinstance(value, list) and value:
        value = cast("list[object]", value)[0]
    if not isinstance(value, dict):
        return str(cast(object, value)), ""
    return _parse_error_fields(cast("dict[str, Any]", value))


def _parse_error_fields(fields: Mapping[str, Any]) -> tuple[str, str]:
    error = fields.get("error")
    inner = None if error is True else error or fields.get("base_resp") or fields.get("detail")
    errors: object = fields.get("errors")
    if not inner and isinstance(errors, list) and errors:
        inner = cast("list[object]", errors)[0]
    if isinstance(inner, str):
        return inner, str(fields.get("code") or "")
    details = cast("dict[str, Any]", inner if isinstance(inner, dict) else fields)
    words = next(
        (
            str(details[name])
            for name in ("message", "status_msg", "msg", "error_msg", "errorMessage", "detail")
            if details.get(name)
        ),
        json.dumps(fields, ensure_ascii=False),
    )
    upstream = _find_upstream_message(details.get("metadata"))
    code = details.get("code") or details.get("status_code") or details.get("type") or ""
    return f"{words} ({upstream})" if upstream else words, str(code)


def _find_upstream_message(metadata: object) -> str:
    """Return the upstream's message from the metadata: OpenRouter's own says little."""
    fields = cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {}
    raw = fields.get("raw")
    return raw if isinstance(raw, str) else ""


def _strip_html(body: str) -> str:
    """Return the text of a page: the title of HTML, else the text without tags."""
    title = re.search(r"<title[^>]*>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)
    return title[1] if title else re.sub(r"<[^>]{0,200}>", " ", body[:5000])
