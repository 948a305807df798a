"""Count of forks between this process and the one that imported the package.

A forked child has the memory of its parent, but of its threads only the one that forked. So a lock that another thread
held is held in the child for ever. Objects with a lock note the count at which it was created, and create another one
if the count has changed.
"""

from __future__ import annotations

import os

_count: int = 0


def forks() -> int:
    """Return the number of forks between the process that imported the package and this one."""
    return _count


def count_fork() -> None:
    """Count the fork of this process, in the child."""
    global _count
    _count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_fork)
