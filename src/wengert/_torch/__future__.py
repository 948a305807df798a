"""`torch.__future__`: settings of the conversion of parameters of modules.

Unless one of the two is set, a conversion (`module.double()`) gives the parameters other values, so that they stay the
objects that an optimiser holds.
"""

from __future__ import annotations

from wengert.nn.modules.conversion import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion,
)

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]
