"""Which nodes of a grammar define something, as data for each language."""

from typing import NamedTuple


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
    "Rust": SyntaxKinds(
        _RUST_CONTAINERS
        | _split("function_item function_signature_item struct_item enum_item union_item type_item")
        | {"macro_definition"},
        containers=_RUST_CONTAINERS,
    ),
    "TSX": _TYPESCRIPT,
    "TypeScript": _TYPESCRIPT,
}
