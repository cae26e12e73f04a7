"""Where a server may send us: never further than it is itself."""

from ipaddress import ip_address

import pytest

from maxagent.config.network.addresses import HostUnknownError, may_lead_to, resolve_host

PUBLIC, LOOPBACK, PRIVATE, METADATA = "8.8.8.8", "127.0.0.1", "10.1.2.3", "169.254.169.254"


@pytest.mark.parametrize(
    ("source", "target", "allowed"),
    [
        (PUBLIC, "1.1.1.1", True),
        (PUBLIC, PUBLIC, True),
        (PUBLIC, PRIVATE, False),
        (PUBLIC, LOOPBACK, False),
        (PUBLIC, METADATA, False),
        (PUBLIC, "::1", False),
        (PUBLIC, "fd00::1", False),
        (PUBLIC, "::ffff:10.1.2.3", False),
        (PUBLIC, "64:ff9b::a00:1", False),
        (PUBLIC, "168.63.129.16", False),
        (PUBLIC, "0.0.0.0", False),
        (PRIVATE, PUBLIC, True),
        (PRIVATE, PRIVATE, True),
        (PRIVATE, "192.168.0.9", True),
        (PRIVATE, LOOPBACK, False),
        (PRIVATE, METADATA, False),
        (LOOPBACK, LOOPBACK, True),
        (LOOPBACK, "127.0.0.2", True),
        (LOOPBACK, "::1", True),
        (LOOPBACK, PRIVATE, True),
        (LOOPBACK, PUBLIC, True),
        (LOOPBACK, METADATA, False),
        (METADATA, METADATA, True),
        (METADATA, PRIVATE, False),
    ],
)
def test_a_server_leads_no_further_than_itself(source: str, target: str, allowed: bool) -> None:
    assert may_lead_to([ip_address(source)], [ip_address(target)]) is allowed


def test_one_address_of_several_is_enough_to_refuse() -> None:
    public, private = ip_address(PUBLIC), ip_address(PRIVATE)
    assert not may_lead_to([public], [public, private])
    assert not may_lead_to([public, private], [ip_address("10.9.9.9")])
    assert not may_lead_to([], [private]) and may_lead_to([], [public])


async def test_a_name_without_address_is_unknown() -> None:
    with pytest.raises(HostUnknownError):
        await resolve_host("nowhere.invalid", 80)
