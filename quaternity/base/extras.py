"""Error for a missing optional package. The message names the extra that installs the package."""

from collections.abc import Iterator
from contextlib import contextmanager

from quaternity.base.errors import InputError


class MissingPackage(ModuleNotFoundError, InputError):
    """Error for an optional package that is not installed."""


@contextmanager
def needs_extra(purpose: str, extras: str) -> Iterator[None]:
    """Name the extras to install if an import in the block fails.

    Args:
        purpose: what the package is needed for, such as "the server needs".
        extras: a comma-separated list of extras of this distribution.

    Raises:
        MissingPackage: If a package that the block imports is not installed.
    """
    try:
        yield
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError)
        fault = (
            f"{error.name}, which is not installed; to install it: pip install '.[{extras}]'"
            if is_missing
            else f"a package that cannot be imported ({error})"
        )
        raise MissingPackage(f"{purpose} {fault}", name=error.name) from None
