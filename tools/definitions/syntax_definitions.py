"""Definitions of a file whose language has a tree-sitter grammar."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .code_definition import CodeDefinition, FileDefinitions, format_signature

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


class SyntaxKinds(NamedTuple):
    """Types of nodes."""

    definitions: frozenset[str]
    """What is listed."""
    wrappers: frozenset[str] = frozenset()
    """What is not listed itself, but what is in it."""
    prefixes: frozenset[str] = frozenset()
    """Wrappers with which the signature of the definition in them begins."""
    containers: frozenset[str] = frozenset()
    """Definitions in whose body are more."""
    prototypes: frozenset[str] = frozenset()
    """Declarations that are listed if they are of a function."""
    variables: frozenset[str] = frozenset()
    """Variables and fields that are listed if their value is a function."""
    needs_body: frozenset[str] = frozenset()
    """Definitions that only name something if they have no body."""
    bodies: frozenset[str] = frozenset()
    """Nodes before which a signature ends, where a body has no field or no braces."""


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


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


_JAVASCRIPT = SyntaxKinds(
    _split("function_declaration generator_function_declaration class_declaration")
    | {"method_definition"},
    wrappers=_split("lexical_declaration variable_declaration expression_statement"),
    prefixes=frozenset(["export_statement"]),
    containers=frozenset(["class_declaration"]),
    variables=_split("variable_declarator field_definition assignment_expression"),
)
_CLASSES = _split("abstract_class_declaration interface_declaration internal_module module")
_TYPESCRIPT = SyntaxKinds(
    _JAVASCRIPT.definitions
    | _CLASSES
    | _split("enum_declaration type_alias_declaration function_signature method_signature")
    | {"abstract_method_signature"},
    _JAVASCRIPT.wrappers | {"expression_statement"},
    _JAVASCRIPT.prefixes | {"ambient_declaration"},
    _JAVASCRIPT.containers | _CLASSES,
    variables=_JAVASCRIPT.variables | {"public_field_definition"},
)
_RUST_CONTAINERS = _split("trait_item impl_item mod_item foreign_mod_item")
_JAVA_CONTAINERS = _split("class_declaration interface_declaration enum_declaration") | _split(
    "record_declaration annotation_type_declaration"
)
_C_TYPES = _split("struct_specifier union_specifier enum_specifier")
_PREPROCESSOR = _split("preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef")
_C = SyntaxKinds(
    _C_TYPES | {"function_definition", "type_definition"},
    wrappers=_PREPROCESSOR | _split("linkage_specification declaration_list"),
    prototypes=frozenset(["declaration"]),
    needs_body=_C_TYPES,
)
_CPP_CONTAINERS = _split("class_specifier struct_specifier union_specifier namespace_definition")
_CSHARP_CONTAINERS = _split("namespace_declaration class_declaration struct_declaration") | _split(
    "interface_declaration record_declaration"
)
_KOTLIN_CONTAINERS = _split("class_declaration object_declaration companion_object")
_PHP_CONTAINERS = _split("class_declaration interface_declaration trait_declaration") | _split(
    "enum_declaration namespace_definition"
)
_RUBY_CONTAINERS = _split("module class singleton_class")
KINDS = {
    "C": _C,
    "C++": SyntaxKinds(
        _C.definitions | _CPP_CONTAINERS | {"alias_declaration", "concept_definition"},
        _C.wrappers,
        frozenset(["template_declaration"]),
        _CPP_CONTAINERS,
        _C.prototypes | {"field_declaration"},
        needs_body=_C_TYPES | _CPP_CONTAINERS,
    ),
    "C#": SyntaxKinds(
        _CSHARP_CONTAINERS
        | _split("file_scoped_namespace_declaration enum_declaration delegate_declaration")
        | _split("method_declaration constructor_declaration destructor_declaration")
        | _split("operator_declaration conversion_operator_declaration indexer_declaration")
        | _split("property_declaration local_function_statement"),
        wrappers=_split("preproc_if preproc_else preproc_elif global_statement"),
        containers=_CSHARP_CONTAINERS,
        bodies=_split("arrow_expression_clause constructor_initializer"),
    ),
    "Go": SyntaxKinds(
        _split("function_declaration method_declaration type_spec type_alias"),
        wrappers=frozenset(["type_declaration"]),
    ),
    "Java": SyntaxKinds(
        _JAVA_CONTAINERS
        | _split("method_declaration constructor_declaration compact_constructor_declaration")
        | {"annotation_type_element_declaration"},
        wrappers=frozenset(["enum_body_declarations"]),
        containers=_JAVA_CONTAINERS,
    ),
    "JavaScript": _JAVASCRIPT,
    "Kotlin": SyntaxKinds(
        _KOTLIN_CONTAINERS | _split("function_declaration secondary_constructor type_alias"),
        containers=_KOTLIN_CONTAINERS,
        bodies=_split("class_body enum_class_body function_body constructor_delegation_call")
        | {"block"},
    ),
    "PHP": SyntaxKinds(
        _PHP_CONTAINERS | _split("function_definition method_declaration"),
        wrappers=_split("expression_statement if_statement else_clause compound_statement"),
        containers=_PHP_CONTAINERS,
        variables=frozenset(["assignment_expression"]),
    ),
    "Ruby": SyntaxKinds(
        _RUBY_CONTAINERS | _split("method singleton_method"),
        wrappers=_split("argument_list if unless then else"),
        prefixes=frozenset(["call"]),
        containers=_RUBY_CONTAINERS,
        bodies=_split("body_statement end ; ="),
    ),
    "Rust": SyntaxKinds(
        _RUST_CONTAINERS
        | _split("function_item function_signature_item struct_item enum_item union_item type_item")
        | {"macro_definition"},
        containers=_RUST_CONTAINERS,
    ),
    "TSX": _TYPESCRIPT,
    "TypeScript": _TYPESCRIPT,
}
