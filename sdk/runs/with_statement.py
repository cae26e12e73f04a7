"""Sentences for `with` where `async with` is meant, and the other way around."""

from typing import TYPE_CHECKING, NoReturn

from ...config.errors import UsageError

if TYPE_CHECKING:  # type checkers refuse both themselves

    class AsyncOnly:
        """Opened by `async with`."""

    class SyncOnly:
        """Opened by `with`."""

else:

    class AsyncOnly:
        """Opened by `async with`; `with` raises UsageError."""

        def __enter__(self) -> NoReturn:
            raise UsageError(
                "the runner is opened by `async with`",
                hint="use `async with Runner() as runner:`, or `with SyncRunner() as runner:`",
            )

        def __exit__(self, *_: object) -> None:
            pass

    class SyncOnly:
        """Opened by `with`; `async with` raises UsageError."""

        async def __aenter__(self) -> NoReturn:
            raise UsageError(
                "the runner is opened by `with`",
                hint="use `with SyncRunner() as runner:`, or `async with Runner() as runner:`",
            )

        async def __aexit__(self, *_: object) -> None:
            pass
