"""How far this process is from the one that imported the package.

A forked child has the memory of its parent, but of its threads only the one that forked. So a lock that another thread
held is held in the child for ever. What has a lock notes under which number it was made, and makes another one where
the number has changed.
"""

from __future__ import annotations

import os

_count: int = 0


def forks() -> int:
    """How many forks lie between the process that imported the package and this one."""
    return _count


def count_fork() -> None:
    """This process is a child that was forked just now."""
    global _count
    _count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)
