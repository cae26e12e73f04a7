"""Definitions of a file whose language has a tree-sitter grammar."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .code_definition import CodeDefinition, FileDefinitions, format_signature
from .syntax_kinds import KINDS, SyntaxKinds

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# Deeper in one another no file needs to be followed
DEEPEST = 30
_ANNOTATIONS = ("decorator", "annotation", "marker_annotation", "attribute_item", "attribute_list")
_FUNCTIONS = (
    "arrow_function",
    "function_expression",
    "generator_function",
    "anonymous_function",
    "class",
)
_DECLARATORS = ("pointer_declarator", "reference_declarator", "init_declarator")


def find_syntax_definitions(source: str, language: str, parser: "Parser") -> FileDefinitions:
    """Find the definitions of a file; of a broken one what parses."""
    root = parser.parse(source.encode(errors="replace")).root_node
    definitions = list(_iter_definitions(root, KINDS[language], 0, DEEPEST))
    return FileDefinitions(definitions, is_whole=not root.has_error)


def _iter_definitions(
    parent: "Node", kinds: SyntaxKinds, depth: int, left: int, prefix: "Node | None" = None
) -> Iterator[CodeDefinition]:
    """Yield the definitions below a node; with `prefix` the signature of the first begins."""
    for node in parent.named_children if left else ():
        if node.type in kinds.wrappers or node.is_error:
            yield from _iter_definitions(node, kinds, depth, left - 1, prefix)
        elif node.type in kinds.prefixes:
            yield from _iter_definitions(node, kinds, depth, left - 1, prefix or node)
        elif signed := _find_signed(node, kinds):
            yield _build_definition(prefix or _get_statement(node), signed, depth, kinds)
            body = _find_body(node, kinds)
            if node.type in kinds.containers and body:
                yield from _iter_definitions(body, kinds, depth + 1, left - 1)
            elif node.type == "type_spec":
                yield from _iter_interface(node, depth + 1, kinds)


def _find_signed(node: "Node", kinds: SyntaxKinds) -> "Node | None":
    """Find the node whose body the signature ends at; None if nothing is defined."""
    if node.type in kinds.definitions:
        is_name = node.type in kinds.needs_body and node.child_by_field_name("body") is None
        return None if is_name else node
    if node.type in kinds.variables:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        return value if value and value.type in _FUNCTIONS else None
    return node if node.type in kinds.prototypes and _declares_function(node) else None


def _declares_function(node: "Node") -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator and declarator.type in _DECLARATORS:
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next(iter(declarator.named_children), None)
    if declarator is None or declarator.type != "function_declarator":
        return False
    name = declarator.child_by_field_name("declarator")
    return name is not None and name.type != "parenthesized_declarator"  # a pointer to a function


def _get_statement(node: "Node") -> "Node":
    """Return what a declaration begins with: `const` of a variable, `type` of Go's types."""
    parent = node.parent
    begins = node.type in ("variable_declarator", "type_spec", "type_alias")
    return parent if begins and parent and parent.named_child_count == 1 else node


def _build_definition(
    first: "Node", signed: "Node", depth: int, kinds: SyntaxKinds
) -> CodeDefinition:
    start = _skip_annotations(first)
    end = _find_end(signed, kinds)
    source = _slice_source(first, start.start_byte, end)
    return CodeDefinition(start.start_point.row + 1, depth, format_signature(source))


def _skip_annotations(node: "Node") -> "Node":
    """Return the node that the text of a definition begins with, after its annotations."""
    for child in node.children:
        if child.type == "modifiers":
            rest = [inner for inner in child.children if inner.type not in _ANNOTATIONS]
            if rest:
                return rest[0]
        elif child.type not in _ANNOTATIONS:
            return node if child == node.children[0] else child
    return node


def _find_body(node: "Node", kinds: SyntaxKinds) -> "Node | None":
    by_type = (child for child in node.named_children if child.type in kinds.bodies)
    return node.child_by_field_name("body") or next(by_type, None)


def _find_end(node: "Node", kinds: SyntaxKinds) -> int:
    """Return where the signature ends: before the body, also before initializers of C++."""
    body = node.child_by_field_name("body")
    ends = [
        child
        for child in node.children
        if child.type == "field_initializer_list" or child.type in kinds.bodies
    ]
    has_block = body and (body.text or b"").startswith(b"{")
    if body and (has_block or node.type in _FUNCTIONS):
        ends.append(body)
    return min((end.start_byte for end in ends), default=node.end_byte)


def _slice_source(node: "Node", start: int, end: int) -> str:
    """Return the source from one byte to another; both are in the node or right after it."""
    root = node
    while root.parent and root.end_byte < end:
        root = root.parent
    return (root.text or b"")[start - root.start_byte : end - root.start_byte].decode(
        errors="replace"
    )


def _iter_interface(node: "Node", depth: int, kinds: SyntaxKinds) -> Iterator[CodeDefinition]:
    """Yield the methods of one of Go's interfaces."""
    interface = node.child_by_field_name("type")
    if interface and interface.type == "interface_type":
        for child in interface.named_children:
            if child.type == "method_elem":
                yield _build_definition(child, child, depth, kinds)
