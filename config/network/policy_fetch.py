"""The two requests for a signed policy and its signature."""

from ..text import text
from .client import open_client
from .response_limits import ResponseLimits

MAX_BYTES = 1_000_000
SIGNATURE = ".sig"


async def fetch_signed(url: str, seconds: float) -> list[bytes]:
    """Return the signature and the policy; raises ValueError, and the errors of the client."""
    limits = ResponseLimits(max_bytes=MAX_BYTES, seconds=seconds)
    contents = list[bytes]()
    async with open_client(limits) as client:
        for address in (f"{url}{SIGNATURE}", url):
            response = await client.get(address)
            if response.status_code != 200:
                status = response.status_code
                raise ValueError(text("{url} answers {status}", url=address, status=status))
            contents.append(response.content)
    return contents
