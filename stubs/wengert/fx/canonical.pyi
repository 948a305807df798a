# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.canonical import (
    COMPARISONS as COMPARISONS,
    METHODS as METHODS,
    METHODS_ALONE as METHODS_ALONE,
    OPERATORS as OPERATORS,
    ORDER as ORDER,
    SPELLED as SPELLED,
    SPELLED_TOP as SPELLED_TOP,
    by_name as by_name,
    is_called_as_method as is_called_as_method,
    is_method as is_method,
    is_omitted as is_omitted,
    name_of_property as name_of_property,
    signature_of as signature_of,
    spelled as spelled,
)
