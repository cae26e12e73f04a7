"""What a name says about its value."""

import pytest

from maxagent.config.security.redaction import redact
from maxagent.config.security.secrets.names import find_kind

# Each ends as a harmless name does, in the middle of a word or before another one
SECRET_NAMES = [
    *("REDIS_PASSWORD", "CLICKHOUSE_PASSWORD", "RSYNC_PASSWORD", "EXCHANGE_PASSWORD", "PLEX_TOKEN"),
    *("TRAVIS_TOKEN", "BACKEND_SECRET", "LAUNCHPAD_TOKEN", "WAREHOUSE_PASSWD", "MEMCACHE_PASSWORD"),
    *("redisPassword", "redis.password", "exchange-password", "FLEX_SECRET", "frontendToken"),
    *("CACHE_PASSWORD", "PAGE_SECRET", "SYNC_CREDENTIALS", "CSRF_SECRET", "CONTEXT_PASSWORD"),
]
HARMLESS_NAMES = [
    *("csrf_token", "CSRF-Token", "XSRF-TOKEN", "nextPageToken", "NextToken", "cancellationToken"),
    *("hasPassword", "is_secret", "with_credentials", "showPassword", "useToken", "f.no_password"),
    *("public_key", "sshPublicKey", "cache_key", "eos_token", "pad-token", "lexToken"),
    *("reset_password", "forgotPassword", "num_key", "user2ConfirmPassword"),
]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_word_that_ends_harmlessly_is_none(name: str) -> None:
    assert find_kind(name)
    assert redact(f'{name} = "vK7qPz2mXw9bRt4Lk"') == f'{name} = "[secret: {_name_mark(name)}]"'


def _name_mark(name: str) -> str:
    kind = find_kind(name)
    return kind.value if kind else ""


@pytest.mark.parametrize("name", HARMLESS_NAMES)
def test_a_harmless_word_says_so(name: str) -> None:
    assert find_kind(name) is None
