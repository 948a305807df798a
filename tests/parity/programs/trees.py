"""Nested containers as `torch.utils._pytree` takes them apart, which libraries use although the name is private."""

from __future__ import annotations

import collections
import importlib

from tests.parity.programs.common import caught

Pair = collections.namedtuple("Pair", "a b")


def module_of(torch, name="utils._pytree"):
    return importlib.import_module(f"{torch.__name__}.{name}")


def nested(kinds=collections):
    return (
        {"b": 1, "a": (2, 3)},
        [4, None],
        Pair(5, 6),
        kinds.OrderedDict(z=7, y=8),
        kinds.deque([9], 3),
        kinds.defaultdict(int, {"k": 10}),
    )


def shown(tree):
    """A tree as every Python shows it: ordered dictionaries look otherwise from 3.12 on."""
    ordered = collections.OrderedDict
    return repr(tuple(("ordered", dict(part)) if isinstance(part, ordered) else part for part in tree))


def taken_apart_and_put_together(torch):
    trees = module_of(torch)
    leaves, spec = trees.tree_flatten(nested())
    doubled = trees.tree_map(lambda leaf: (leaf or 0) * 2, nested())
    counts = spec.num_leaves, spec.num_nodes, spec.num_children
    return leaves, shown(trees.tree_unflatten(leaves, spec)), shown(doubled), counts


def structures(torch):
    trees = module_of(torch)
    spec = trees.tree_structure(nested()[:2])
    return [
        repr(spec),
        repr(trees.tree_structure(3)),
        repr(trees.tree_structure(())),
        spec == trees.tree_structure(nested()[:2]),
        spec == trees.tree_structure((1,)),
        trees.tree_structure({"a": 1}).context,
        trees.tree_structure(collections.deque([1], maxlen=3)).context,
        trees._get_node_type(Pair(1, 2)) is collections.namedtuple,
    ]


def leaves_that_are_chosen(torch):
    trees = module_of(torch)
    return [
        trees.tree_leaves(nested(), is_leaf=lambda each: isinstance(each, list))[2:5],
        trees.tree_map_only(int, lambda leaf: leaf + 1, [1, "a", 2.5]),
        trees.tree_map_only(lambda leaf: leaf == "a", lambda leaf: 0, [1, "a", 2.5]),
        trees.tree_all(bool, [1, 0]),
        trees.tree_any(bool, [1, 0]),
        trees.tree_all_only(int, bool, [1, ""]),
        trees.tree_any_only(int, bool, [0, "a"]),
        trees.tree_map(lambda a, b: a + b, (1, {"x": 2, "y": 3}), (4, {"y": 5, "x": 6})),
    ]


def one_tree_for_another(torch):
    trees = module_of(torch)
    spec = trees.tree_structure(((1, 2), [3]))
    return [trees._broadcast_to_and_flatten(each, spec) for each in (0, (0, 1), ((0, 1), 2), [0, 1], ((0,), 1))]


def mistakes(torch):
    trees = module_of(torch)
    spec = trees.tree_structure((1, [2]))
    return [
        caught(action)
        for action in (
            lambda: trees.tree_unflatten([1], spec),
            lambda: trees.tree_map(lambda a, b: 0, (1, 2), (1,)),
            lambda: trees.tree_map(lambda a, b: 0, (1, 2), [1, 2]),
            lambda: trees.tree_map(lambda a, b: 0, {"a": 1}, {"b": 1}),
        )
    ]


def classes_of_a_program(torch):
    trees = module_of(torch)

    class Box:
        def __init__(self, value):
            self.value = value

    trees.register_pytree_node(Box, lambda box: ([box.value], "kept"), lambda parts, kept: Box(*parts))
    spec = trees.tree_structure(Box(1))
    refused = caught(lambda: trees.register_pytree_node(list, list, list))
    return trees.tree_map(lambda leaf: leaf + 1, Box(3)).value, spec.context, type(refused).__name__


def paths_to_leaves(torch):
    trees = module_of(torch)
    tree = nested()
    found = trees.tree_leaves_with_path(tree)
    return [
        [trees.keystr(path) for path, _ in found],
        [repr(path) for path, _ in found[:2] + found[5:7]],
        all(trees.key_get(tree, path) is leaf for path, leaf in found),
        trees.tree_leaves_with_path(tree, is_leaf=lambda each: isinstance(each, dict))[0],
        trees.tree_map_with_path(lambda path, a, b: f"{trees.keystr(path)}={a + b}", {"x": [1, 2]}, {"x": [3, 4]}),
        repr(trees.tree_flatten_with_path([1, (2,)])),
        caught(lambda: trees.key_get(tree, (trees.MappingKey("none"),))),
    ]


def paths_of_classes_of_a_program(torch):
    trees = module_of(torch)

    class Named:
        def __init__(self, x):
            self.x = x

    class Unnamed(Named):
        pass

    def opened(value):
        return [value.x], None

    trees.register_pytree_node(
        Named,
        opened,
        lambda parts, _: Named(*parts),
        flatten_with_keys_fn=lambda value: ([(trees.GetAttrKey("x"), value.x)], None),
    )
    trees.register_pytree_node(Unnamed, opened, lambda parts, _: Unnamed(*parts))
    try:
        return [
            trees.keystr(trees.tree_leaves_with_path([Named([7])])[0][0]),
            caught(lambda: trees.tree_leaves_with_path([Unnamed(7)])),
        ]
    finally:
        for each in (Named, Unnamed):
            trees.SUPPORTED_NODES.pop(each)
