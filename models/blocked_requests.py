"""Answers that refuse where a request comes from or passes: another key would not help (pure)."""

import re
from collections.abc import Mapping

_PLACE = re.compile(
    r"unsupported[_ ]country|country, region|user location is not supported", re.IGNORECASE
)
# In a 400 such message may speak of a parameter
_MAYBE_PLACE = re.compile(
    r"(not (available|supported|offered|allowed)|unavailable|unsupported|restricted|blocked)"
    r".{0,40}\b(countr(y|ies)|regions?|territor(y|ies)|locations?)\b"
    r"|\b(country|region|territory|location)\b.{0,30}(not (supported|allowed)|unsupported|blocked)"
    r"|^request not allowed\b|所在(地区|国家|区域)|(地区|区域)(不支持|受限)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"ip_not_(authorized|allowed)|\bIP( address)?\b.{0,60}"
    r"(not (in|on|allowed|authorized|permitted|whitelisted)|blocked|denied|banned)"
    r"|\bip (access|allow)[ -]?list|ip ?白名单",
    re.IGNORECASE,
)
_CHALLENGED = re.compile(
    r"cloudflare|just a moment|attention required|you have been blocked"
    r"|\berror code: 1\d\d\d\b|security checkpoint|incapsula|captcha|ddos",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\s*(<!doctype html|<html|<head|<title|<\?xml[^>]*>\s*<!doctype html)", re.I)
_CHALLENGE_HEADERS = ("cf-mitigated", "x-vercel-mitigated")
_BLOCKING = (403, 405, 406, 418, 451)
PLACE_HINT = (
    "the provider does not serve the place that requests come from (a VPN or proxy counts): use "
    "another provider, or a gateway that it serves"
)
ADDRESS_HINT = "allow this machine's address at the provider, or use a proxy that it allows"
CHALLENGE_HINT = (
    "a guard before the endpoint takes this machine for a robot or blocks its address: try without "
    "a VPN, check the base URL, or ask who runs the endpoint; the key is not the cause"
)
PAGE_HINT = (
    "a web page of a proxy, firewall or gateway, not the endpoint, has answered: check the base "
    "URL and what lies before it; the key is hardly the cause"
)
LOGIN_HINT = (
    "a proxy of this network wants a login: write it in `HTTPS_PROXY`, as "
    "`http://user:password@host:3128`: docs/network.md"
)
NETWORK_HINT = "this network wants a login: open any page in the browser, then continue"


def find_block(status: int, body: str, message: str, headers: Mapping[str, str]) -> str:
    """Return what helps if an answer refuses the way of a request; else empty.

    `message` is the message in the body.
    """
    if status in (407, 511):
        return LOGIN_HINT if status == 407 else NETWORK_HINT
    names = {name.lower() for name in headers}
    if not names.isdisjoint(_CHALLENGE_HEADERS):
        return CHALLENGE_HINT
    if status not in (400, 401, *_BLOCKING):
        return ""
    is_page = _PAGE.match(body) is not None
    if is_page or not body.lstrip().startswith(("{", "[")):
        if status != 400 and _CHALLENGED.search(message + body[:5000]):
            return CHALLENGE_HINT
        return PAGE_HINT if is_page and status in _BLOCKING else ""
    is_place = _PLACE.search(message) or (status != 400 and _MAYBE_PLACE.search(message.strip()))
    if status != 401 and is_place:
        return PLACE_HINT
    return ADDRESS_HINT if _ADDRESS.search(message) else ""
