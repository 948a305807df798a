"""`torch.__config__`: how the package was built, as text."""

from __future__ import annotations

from wengert.info import info

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Return the configuration, one item per line; see `python -m wengert.info`.

    >>> "wengert" in show()
    True
    """
    return "".join(f"{name}: {text}\n" for name, text in info().items())


def parallel_info() -> str:
    """Return the number of threads, and the environment variables that set it.

    >>> parallel_info().splitlines()[0].startswith("threads: ")
    True
    """
    details = info()
    return f"threads: {details['threads']}\nsettings: {details['settings']}\n"
