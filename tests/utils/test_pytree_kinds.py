"""How libraries register kinds of containers of their own by those of torch."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

from wengert.utils import _pytree

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("name", "value", "opened"),
    [
        ("tuple", (1, 2), ([1, 2], None)),
        ("list", [1, 2], ([1, 2], None)),
        ("dict", {"a": 1}, ([1], ["a"])),
        ("ordereddict", OrderedDict(a=1), ([1], ["a"])),
        ("odict", OrderedDict(a=1), ([1], ["a"])),
        ("defaultdict", defaultdict(int, a=1), ([1], [int, ["a"]])),
        ("namedtuple", Point(1, 2), ([1, 2], Point)),
        ("deque", deque([1], 3), ([1], 3)),
    ],
)
def test_a_kind_is_opened_and_made_again(name, value, opened):
    assert getattr(_pytree, f"_{name}_flatten")(value) == opened
    made = getattr(_pytree, f"_{name}_unflatten")(*opened)
    assert type(made) is type(value) and made == value


def test_a_class_of_a_library_is_opened_as_a_dictionary():
    class Output(OrderedDict):
        """What a model gives."""

    _pytree._private_register_pytree_node(Output, _pytree._dict_flatten, lambda parts, keys: Output(zip(keys, parts)))
    made = _pytree.tree_map(lambda each: each + 1, Output(a=1))
    assert type(made) is Output and made["a"] == 2
