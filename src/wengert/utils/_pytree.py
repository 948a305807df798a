"""Flattening and rebuilding of nested containers: the mirror of `torch.utils._pytree`, which libraries use.

Containers are tuples, lists, named tuples, `Size`, the classes of `return_types`, dictionaries of the three usual
kinds, deques, and the classes that a program registers; everything else, also None, is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .._tensor.attributes import Size
from ..ops import return_types
from . import pytree_kinds as kinds, pytree_text as texts
from .pytree_keys import (  # noqa: F401 - torch has them in this module
    WITH_KEYS,
    GetAttrKey,
    KeyEntry,
    KeyPath,
    MappingKey,
    SequenceKey,
    _defaultdict_flatten_with_keys,
    _deque_flatten_with_keys,
    _dict_flatten_with_keys,
    _list_flatten_with_keys,
    _namedtuple_flatten_with_keys,
    _ordereddict_flatten_with_keys,
    _tuple_flatten_with_keys,
    key_get,
    keystr,
)
from .pytree_kinds import (
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
)

__all__ = [
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "LeafSpec",
    "MappingKey",
    "SequenceKey",
    "TreeSpec",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dumps",
    "treespec_loads",
    "treespec_pprint",
]

PyTree = Any
Context = Any
Leafhood = Callable[[Any], bool] | None


class NodeDef(NamedTuple):
    """Functions of a class of containers: flatten to parts and context, unflatten, and flatten with keys (optional)."""

    flatten_fn: Callable[[Any], tuple[Any, Any]]
    unflatten_fn: Callable[[Any, Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[Any, Any]] | None = None


SUPPORTED_NODES: dict[Any, NodeDef] = {
    tuple: NodeDef(kinds._tuple_flatten, kinds._tuple_unflatten),
    list: NodeDef(kinds._list_flatten, kinds._list_unflatten),
    dict: NodeDef(kinds._dict_flatten, kinds._dict_unflatten),
    OrderedDict: NodeDef(kinds._ordereddict_flatten, kinds._ordereddict_unflatten),
    defaultdict: NodeDef(kinds._defaultdict_flatten, kinds._defaultdict_unflatten),
    namedtuple: NodeDef(kinds._namedtuple_flatten, kinds._namedtuple_unflatten),
    deque: NodeDef(kinds._deque_flatten, kinds._deque_unflatten),
    Size: NodeDef(kinds._tuple_flatten, kinds._tuple_unflatten),  # returns a tuple: leaves may be anything
}
"""All classes of containers; `namedtuple` stands for all classes of named tuples, as in torch."""
BUILT_IN = frozenset(SUPPORTED_NODES) - {Size}
"""Classes that `flatten_up_to` compares as Python's containers; the others belong to programs or libraries."""
SUPPORTED_NODES |= {
    cls: SUPPORTED_NODES[cls]._replace(flatten_with_keys_fn=flatten) for cls, flatten in WITH_KEYS.items()
}


RESULTS = "wengert.return_types"


def register_results(cls: type) -> None:
    """Register a class of `return_types` as containers."""
    SUPPORTED_NODES[cls] = NodeDef(kinds._tuple_flatten, kinds.results_unflatten(cls), _tuple_flatten_with_keys)


for _value in list(vars(return_types).values()):
    if kinds.is_structseq_class(_value):
        register_results(_value)


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], Any],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    flatten_with_keys_fn: Callable[[Any], Any] | None = None,
    **options: Any,
) -> None:
    """Register a class as containers.

    Args:
        cls: the class.
        flatten_fn: function from an instance to its parts and its context.
        unflatten_fn: function from parts and context to an instance.
        flatten_with_keys_fn: as `flatten_fn`, with pairs of a key and a part; needed by functions of paths.
        options: `serialized_type_name`, `to_dumpable_context` and `from_dumpable_context` are for
            `treespec_dumps`.

    Raises:
        ValueError: if the class is registered already.
    """
    if cls in SUPPORTED_NODES or cls in texts.NAMED_TUPLES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn, flatten_with_keys_fn)
    name, *plain = map(options.get, ("serialized_type_name", "to_dumpable_context", "from_dumpable_context"))
    if name is not None:
        texts.name_class(cls, name, *plain)


_register_pytree_node = _private_register_pytree_node = register_pytree_node


def _get_node_type(tree: Any) -> Any:
    kind = type(tree)
    if kind not in SUPPORTED_NODES and isinstance(tree, tuple):
        if kinds.is_namedtuple_class(kind):
            return namedtuple
        if kind.__module__ == RESULTS:  # results in `out`, whose class is created on demand
            register_results(kind)
    return kind


