"""Which client MaxAgent is at an authorization server: configured, documented or registered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.oauth2 import check_registration_usable
from mcp.client.auth.utils import (
    create_client_registration_request,
    handle_registration_response,
    is_valid_client_metadata_url,
    issuers_match,
)
from mcp.shared.auth import OAuthClientMetadata, TokenEndpointAuthMethod
from pydantic import AnyUrl

from ....config.security.secrets.known_values import remember_secret
from ....config.text import text
from .discovery import AuthorizationServer
from .errors import LoginError
from .storage import RemoteServer, ServerLogin

CLIENT_NAME = "MaxAgent"
# In this order: a program on a user's machine keeps no secret
_METHODS = ("none", "client_secret_basic", "client_secret_post")


async def choose_client(
    client: httpx2.AsyncClient,
    server: RemoteServer,
    issuer: AuthorizationServer,
    stored: ServerLogin | None,
    redirect_uri: str,
) -> ServerLogin:
    """Return a login without tokens; raises LoginError.

    In the order of the specification: a client that the user configured, the one of a metadata
    document, and one that is registered now or was before at the same issuer.
    """
    login = ServerLogin(
        issuer=issuer.issuer,
        client_id="",
        token_endpoint=issuer.token_endpoint,
        redirect_uri=redirect_uri,
        resource=issuer.resource,
        revocation_endpoint=issuer.revocation_endpoint,
        scope=issuer.scope,
    )
    methods = issuer.metadata.token_endpoint_auth_methods_supported if issuer.metadata else None
    if client_id := server.oauth.get("client_id", ""):
        return _use_configured(login, client_id, server, methods, stored)
    if document := find_client_document(server, issuer):
        return replace(login, client_id=document)
    is_known = stored is not None and bool(stored.client_id)
    if (
        stored
        and is_known
        and stored.redirect_uri == redirect_uri
        and _is_same(stored.issuer, login.issuer)
    ):
        return replace(
            login,
            client_id=stored.client_id,
            client_secret=stored.client_secret,
            auth_method=stored.auth_method,
        )
    return await _register(client, issuer, login, methods)


def find_client_document(server: RemoteServer, issuer: AuthorizationServer) -> str:
    """Return the address of our metadata document if the issuer reads such documents."""
    document = server.oauth.get("client_metadata_url", "")
    if not document:
        return ""
    if not is_valid_client_metadata_url(document):
        raise LoginError(
            text("`client_metadata_url` of `{name}` is not an https address", name=server.name),
            hint="it is the address of a JSON document, with a path",
        )
    metadata = issuer.metadata
    is_read = metadata is not None and metadata.client_id_metadata_document_supported
    return document if is_read else ""


def _use_configured(
    login: ServerLogin,
    client_id: str,
    server: RemoteServer,
    methods: Sequence[str] | None,
    stored: ServerLogin | None,
) -> ServerLogin:
    """Return the login of the user's own client; it is never shown to another issuer."""
    if stored and stored.client_id == client_id and not _is_same(stored.issuer, login.issuer):
        raise LoginError(
            text(
                "`{name}` wants logins of another server now: {new} instead of {old}",
                name=server.name,
                new=login.issuer,
                old=stored.issuer,
            ),
            hint=text("if that is right, run `mcode mcp logout {name}` first", name=server.name),
        )
    secret = server.oauth.get("client_secret", "")
    if not secret:
        return replace(login, client_id=client_id)
    remember_secret(f"{server.name}-client", secret)
    usable = [name for name in _METHODS[1:] if methods is None or name in methods]
    method = usable[0] if usable else "client_secret_basic"
    return replace(login, client_id=client_id, client_secret=secret, auth_method=method)


async def _register(
    client: httpx2.AsyncClient,
    issuer: AuthorizationServer,
    login: ServerLogin,
    methods: Sequence[str] | None,
) -> ServerLogin:
    if not issuer.registration_endpoint:
        raise LoginError(
            text("{issuer} does not register clients", issuer=issuer.issuer),
            hint="register one there, and write its `client_id` below `oauth` in the server's "
            "entry",
        )
    auth_method = next((name for name in _METHODS if methods is None or name in methods), "none")
    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(login.redirect_uri)],
        token_endpoint_auth_method=cast("TokenEndpointAuthMethod", auth_method),
        client_name=CLIENT_NAME,
        scope=login.scope or None,
    )
    request = create_client_registration_request(issuer.metadata, metadata, issuer.issuer)
    try:
        registered = await handle_registration_response(await client.send(request))
        check_registration_usable(registered)
    except OAuthFlowError as error:
        reason = " ".join(str(error).split())[:200]
        raise LoginError(
            text(
                "{issuer} did not register MaxAgent: {reason}", issuer=issuer.issuer, reason=reason
            ),
            hint="if clients are registered by hand there, write the `client_id` below `oauth` in "
            "the server's entry",
        ) from error
    secret = registered.client_secret or ""
    method = registered.token_endpoint_auth_method or (auth_method if secret else "none")
    if secret and method == "none" and registered.token_endpoint_auth_method is None:
        method = "client_secret_post"
    return replace(login, client_id=registered.client_id, client_secret=secret, auth_method=method)


def _is_same(stored: str, current: str) -> bool:
    return issuers_match(stored, current)
