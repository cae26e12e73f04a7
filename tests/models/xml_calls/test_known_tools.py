"""Tools by name and alias."""

from xml_tools import KNOWN


def test_aliases_of_tools_and_arguments_are_known() -> None:
    position = KNOWN.find("writeToFile")
    assert position is not None and position.name == "write_file"
    assert position.find_schema("file_path") == position.find_schema("path") == {"type": "string"}
    assert KNOWN.find("launch_rocket") is None


def test_an_alias_is_not_a_canonical_name() -> None:
    assert KNOWN.is_canonical("read_file") and KNOWN.is_canonical("ReadFile")
    assert not KNOWN.is_canonical("read")


def test_a_name_is_known_by_its_beginning() -> None:
    assert KNOWN.has_prefix("read_f") and KNOWN.has_prefix("") and KNOWN.has_prefix("writeTo")
    assert not KNOWN.has_prefix("div")