def tree_is_leaf(tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Return whether a value is not a container, or `is_leaf` declares it a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf


class TreeSpec:
    """The structure of nested containers.

    Attributes:
        type: the class of the outermost container; None for a leaf.
        context: data that its class needs, besides the parts, to rebuild it.
        num_leaves, num_nodes, num_children: the numbers of leaves, of structures including this one, and of parts.
    """

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]) -> None:
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_children = len(children_specs)
        leaf = type is None
        self.num_leaves: int = 1 if leaf else sum([spec.num_leaves for spec in children_specs])
        self.num_nodes: int = 1 + sum([spec.num_nodes for spec in children_specs])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self.children_specs) == (other.type, other.context, other.children_specs)

    def __hash__(self) -> int:
        return hash((self.type, self.num_nodes, self.num_leaves))

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        space = ",\n" + " " * (indent + 2)
        children = space.join([spec.__repr__(indent + 2) for spec in self.children_specs])
        kind = getattr(self.type, "__name__", self.type)
        return f"TreeSpec({kind}, {self.context}, [{children}])"

    def is_leaf(self) -> bool:
        """Return whether this is the structure of a single leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """Return the structures of the parts."""
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        """Return the structure of a part."""
        return self.children_specs[index]

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """Return containers of this structure with these leaves.

        Raises:
            ValueError: if the number of leaves differs from that of the structure.
        """
        leaves_list = list(leaves)
        if len(leaves_list) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves_list)} but the spec refers to a pytree "
                f"that holds {self.num_leaves} items ({self})."
            )
        return self._build(iter(leaves_list))

    def _build(self, leaves: Iterator[Any]) -> PyTree:
        if self.is_leaf():
            return next(leaves)
        parts = [spec._build(leaves) for spec in self.children_specs]
        return SUPPORTED_NODES[self.type].unflatten_fn(parts, self.context)

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """Return the values in a tree at the places of this structure's leaves.

        Raises:
            ValueError: if the tree has other containers.
        """
        if self.is_leaf():
            return [tree]
        kind = _get_node_type(tree)
        if kind is not self.type and not (kinds.is_mapping(kind) and kinds.is_mapping(self.type)):
            word = "Node type" if self.type in BUILT_IN else "Type"
            raise ValueError(f"{word} mismatch; expected {self.type!r}, but got {kind!r}.")
        parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(parts) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(parts)}.")
        if kind is namedtuple and context is not self.context:
            raise ValueError(
                f"Node context mismatch for node type {kind!r}; expected {self.context!r}, but got {context!r}."
            )
        if kinds.is_mapping(kind):
            parts = self._by_keys(dict(zip(kinds.keys_of(kind, context), parts)))
        parts_ = [spec.flatten_up_to(part) for spec, part in zip(self.children_specs, parts)]
        return [leaf for leaves in parts_ for leaf in leaves]

    def _by_keys(self, parts: dict[Any, Any]) -> list[Any]:
        keys = kinds.keys_of(self.type, self.context)
        if set(keys) != set(parts):
            missing, extra = set(keys) - set(parts), set(parts) - set(keys)
            raise ValueError(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {extra}.")
        return [parts[key] for key in keys]


class LeafSpec(TreeSpec):
    """The structure of a single leaf."""

    def __init__(self) -> None:
        super().__init__(None, None, [])


_LEAF = LeafSpec()


def tree_flatten(tree: PyTree, is_leaf: Leafhood = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of nested containers from left to right, and the structure.

    Args:
        tree: containers, or a leaf.
        is_leaf: function that returns whether a container is a leaf.

    >>> from wengert.utils._pytree import tree_flatten
    >>> tree_flatten({"a": 1, "b": (2, 3)})[0]
    [1, 2, 3]
    """
    leaves: list[Any] = []
    return leaves, opened(tree, leaves, is_leaf)


def opened(tree: PyTree, leaves: list[Any], is_leaf: Leafhood) -> TreeSpec:
    """Return the structure of a tree; its leaves are appended to `leaves`."""
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF
    kind = _get_node_type(tree)
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [opened(part, leaves, is_leaf) for part in parts])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Return containers of a structure with these leaves.

    Raises:
        TypeError: if `treespec` is not a structure.
        ValueError: if the number of leaves differs from that of the structure.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Return a structure as JSON, in torch's form; NotImplementedError for a class of containers without a name."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return texts.dumped(treespec, protocol)


def treespec_loads(serialized: str) -> TreeSpec:
    """Return the structure that `treespec_dumps` wrote."""
    return texts.loaded(serialized, TreeSpec, _LEAF)


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Register the name of a class of named tuples for `treespec_dumps`."""
    texts.NAMED_TUPLES[cls] = serialized_type_name


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return a structure as containers with a star in place of each leaf."""
    return repr(treespec.unflatten([kinds.STAR] * treespec.num_leaves))


