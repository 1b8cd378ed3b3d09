"""A pytest plugin: the tests run with the fault that KINEFIX_MUTANT names ("path:number")."""

import os

from mutant_judge import install, mutant_of


def pytest_configure() -> None:
    """Before any test imports the module."""
    install(mutant_of(os.environ["KINEFIX_MUTANT"]))
