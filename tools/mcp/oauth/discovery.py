"""Where a server's logins are made: its metadata, and those of its authorization server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    create_oauth_metadata_request,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    get_client_metadata_scopes,
    handle_protected_resource_response,
)
from mcp.shared.auth import DEFAULT_GRANT_TYPES, OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url
from pydantic import ValidationError

from ....config.network.response_limits import read_json
from ....config.text import text
from ....models.auth.copilot_login import is_safe_address
from .errors import LoginError

# Redirects that one request for metadata may follow, all on its own host
MAX_REDIRECTS = 5
# Fields of metadata without which there is no login, and how many others may be wrong
_NEEDED = ("issuer", "authorization_endpoint", "token_endpoint")
MAX_WRONG_FIELDS = 20
# Characters of an address in an error
MAX_ADDRESS = 200
# Authorization servers of one server that are tried
MAX_ISSUERS = 5


@dataclass(frozen=True)
class AuthorizationServer:
    """Where the login to a server is made, and what is asked there."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str
    revocation_endpoint: str
    resource: str
    """The server's own identifier, by which a token is bound to it; empty: it publishes none."""
    scope: str
    metadata: OAuthMetadata | None


async def discover(
    client: httpx2.AsyncClient, url: str, challenge: httpx2.Response, preferred: str = ""
) -> AuthorizationServer:
    """Find out where the login to the server at `url` is made; raises LoginError.

    `challenge` is the answer that asked for a login. Of several authorization servers the first
    that works is taken, `preferred` before all others.
    """
    resource = await _read_resource(client, url, challenge)
    failures = list[LoginError | httpx2.HTTPError]()
    for issuer in _list_issuers(resource, preferred):
        try:
            return await _read_server(client, url, resource, issuer, challenge)
        except (LoginError, httpx2.HTTPError) as error:
            failures.append(error)
    raise failures[0]


def _list_issuers(resource: ProtectedResourceMetadata | None, preferred: str) -> Sequence[str]:
    """Return the issuers to try; an empty one is the server itself."""
    if not resource:
        return [""]
    issuers = list(dict.fromkeys(map(str, resource.authorization_servers)))[:MAX_ISSUERS]
    bare = preferred.removesuffix("/")
    return sorted(issuers, key=lambda issuer: issuer.removesuffix("/") != bare)


async def _read_server(
    client: httpx2.AsyncClient,
    url: str,
    resource: ProtectedResourceMetadata | None,
    issuer: str,
    challenge: httpx2.Response,
) -> AuthorizationServer:
    metadata = await _read_metadata(client, url, issuer)
    if resource and not metadata:
        raise LoginError(
            text("{issuer} publishes no metadata of an authorization server", issuer=issuer)
        )
    scope = get_client_metadata_scopes(
        extract_scope_from_www_auth(challenge), resource, metadata, [*DEFAULT_GRANT_TYPES]
    )
    identifier = str(resource.resource) if resource else ""
    return _build_server(url, metadata, identifier, scope or "")


def _build_server(
    url: str, metadata: OAuthMetadata | None, resource: str, scope: str
) -> AuthorizationServer:
    """Return the endpoints; a server without metadata has those of the first revision."""
    origin = _find_origin(url)
    server = AuthorizationServer(
        issuer=str(metadata.issuer) if metadata else origin,
        authorization_endpoint=str(
            metadata.authorization_endpoint if metadata else f"{origin}/authorize"
        ),
        token_endpoint=str(metadata.token_endpoint if metadata else f"{origin}/token"),
        registration_endpoint=_find_registration_endpoint(metadata, origin),
        revocation_endpoint=str((metadata and metadata.revocation_endpoint) or ""),
        resource=resource,
        scope=scope,
        metadata=metadata,
    )
    for address in (
        server.authorization_endpoint,
        server.token_endpoint,
        server.registration_endpoint,
        server.revocation_endpoint,
    ):
        if address and not is_safe_address(address):
            raise LoginError(text("{address} is not safe for a login", address=address))
    if metadata:
        _check_pkce(server.issuer, metadata.code_challenge_methods_supported)
    return server


def _check_pkce(issuer: str, methods: Sequence[str] | None) -> None:
    """Raise LoginError without PKCE, as MCP demands: a stolen code would be enough to log in."""
    if not methods:
        raise LoginError(
            text("the metadata of {issuer} does not say that it supports PKCE", issuer=issuer),
            hint="its `code_challenge_methods_supported` must name `S256`; ask its operator",
        )
    if "S256" not in methods:
        raise LoginError(text("{issuer} does not support PKCE with S256", issuer=issuer))


