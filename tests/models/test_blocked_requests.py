"""Answers that refuse the way of a request: each with what helps, none blames the key."""

import json

import pytest

from maxagent.models.blocked_requests import (
    ADDRESS_HINT,
    CHALLENGE_HINT,
    LOGIN_HINT,
    NETWORK_HINT,
    PAGE_HINT,
    PLACE_HINT,
)
from maxagent.models.error_classification import RequestTarget, classify_response
from maxagent.models.errors import ModelCallError, RequestBlockedError

TARGET = RequestTarget("m", "host:1")


def classify(status: int, body: str, **headers: str) -> ModelCallError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return classify_response(TARGET, status, body, names)


def say(message: str, **fields: str) -> str:
    return json.dumps({"error": {"message": message, **fields}})


def page(title: str) -> str:
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>…</body></html>"


@pytest.mark.parametrize(
    ("status", "body", "hint"),
    [
        (403, say("Country, region, or territory not supported"), PLACE_HINT),
        (403, say("x", code="unsupported_country_region_territory"), PLACE_HINT),
        (400, say("User location is not supported for the API use."), PLACE_HINT),
        (403, say("Request not allowed", type="forbidden"), PLACE_HINT),
        (403, say("This model is not available in your region."), PLACE_HINT),
        (451, say("Access from your country is not allowed"), PLACE_HINT),
        (403, say("您所在地区暂不支持"), PLACE_HINT),
        (403, say("Your IP address 192.0.2.1 is not in the allowlist"), ADDRESS_HINT),
        (401, say("x", code="ip_not_authorized"), ADDRESS_HINT),
        (403, say("Access denied: IP 192.0.2.1 is blocked"), ADDRESS_HINT),
        (403, say("Request is not on the IP access list"), ADDRESS_HINT),
        (403, say("ip白名单校验失败"), ADDRESS_HINT),
        (403, page("Attention Required! | Cloudflare"), CHALLENGE_HINT),
        (403, page("Just a moment..."), CHALLENGE_HINT),
        (403, "error code: 1010", CHALLENGE_HINT),
        (403, page("Vercel Security Checkpoint"), CHALLENGE_HINT),
        (405, page("Human verification (captcha)"), CHALLENGE_HINT),
        (403, page("Internet Security by Zscaler"), PAGE_HINT),
        (403, page("ERROR: The requested URL could not be retrieved"), PAGE_HINT),
        (403, "<html>\r\n<head><title>403 Forbidden</title></head></html>", PAGE_HINT),
        (406, page("Not Acceptable!"), PAGE_HINT),
        (451, page("Unavailable For Legal Reasons"), PAGE_HINT),
        (407, page("Proxy Authentication Required"), LOGIN_HINT),
        (407, "", LOGIN_HINT),
        (511, page("Network Authentication Required"), NETWORK_HINT),
    ],
)
def test_a_refused_way_says_what_helps(status: int, body: str, hint: str) -> None:
    error = classify(status, body)
    assert type(error) is RequestBlockedError and not error.retryable
    assert error.hint == hint


@pytest.mark.parametrize("status", [403, 429, 503])
@pytest.mark.parametrize("header", ["cf_mitigated", "x_vercel_mitigated"])
def test_a_challenge_in_the_headers_counts(status: int, header: str) -> None:
    assert classify(status, page("Wait"), **{header: "challenge"}).hint == CHALLENGE_HINT


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, say("Incorrect API key provided")),
        (403, say("You are not allowed to sample from this model")),
        (403, say("Project does not have access to model `gpt-9`")),
        (403, ""),
        (401, page("401 Authorization Required")),
        (402, say("Insufficient balance in this region")),
        (429, page("429 Too Many Requests")),
        (502, page("502 Bad Gateway | Cloudflare")),
        (503, page("Service unavailable")),
        (400, say("the parameter `location` is not supported")),
        (400, page("400 Bad Request")),
        (404, page("404 Not Found")),
        (400, say("tokens exceed: zip files are not allowed")),
    ],
)
def test_other_refusals_keep_their_kind(status: int, body: str) -> None:
    assert type(classify(status, body)) is not RequestBlockedError
