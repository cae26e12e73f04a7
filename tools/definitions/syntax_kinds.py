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
    bodies: frozenset[str] = frozenset()
    """Nodes before which a signature ends, where a body has no field or no braces."""


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
