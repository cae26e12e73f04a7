"""Numbers of bytes as people read them."""


def readable(count: int) -> str:
    """Bytes in the largest fitting unit, such as `3.4 MB`."""
    for unit, bytes_ in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= bytes_:
            return f"{count / bytes_:.1f} {unit}"
    return f"{count} bytes"
