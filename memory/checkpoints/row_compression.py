"""Compression of LangGraph's rows: most of a checkpoint is names and zeros."""

import zlib

# bytes; shorter rows hardly shrink
_MIN_BYTES = 60


# The first byte of zlib data. In msgpack it is the number 120, a row of one byte.
_MARK = 0x78


# bytes; no row of ours is as large, and a damaged one must not fill the memory
_MAX_BYTES = 1 << 30


# Stored rows need exactly these bytes to be read: nothing below may ever change.
_MESSAGE = (
    "langchain_core.messages.tool ToolMessage langchain_core.messages.human HumanMessage"
    " langchain_core.messages.ai AIMessage content additional_kwargs role seen response_metadata"
    " finish_reason tool_calls length stop model_name model_provider type human ai tool name args"
    " tool_call_id status success error artifact id result-call_ brief- answer- invalid_tool_calls"
    " usage_metadata input_tokens output_tokens total_tokens input_token_details cache_read"
    " output_token_details reasoning model_validate_json"
)


_CHANNELS = (
    "__start__ request folder options messages role told steps steps_allowed cost_allowed turn"
    " asked draft queue todos completion summary tree file_entry since evidence proven accepted"
    " kept rounds usage outcome __pregel_tasks branch:to:architect branch:to:coder branch:to:tester"
    " branch:to:editor branch:to:tools branch:to:verify branch:to:review branch:to:switch"
    " branch:to:fit_schema branch:to:approve branch:to:listen branch:to:compact branch:to:plan"
    " branch:to:build"
)


_VALUES = (
    "v ts id channel_values agent build model mode ask edits auto plan speaker apply skip_tests"
    " requests input output cached cost answered verified unverified versions_seen __input__"
    " __interrupt__ architect coder tester verify review approve tools listen compact build"
    " updated_channels channel_versions"
)


_VERSION = b"\xd9\x30" + b"0" * 27


def _encode_names(names: str) -> list[bytes]:
    """Encode the names as msgpack writes them."""
    return [bytes([0xA0 | len(name)]) + name.encode() for name in names.split() if len(name) < 32]


_DICTIONARY = b"".join(
    [
        *_encode_names(_MESSAGE),
        *_encode_names(_VALUES),
        *(name + _VERSION for name in _encode_names(_CHANNELS)),
    ]
)


def compress_row(data: bytes) -> bytes:
    """Compress a msgpack row if that makes it shorter."""
    if len(data) < _MIN_BYTES:
        return data
    packer = zlib.compressobj(zdict=_DICTIONARY)
    small = packer.compress(data) + packer.flush()
    return small if len(small) < len(data) else data


def expand_row(stored: bytes) -> bytes:
    """Expand a stored row; raises ValueError if it is damaged."""
    if len(stored) < 2 or stored[0] != _MARK:
        return stored
    opener = zlib.decompressobj(zdict=_DICTIONARY)
    try:
        data = opener.decompress(stored, _MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"a row is damaged: {error}") from None
    if not opener.eof:
        raise ValueError("a row is damaged: it has no end")
    return data
