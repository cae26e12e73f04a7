"""The settings and fixtures of the test suite."""

from postgres_server import chosen_database, postgres
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
    "chosen_database",
    "home_of_the_tests",
    "postgres",
    "provider",
    "pytest_collection",
    "pytest_collection_finish",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_ignore_collect",
    "pytest_report_header",
]
