from ipaddress import ip_address

import pytest

from maxagent.tools.permissions.url_policy import (
    is_public,
    read_address,
    refuse_own_network,
    resolve_redirect,
)
from maxagent.tools.result import ToolError

NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1",
    "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1",
    "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::",
    "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:10.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "100::1", "2001::1",
    "2001:0:4136:e378::1", "2001:db8::1", "2001:10::1", "2002:7f00:1::", "2002:808:808::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1", "3fff::1",
    "5f00::1", "192.0.0.8", "192.0.0.9", "192.0.0.10", "192.0.0.170", "192.0.0.255",
    "192.31.196.1", "192.52.193.1", "192.175.48.1", "198.19.255.255", "2001:1::1", "2001:1::2",
    "2001:1::3", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff::1",
    "2620:4f:8000::1", "64:ff9b::c000:9", "100:0:0:1::1",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "172.32.0.1", "192.167.1.1", "100.128.0.1", "2606:4700::1111",
    "64:ff9b::808:808", "192.0.1.1", "192.31.195.1", "2001:200::1", "2001:4860:4860::8888",
]  # fmt: skip
ODD = [
    "", "example.org", "//example.org", "ftp://example.org", "file:///etc/passwd", "javascript:x",
    "http://", "http:///x", "http://me@example.org", "http://me:pw@example.org", "http://@a.org",
    "http://a.org\\@b.org", "http://a.org b.org/", "http://a.org\t/", "http://a.org\n/x",
    "http://a.org/\x00", "http://a.org:99999/", "http://a.org:x/", "http://a..org/",
    "http://127.1/", "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/",
    "http://127.0.0.01/", "http://1.2.3/", "http://[::1%25eth0]/", "http://[::1%eth0]/", "http://[::1/",
    "http://[v1.x]/", "http://a.org/" + "a" * 3000,
]  # fmt: skip


@pytest.mark.parametrize("number", NOT_PUBLIC)
def test_local_machine_or_network_number_is_not_public(number: str) -> None:
    assert not is_public(ip_address(number))


@pytest.mark.parametrize("number", PUBLIC)
def test_a_number_of_the_open_internet_is(number: str) -> None:
    assert is_public(ip_address(number))


@pytest.mark.parametrize("url", ODD)
def test_ambiguous_address_is_refused(url: str) -> None:
    with pytest.raises(ToolError):
        read_address(url)


@pytest.mark.parametrize("path", ["/{}", "/?q={}", "/a?b=c&d={}x", "/#{}", "/%20{}"])
@pytest.mark.parametrize("half", ["\ud800", "\udcff", "\udfff\ud800"])
def test_half_of_a_character_is_refused(path: str, half: str) -> None:
    with pytest.raises(ToolError, match="half of a character"):
        read_address("https://example.org" + path.format(half))


@pytest.mark.parametrize(
    ("url", "understood"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("https://example.org.:8443/a?b=c#d", "https://example.org:8443/a?b=c"),
        ("http://bücher.example/ü?q=ß", "http://xn--bcher-kva.example/ü?q=ß"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://①②⑦.0.0.1/", "http://127.0.0.1/"),
        ("http://[2606:4700::1111]:80/", "http://[2606:4700::1111]:80/"),
        ("http://аpple.example", "http://xn--pple-43d.example/"),
    ],
)
def test_an_address_is_shown_as_it_is_understood(url: str, understood: str) -> None:
    assert str(read_address(url)) == understood


def test_an_address_that_carries_a_secret_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "Zq8/the key")
    for spelled in ("Zq8/the%20key", "Zq8%2Fthe%20key", "Zq8/the%20k%65y", "WnE4L3RoZSBrZXk="):
        with pytest.raises(ToolError, match="contains a secret"):
            read_address(f"https://example.org/?q={spelled}")


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/b", "https://a.org/b"),
        ("?c", "https://a.org/x/y?c"),
        ("//a.org/z", "https://a.org/z"),
        ("https://A.org.:444/", "https://a.org:444/"),
        ("http://a.org/", "https to http"),
        ("https://b.org/x", "call webfetch with https://b.org/x"),
        ("//a.org.evil.example/", "another host"),
        ("https://me@a.org/", "without user name"),
        ("file:///etc/passwd", "full address"),
        ("data:text/html,x", "full address"),
    ],
)
def test_redirect_stays_on_host_and_never_loses_https(location: str, leads: str) -> None:
    here = read_address("https://a.org/x/y")
    try:
        text = str(resolve_redirect(here, location))
    except ToolError as refusal:
        text = str(refusal)
    assert leads in text


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8000/", "http://[fd00::1]/", "http://169.254.169.254/", "http://LOCALHOST./"]
    + ["http://a.localhost/", "http://nas.local/", "http://x.internal/", "http://hub.home.arpa/"],
)
def test_local_name_is_refused_before_lookup(url: str) -> None:
    with pytest.raises(ToolError, match="not on the public internet"):
        refuse_own_network(read_address(url))


@pytest.mark.parametrize(
    "url", ["https://example.org/", "http://8.8.8.8/", "http://localhost.org/"]
)
def test_other_names_are_looked_up(url: str) -> None:
    refuse_own_network(read_address(url))
