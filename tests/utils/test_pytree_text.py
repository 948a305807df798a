"""Structures of nested containers as texts."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

from wengert.utils import _pytree as pytree

Point = namedtuple("Point", "x y")


class Box:
    def __init__(self, *parts):
        self.parts = parts


@pytest.mark.parametrize(
    "tree",
    [
        5,
        [],
        {"a": [1, (2, 3)], "b": None},
        OrderedDict(a=1),
        defaultdict(list, {"a": 1}),
        deque([1, 2], maxlen=5),
    ],
)
def test_a_structure_is_read_as_it_was_written(tree):
    spec = pytree.tree_structure(tree)
    text = pytree.treespec_dumps(spec)
    found = pytree.treespec_loads(text)
    assert found == spec and json.loads(text)[0] == 1
    leaves = pytree.tree_leaves(tree)
    assert pytree.tree_unflatten(leaves, found) == tree


def test_the_text_is_torchs():
    leaf = {"type": None, "context": None, "children_spec": []}
    text = pytree.treespec_dumps(pytree.tree_structure({"a": (1,)}))
    inner = {"type": "builtins.tuple", "context": "null", "children_spec": [leaf]}
    assert json.loads(text) == [1, {"type": "builtins.dict", "context": '["a"]', "children_spec": [inner]}]


def test_a_class_is_written_under_the_name_that_it_was_registered_with():
    pytree.register_pytree_node(
        Box, lambda box: (list(box.parts), None), lambda parts, _: Box(*parts), serialized_type_name="tests.Box"
    )
    spec = pytree.tree_structure(Box(1, 2))
    assert '"tests.Box"' in pytree.treespec_dumps(spec) and pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec


def test_what_has_no_name_or_is_no_structure_is_refused():
    with pytest.raises(NotImplementedError, match="Can't serialize TreeSpec of namedtuple class"):
        pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))
    with pytest.raises(TypeError, match="Expected `treespec` to be an instance of PyTreeSpec"):
        pytree.treespec_dumps(5)
    with pytest.raises(ValueError, match=r"Unknown protocol 2. Available protocols: \[1\]"):
        pytree.treespec_loads("[2, {}]")
    with pytest.raises(NotImplementedError, match="Deserializing foo in pytree is not registered"):
        pytree.treespec_loads('[1, {"type": "foo", "context": "null", "children_spec": []}]')
