# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.immutable_collections import (
    ADVICE as ADVICE,
    Key as Key,
    Value as Value,
    dict_of as dict_of,
    immutable_dict as immutable_dict,
    immutable_list as immutable_list,
    list_of as list_of,
    refuse as refuse,
)
