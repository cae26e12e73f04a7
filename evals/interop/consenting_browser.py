"""A browser whose user consents to every login at once."""

import httpx2


class ConsentingBrowser:
    """Follows the redirects of the authorization server, up to the port that waits for them."""

    async def show(self, address: str) -> None:
        """Open the page."""
        async with httpx2.AsyncClient(follow_redirects=True) as client:
            await client.get(address)

    async def read_redirect(self) -> str | None:
        """Nothing is pasted."""
        return None
