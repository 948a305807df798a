"""Seeding of the package's random numbers before each evaluation of a function that may draw some."""

from __future__ import annotations

import sys


def reseed(seed: int = 0) -> None:
    """Seed the default generator, if the package has one."""
    seeder = getattr(sys.modules[__name__.partition(".")[0]], "manual_seed", None)
    if seeder is not None:
        seeder(seed)
