# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.immutable_collections import (
    ADVICE as ADVICE,
    Any as Any,
    Key as Key,
    NoReturn as NoReturn,
    TypeVar as TypeVar,
    Value as Value,
    dict_of as dict_of,
    immutable_dict as immutable_dict,
    immutable_list as immutable_list,
    list_of as list_of,
    refuse as refuse,
    register_pytree_node as register_pytree_node,
)
