"""Tools of HIPS autograd: flattening of containers, fixed points, optimisers.

As there, `flatten` and `fixed_point` are functions here; an import statement of `misc.flatten` imports the module.
"""

from __future__ import annotations

from .fixed_points import fixed_point
from .flatten import flatten

__all__ = ["fixed_point", "flatten"]
