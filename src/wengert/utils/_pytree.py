"""Nested containers taken apart and put together, under the names of `torch.utils._pytree`, which libraries use.

Containers are tuples, lists, named tuples, `Size`, the classes of `return_types`, dictionaries of the three usual
kinds, deques, and the classes that a program registers; all else, None too, is a leaf.
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
    "GetAttrKey", "KeyEntry", "KeyPath", "LeafSpec", "MappingKey", "SequenceKey", "TreeSpec", "is_namedtuple",
    "is_namedtuple_class", "is_namedtuple_instance", "is_structseq", "is_structseq_class", "is_structseq_instance",
    "key_get", "keystr", "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only",
    "tree_flatten", "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_leaves_with_path",
    "tree_map", "tree_map_", "tree_map_only", "tree_map_only_", "tree_map_with_path", "tree_structure",
    "tree_unflatten", "treespec_dumps", "treespec_loads", "treespec_pprint",
]  # fmt: skip

PyTree = Any
Context = Any
Leafhood = Callable[[Any], bool] | None


class NodeDef(NamedTuple):
    """How containers of a class are opened: to their parts and what else there is to know; how they are made; and how
    they are opened with the step to each part, if that is known.
    """

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
    Size: NodeDef(kinds._tuple_flatten, kinds._tuple_unflatten),  # a tuple comes back: leaves may be anything
}
"""All classes of containers; one function stands for all classes of named tuples, as in torch."""
BUILT_IN = frozenset(SUPPORTED_NODES) - {Size}
"""Those that `flatten_up_to` compares as containers of Python's; the others are a program's or a library's."""
SUPPORTED_NODES |= {
    cls: SUPPORTED_NODES[cls]._replace(flatten_with_keys_fn=flatten) for cls, flatten in WITH_KEYS.items()
}


RESULTS = "wengert.return_types"


def register_results(cls: type) -> None:
    """Let instances of a class of `return_types` be containers."""
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
    """Let instances of a class be containers.

    Args:
        cls: the class.
        flatten_fn: gives the parts of an instance, and what else is needed to make it again.
        unflatten_fn: makes an instance of parts and that.
        flatten_with_keys_fn: as `flatten_fn`, with pairs of a step and a part: what functions of paths need.
        options: `serialized_type_name`, `to_dumpable_context` and `from_dumpable_context` are for
            `treespec_dumps`.

    Raises:
        ValueError: the class is registered.
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
        if kind.__module__ == RESULTS:  # that of results in `out`, which is made when it is needed
            register_results(kind)
    return kind


def tree_is_leaf(tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Whether something is no container, or one that `is_leaf` takes for none."""
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf


