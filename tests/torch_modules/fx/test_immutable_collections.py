"""Lists and dicts that cannot be changed."""

from __future__ import annotations

import copy
import pickle

import pytest
from wengert.fx.immutable_collections import immutable_dict, immutable_list

from wengert.utils import _pytree as pytree

CHANGES = {
    "list": ["append(1)", "extend([1])", "insert(0, 1)", "pop()", "remove(1)", "clear()", "sort()", "reverse()"],
    "dict": ["clear()", "pop('a')", "popitem()", "setdefault('b', 1)", "update(b=1)"],
}
SIGNS = {"list": ["v[0] = 2", "del v[0]", "v += [1]", "v *= 2"], "dict": ["v['a'] = 2", "del v['a']", "v |= {'b': 1}"]}
VALUES = {"list": immutable_list([1, 2]), "dict": immutable_dict(a=1)}


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_every_change_is_refused(kind):
    value = VALUES[kind]
    before = copy.copy(value)
    for statement in (*(f"v.{call}" for call in CHANGES[kind]), *SIGNS[kind]):
        with pytest.raises(TypeError, match="object does not support mutation"):
            exec(statement, {"v": value})
    assert value == before


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_copies_keep_the_kind(kind):
    value = VALUES[kind]
    for made in (copy.deepcopy(value), pickle.loads(pickle.dumps(value)), pytree.tree_map(lambda leaf: leaf, value)):
        assert type(made) is type(value)
        assert made == value
    assert hash(value) == hash(copy.deepcopy(value))
