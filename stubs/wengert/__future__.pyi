# Made by tools/make_stub.py; do not edit.
from wengert._torch.__future__ import (
    get_overwrite_module_params_on_conversion as get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion as get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion as set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion as set_swap_module_params_on_conversion,
)
