"""`torch.__config__`: how the package was built, as text."""

from __future__ import annotations

from wengert.info import info

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What runs here, a line each: see `python -m wengert.info`.

    >>> "wengert" in show()
    True
    """
    return "".join(f"{name}: {text}\n" for name, text in info().items())


def parallel_info() -> str:
    """How many threads there are, and the environment variables that say so.

    >>> parallel_info().splitlines()[0].startswith("threads: ")
    True
    """
    told = info()
    return f"threads: {told['threads']}\nsettings: {told['settings']}\n"