def tree_leaves(tree: PyTree, is_leaf: Leafhood = None) -> list[Any]:
    """Return the leaves of nested containers from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: PyTree, is_leaf: Leafhood = None) -> Iterator[Any]:
    """Return an iterator over the leaves."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: PyTree, is_leaf: Leafhood = None) -> TreeSpec:
    """Return the structure of nested containers."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """Return the containers with `func(leaf, ...)` in place of each leaf.

    Args:
        func: function of a leaf and of the values in its place in each of `rests`.
        tree: the containers.
        rests: further containers of the same structure.
        is_leaf: function that returns whether a container is a leaf.

    Raises:
        ValueError: if the structures differ.

    >>> from wengert.utils._pytree import tree_map
    >>> tree_map(lambda a, b: a + b, (1, [2]), (3, [4]))
    (4, [6])
    """
    leaves, structure = tree_flatten(tree, is_leaf)
    others = [structure.flatten_up_to(rest) for rest in rests]
    return structure.unflatten([func(*row) for row in zip(leaves, *others)])


def tree_leaves_with_path(tree: PyTree, is_leaf: Leafhood = None) -> list[tuple[KeyPath, Any]]:
    """Return the leaves from left to right, each with its path.

    Raises:
        ValueError: if there is an instance of a class registered without `flatten_with_keys_fn`.

    >>> from wengert.utils._pytree import keystr, tree_leaves_with_path
    >>> [(keystr(path), leaf) for path, leaf in tree_leaves_with_path({"a": [1, 2]})]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    pairs: list[tuple[KeyPath, Any]] = []
    waiting: list[tuple[KeyPath, Any]] = [((), tree)]
    while waiting:
        path, node = waiting.pop()
        if tree_is_leaf(node, is_leaf):
            pairs.append((path, node))
            continue
        with_keys = SUPPORTED_NODES[_get_node_type(node)].flatten_with_keys_fn
        if with_keys is None:
            raise ValueError(
                f"Did not find a flatten_with_keys_fn for type: {type(node)}. Please pass a flatten_with_keys_fn "
                "argument to register_pytree_node."
            )
        waiting += [((*path, step), part) for step, part in reversed(with_keys(node)[0])]
    return pairs


def tree_flatten_with_path(tree: PyTree, is_leaf: Leafhood = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Return `tree_leaves_with_path`, and the structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """`tree_map` with `func(path, leaf, ...)`."""
    pairs, structure = tree_flatten_with_path(tree, is_leaf)
    others = [structure.flatten_up_to(rest) for rest in rests]
    return structure.unflatten([func(*pair, *rest) for pair, *rest in zip(pairs, *others)])


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """Call `func` for each leaf, as `tree_map` does, and return the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def chosen(kinds: Any) -> Callable[[Any], bool]:
    """Return a predicate for leaves: an instance check for a class or several, or the function itself."""
    if isinstance(kinds, type | tuple) or hasattr(kinds, "__args__"):
        return lambda leaf: isinstance(leaf, kinds)
    return kinds


def tree_map_only(kinds: Any, func: Any, tree: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """`tree_map` for leaves of a class or several, or for which a function is true; the others are unchanged."""
    wanted = chosen(kinds)
    return tree_map(lambda leaf: func(leaf) if wanted(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(kinds: Any, func: Any, tree: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """Call `func` as `tree_map_only` does, and return the tree itself."""
    tree_map_only(kinds, func, tree, is_leaf)
    return tree


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Return whether `pred` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Return whether `pred` holds for any leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(kinds: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Return whether `pred` holds for all leaves of a class."""
    return all(map(pred, filter(chosen(kinds), tree_iter(tree, is_leaf))))


def tree_any_only(kinds: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Return whether `pred` holds for any leaf of a class."""
    return any(map(pred, filter(chosen(kinds), tree_iter(tree, is_leaf))))


def _same_container(kind: Any, context: Context, treespec: TreeSpec) -> bool:
    """Return whether a container fits a structure: dictionaries by keys, a tuple also a Size, a deque of any length."""
    if kinds.is_mapping(kind) and kinds.is_mapping(treespec.type):
        return set(kinds.keys_of(kind, context)) == set(kinds.keys_of(treespec.type, treespec.context))
    expected = tuple if treespec.type is Size else treespec.type
    return kind is expected and (kind is deque or context == treespec.context)


def _broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec, is_leaf: Leafhood = None) -> list[Any] | None:
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    kind = _get_node_type(tree)
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    if len(parts) != treespec.num_children or not _same_container(kind, context, treespec):
        return None
    rows = [_broadcast_to_and_flatten(part, spec, is_leaf) for part, spec in zip(parts, treespec.children_specs)]
    if None in rows:
        return None
    return [leaf for leaves in rows if leaves is not None for leaf in leaves]


def __getattr__(name: str) -> Any:
    """Return functions that flatten and unflatten the usual containers, which are in this module in torch."""
    return getattr(kinds, name)
