"""Compression of LangGraph's rows: most of a checkpoint is names and zeros."""

import zlib

# bytes; shorter rows hardly shrink
_MIN_BYTES = 60


# The first byte of zlib data. In msgpack it is the number 120, a row of one byte.
_MARK = 0x78


# bytes; no row of ours is as large, and a damaged one must not fill the memory
_MAX_BYTES = 1 << 30


# Stored rows need exactly these bytes to be read: no dictionary may ever change. What is to be
# compressed better gets a dictionary of its own, behind these.
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


_NAMES = b"".join(
    [
        *_encode_names(_MESSAGE),
        *_encode_names(_VALUES),
        *(name + _VERSION for name in _encode_names(_CHANNELS)),
    ]
)


# How LangGraph lays out a checkpoint of ours, after a call and after a turn; `@` is a version
_LAYOUT = (
    b"\xae__pregel_tasks\x91\xc8\x01\x89\x01\x93\xaflanggraph.types\xa4Send\x92\xa5tools\x8b"
    b"\xa4call\x89\xa2id\xb5call_\xa4name\xa9read_file\xa4args\x82\xa4path\xa6notice\xa0"
    b"\xa8commands\x90\xa7sandbox\xb6bubblewrap, no network\xa5files\x90\xa4rule\xa6effect"
    b"\xaaonly_reads\xc2\xa4role\xa5coder\xa4seen\xa5todos\x90\xa4tree\xa0\xa4turn\x01\xa4then"
    b"\xa5coder\xa4rest\x90\xa7allowed\x90\xaechannel_values\xde\x00\x13\xa6folder\xb8/"
    b"\xa7options\x84\xa5agent\xa5build\xa5model\xa4plan\xc2\xa7speaker\xa5build\xaacompaction\xc0"
    b"\xa4role\xa5build\xa4told\x92\xa5build\xa5build\xa5steps\xcd\x01\xadsteps_allowed\xcd\x01"
    b"\x8f\xaccost_allowed\xcb\x00\x00\x00\x00\x00\x00\x00\x00\xa4turn\xcd\x01\xa8thinking\x84"
    b"\xa8strategy\xa4auto\xa6needed\xc3\xa5model\xa0\xa6effort\xa4auto\xaamessage_id\xd9&brief"
    b"-\xa5asked\x90\xa5draft\x80\xa5queue\x90\xa7summary\xa0\xa5since\x00\xa6rounds\x00"
    b"\xa5usage\x86\xa8requests\xcd\x01\xa5input\xce\x01\xa6output\xce\x00\xa6cached\x00"
    b"\xa4cost\xcb\x00\x00\x00\x00\x00\x00\x00\x00\xa7seconds\xcb\xa7outcome\xa8answered"
    b"\xb0channel_versions\xde\x00\x1b\xa9__start__@\xa7request@\xa6folder@\xa7options@"
    b"\xb0branch:to:listen@\xa8messages@\xa4role@\xa4told@\xadsteps_allowed@\xaccost_allowed@"
    b"\xa4turn@\xa8thinking@\xaamessage_id@\xa5since@\xa5queue@\xa5asked@\xa5draft@\xa7summary@"
    b"\xa6rounds@\xa7outcome@\xb1branch:to:compact@\xafbranch:to:build@\xafcontext_message@"
    b"\xa5steps@\xa5usage@\xaacompaction@\xa4cuts@\xadversions_seen\x85\xa9__input__\x80"
    b"\xa9__start__\x81\xa9__start__@\xa6listen\x81\xb0branch:to:listen@\xa7compact\x81"
    b"\xb1branch:to:compact@\xa5build\x81\xafbranch:to:build@\xb0updated_channels\x95\xa8messag"
    b"es\xa7outcome\xa5steps\xadsteps_allowed\xa5usage"
).replace(b"@", b"\xd94" + b"0" * 28 + b".0.")


# By the checksum that zlib writes into a row; the last one is for new rows
_DICTIONARIES = {zlib.adler32(each): each for each in (_NAMES, _NAMES + _LAYOUT)}
_NEWEST = [*_DICTIONARIES.values()][-1]
# What a row of ours begins with: zlib's two bytes at its default level, and that checksum
_HEADERS = {b"\x78\xbb" + number.to_bytes(4, "big"): each for number, each in _DICTIONARIES.items()}


def compress_row(data: bytes) -> bytes:
    """Compress a msgpack row if that makes it shorter."""
    if len(data) < _MIN_BYTES:
        return data
    packer = zlib.compressobj(zdict=_NEWEST)
    small = packer.compress(data) + packer.flush()
    return small if len(small) < len(data) else data


def expand_row(stored: bytes) -> bytes:
    """Expand a stored row; raises ValueError if it is damaged."""
    if len(stored) < 2 or stored[0] != _MARK:
        return stored
    try:
        if dictionary := _HEADERS.get(stored[:6]):
            return _expand_body(stored[6:], dictionary)
        number = int.from_bytes(stored[2:6], "big")
        opener = zlib.decompressobj(zdict=_DICTIONARIES.get(number, _NAMES))
        data = opener.decompress(stored, _MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"a row is damaged: {error}") from None
    if not opener.eof:
        raise ValueError("a row is damaged: it has no end")
    return data


def _expand_body(body: bytes, dictionary: bytes) -> bytes:
    """Expand what follows the header: zlib would compute the dictionary's checksum each time."""
    opener = zlib.decompressobj(-zlib.MAX_WBITS, dictionary)
    data = opener.decompress(body, _MAX_BYTES)
    if not opener.eof or int.from_bytes(opener.unused_data[:4], "big") != zlib.adler32(data):
        raise zlib.error("its end is not what was written")
    return data
