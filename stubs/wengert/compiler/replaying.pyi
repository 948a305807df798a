# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler.replaying import (
    Group as Group,
    HIGHER as HIGHER,
    KNOWN as KNOWN,
    MOST_BRANCHES as MOST_BRANCHES,
    MOST_LISTS as MOST_LISTS,
    MOST_SIGNATURES as MOST_SIGNATURES,
    NATIVES as NATIVES,
    Position as Position,
    Replaying as Replaying,
    TOO_MANY as TOO_MANY,
    facts_of as facts_of,
    modules_of as modules_of,
    name_of as name_of,
    place_in as place_in,
)
