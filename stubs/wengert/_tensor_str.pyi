# Made by tools/make_stub.py; do not edit.
from wengert._torch._tensor_str import (
    PRINT_OPTS as PRINT_OPTS,
    _Formatter as _Formatter,
    _add_suffixes as _add_suffixes,
    _scalar_str as _scalar_str,
    _str as _str,
    _str_intern as _str_intern,
    _tensor_str as _tensor_str,
    get_printoptions as get_printoptions,
    get_summarized_data as get_summarized_data,
    printoptions as printoptions,
    set_printoptions as set_printoptions,
)