def _find_registration_endpoint(metadata: OAuthMetadata | None, origin: str) -> str:
    if metadata is None:
        return f"{origin}/register"
    return str(metadata.registration_endpoint or "")


async def _read_resource(
    client: httpx2.AsyncClient, url: str, challenge: httpx2.Response
) -> ProtectedResourceMetadata | None:
    """Return what the server publishes of itself; raises LoginError if it is of another server."""
    named = extract_resource_metadata_from_www_auth(challenge)
    # RFC 9728 derives the address from the server's own, so a server has no reason to name
    # another origin; it would make us ask any host
    is_own = named is not None and _find_origin(named) == _find_origin(url)
    failed = 0
    for address in build_protected_resource_metadata_discovery_urls(named if is_own else None, url):
        response = await _get(client, address)
        if response.status_code >= 500 or response.status_code == 429:
            failed = response.status_code
        if resource := await handle_protected_resource_response(response):
            requested_url, resource_url = resource_url_from_server_url(url), str(resource.resource)
            if not check_resource_allowed(requested_url, resource_url):
                raise LoginError(
                    text(
                        "the metadata at {url} belongs to {found}",
                        url=_find_origin(url),
                        found=resource_url,
                    )
                )
            return resource
    if failed:  # says nothing about whether there is one
        raise LoginError(
            text(
                "the metadata of {url} cannot be read: HTTP {status}",
                url=_find_origin(url),
                status=failed,
            )
        )
    if named and not is_own:
        raise LoginError(
            text(
                "{url} names metadata of another origin: {found}",
                url=_find_origin(url),
                found=named[:MAX_ADDRESS],
            ),
            hint="a server publishes its metadata at its own address; check the server's URL",
        )
    return None


async def _read_metadata(
    client: httpx2.AsyncClient, url: str, advertised: str
) -> OAuthMetadata | None:
    """Return the metadata of the authorization server; raises LoginError if they are another's."""
    issuer = advertised or _find_origin(url)
    for address in build_oauth_authorization_server_metadata_discovery_urls(
        advertised or None, url
    ):
        response = await _get(client, address)
        if response.status_code >= 500:
            raise LoginError(
                text(
                    "the metadata of {url} cannot be read: HTTP {status}",
                    url=issuer,
                    status=response.status_code,
                )
            )
        if metadata := _parse_metadata(issuer, response):
            named = str(metadata.issuer)
            # both have the same address of metadata, by RFC 8414
            if named.removesuffix("/") != issuer.removesuffix("/"):
                raise LoginError(
                    text("the metadata of {issuer} belongs to {named}", issuer=issuer, named=named),
                    hint="both must be the same, by RFC 8414; tell the server's operator",
                )
            return metadata
    return None


def _parse_metadata(issuer: str, response: httpx2.Response) -> OAuthMetadata | None:
    """Return the metadata, without optional fields that are wrong; None: there are none here.

    Raises LoginError if a field is wrong that a login needs.
    """
    if response.status_code != 200:
        return None
    try:
        value = read_json(response.content)
    except ValueError:
        return None
    if not isinstance(value, dict) or "issuer" not in value:
        return None
    fields = cast("dict[str, object]", value)
    fields = {name: field for name, field in fields.items() if field not in (None, "")}
    for _ in range(MAX_WRONG_FIELDS):
        try:
            return OAuthMetadata.model_validate(fields)
        except ValidationError as error:
            name = str(error.errors()[0]["loc"][0])
            if name not in fields or name in _NEEDED:
                reason = f"`{name}`: {error.errors()[0]['msg']}"
                raise LoginError(
                    text(
                        "its metadata at {issuer} are wrong: {reason}", issuer=issuer, reason=reason
                    )
                ) from None
            del fields[name]
    return None


async def _get(client: httpx2.AsyncClient, address: str) -> httpx2.Response:
    response = await client.send(create_oauth_metadata_request(address))
    for _ in range(MAX_REDIRECTS):
        following = response.next_request
        if not following or _find_origin(str(following.url)) != _find_origin(address):
            break
        response = await client.send(following)
    return response


def _find_origin(url: str) -> str:
    """Return scheme, host and port, as in a comparison of origins."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + ("" if port in (None, usual) else f":{port}")
