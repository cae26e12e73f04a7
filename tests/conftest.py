"""The settings and fixtures of the test suite."""

from suite import (
    anthropic_provider,
    home_of_the_tests,
    provider,
    pytest_collection,
    pytest_collection_finish,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_ignore_collect,
    pytest_report_header,
)

__all__ = [
    "anthropic_provider",
    "home_of_the_tests",
    "provider",
    "pytest_collection",
    "pytest_collection_finish",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_ignore_collect",
    "pytest_report_header",
]
