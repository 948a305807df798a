"""Lists and dicts that cannot be changed: the arguments of nodes, whose changes the graph must know of."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from wengert.utils._pytree import register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]

Key = TypeVar("Key")
Value = TypeVar("Value")

ADVICE = """\
 object does not support mutation. If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse a change.

    Raises:
        TypeError: always; the collection is immutable.
    """
    raise TypeError(f"{type(self).__name__!r}{ADVICE}")


class immutable_list(list[Value]):  # noqa: N801 - torch's name
    """A list that cannot be changed."""

    __delitem__ = __iadd__ = __imul__ = __setitem__ = append = clear = extend = insert = pop = remove = refuse
    reverse = sort = refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (list(self),)


class immutable_dict(dict[Key, Value]):  # noqa: N801 - torch's name
    """A dict that cannot be changed."""

    __delitem__ = __ior__ = __setitem__ = clear = pop = popitem = setdefault = update = refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (dict(self),)


def list_of(values: Any, context: Any) -> immutable_list[Any]:
    """An immutable list of values."""
    return immutable_list(values)


def dict_of(values: Any, keys: Any) -> immutable_dict[Any, Any]:
    """An immutable dict of keys and values."""
    return immutable_dict(zip(keys, values, strict=True))


register_pytree_node(immutable_list, lambda value: (list(value), None), list_of)
register_pytree_node(immutable_dict, lambda value: (list(value.values()), list(value)), dict_of)