class TreeSpec:
    """The structure of nested containers.

    Attributes:
        type: the class of the outermost one, None for a leaf.
        context: what its class needs to make it again beside its parts.
        num_leaves, num_nodes, num_children: leaves below, all structures below and this one, parts.
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
        """Whether this is the structure of a single leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """The structures of the parts."""
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        """The structure of one part."""
        return self.children_specs[index]

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """Containers of this structure with these leaves.

        Raises:
            ValueError: there are more or fewer leaves than places.
        """
        leaves_list = list(leaves)
        if len(leaves_list) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves_list)} but the spec refers to a pytree "
                f"that holds {self.num_leaves} items ({self})."
            )
        return self._made(iter(leaves_list))

    def _made(self, leaves: Iterator[Any]) -> PyTree:
        if self.is_leaf():
            return next(leaves)
        parts = [spec._made(leaves) for spec in self.children_specs]
        return SUPPORTED_NODES[self.type].unflatten_fn(parts, self.context)

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """What stands in a tree at the places of this structure's leaves.

        Raises:
            ValueError: the tree has other containers.
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
    """The leaves of nested containers from left to right, and the structure.

    Args:
        tree: containers, or a leaf.
        is_leaf: says of a container whether it is to be a leaf.

    >>> from wengert.utils._pytree import tree_flatten
    >>> tree_flatten({"a": 1, "b": (2, 3)})[0]
    [1, 2, 3]
    """
    leaves: list[Any] = []
    return leaves, opened(tree, leaves, is_leaf)


def opened(tree: PyTree, leaves: list[Any], is_leaf: Leafhood) -> TreeSpec:
    """The structure of a tree, whose leaves are appended to `leaves`."""
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF
    kind = _get_node_type(tree)
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [opened(part, leaves, is_leaf) for part in parts])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Containers of a structure with these leaves.

    Raises:
        TypeError: `treespec` is no structure.
        ValueError: there are more or fewer leaves than places.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as JSON, in torch's form; raises NotImplementedError for a class of containers without a name."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return texts.dumped(treespec, protocol)


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote."""
    return texts.loaded(serialized, TreeSpec, _LEAF)  # type: ignore[no-any-return]


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Let structures with named tuples of a class be written under a name."""
    texts.NAMED_TUPLES[cls] = serialized_type_name


def treespec_pprint(treespec: TreeSpec) -> str:
    """A structure as the containers that it is of, with a star in the place of each leaf."""
    return repr(treespec.unflatten([kinds.STAR] * treespec.num_leaves))


def tree_leaves(tree: PyTree, is_leaf: Leafhood = None) -> list[Any]:
    """The leaves of nested containers from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: PyTree, is_leaf: Leafhood = None) -> Iterator[Any]:
    """An iterator over the leaves."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: PyTree, is_leaf: Leafhood = None) -> TreeSpec:
    """The structure of nested containers."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """The containers with `func(leaf, ...)` in the place of each leaf.

    Args:
        func: is given a leaf, and what stands in its place in each of `rests`.
        tree: the containers.
        rests: further ones of the same structure.
        is_leaf: says of a container whether it is to be a leaf.

    Raises:
        ValueError: the structures differ.

    >>> from wengert.utils._pytree import tree_map
    >>> tree_map(lambda a, b: a + b, (1, [2]), (3, [4]))
    (4, [6])
    """
    leaves, structure = tree_flatten(tree, is_leaf)
    others = [structure.flatten_up_to(rest) for rest in rests]
    return structure.unflatten([func(*row) for row in zip(leaves, *others)])


def tree_leaves_with_path(tree: PyTree, is_leaf: Leafhood = None) -> list[tuple[KeyPath, Any]]:
    """The leaves from left to right, each with the path to it.

    Raises:
        ValueError: there is an instance of a class that was registered without `flatten_with_keys_fn`.

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
    """`tree_leaves_with_path`, and the structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """`tree_map` with `func(path, leaf, ...)`."""
    pairs, structure = tree_flatten_with_path(tree, is_leaf)
    others = [structure.flatten_up_to(rest) for rest in rests]
    return structure.unflatten([func(*pair, *rest) for pair, *rest in zip(pairs, *others)])


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """Call `func` for each leaf, as `tree_map` does, and give the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def chosen(kinds: Any) -> Callable[[Any], bool]:
    """The question whether a leaf is of a class or of one of several, or what a function says of it."""
    if isinstance(kinds, type | tuple) or hasattr(kinds, "__args__"):
        return lambda leaf: isinstance(leaf, kinds)
    return kinds  # type: ignore[no-any-return]


def tree_map_only(kinds: Any, func: Any, tree: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """`tree_map` for leaves of a class, of several, or of which a function says so; the others stay."""
    wanted = chosen(kinds)
    return tree_map(lambda leaf: func(leaf) if wanted(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(kinds: Any, func: Any, tree: PyTree, is_leaf: Leafhood = None) -> PyTree:
    """Call `func` as `tree_map_only` does, and give the tree itself."""
    tree_map_only(kinds, func, tree, is_leaf)
    return tree


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Whether `pred` holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(kinds: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Whether `pred` holds for all leaves of a class."""
    return all(map(pred, filter(chosen(kinds), tree_iter(tree, is_leaf))))


def tree_any_only(kinds: Any, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leafhood = None) -> bool:
    """Whether `pred` holds for a leaf of a class."""
    return any(map(pred, filter(chosen(kinds), tree_iter(tree, is_leaf))))


def _same_container(kind: Any, context: Context, treespec: TreeSpec) -> bool:
    """Whether a container fits a structure: dictionaries by their keys, a tuple also a Size, a deque of any length."""
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
    """How the usual containers are opened and made: torch has these functions in this module."""
    return getattr(kinds, name)
