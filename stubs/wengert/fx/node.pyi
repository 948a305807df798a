# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.node import (
    Argument as Argument,
    BaseArgumentTypes as BaseArgumentTypes,
    Function as Function,
    LEGAL as LEGAL,
    Node as Node,
    RANDOM as RANDOM,
    SIDE_EFFECTS as SIDE_EFFECTS,
    Target as Target,
    _get_qualified_name as _get_qualified_name,
    _type_repr as _type_repr,
    format_arg as format_arg,
    has_side_effect as has_side_effect,
    map_aggregate as map_aggregate,
    map_arg as map_arg,
    nodes_in as nodes_in,
    wrong_target as wrong_target,
)
