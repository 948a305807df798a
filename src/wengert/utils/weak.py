"""Dictionaries that compare keys by identity and hold them weakly."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from .._tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """Weak reference that is equal to others of the same object, and hashed by identity."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Callable[[Any], object] | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        referent = self()
        if referent is None or not isinstance(other, weakref.ref):
            return self is other
        return referent is other()

    def __ne__(self, other: object) -> bool:
        return not self == other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """Dictionary that compares keys by identity and holds them weakly: an entry is removed with its key.

    Args:
        dict: the first entries.
        ref_type: the class of the references to keys.

    >>> import wengert as wg
    >>> from wengert.utils.weak import WeakIdKeyDictionary
    >>> x, y = wg.ones(2), wg.ones(2)
    >>> names = WeakIdKeyDictionary({x: "x"})
    >>> x in names, y in names
    (True, False)
    >>> del x
    >>> len(names)
    0
    """

    def __init__(self, dict: Mapping[Any, Any] | None = None, ref_type: type[WeakIdRef] = WeakIdRef) -> None:
        self.data: dict_[WeakIdRef, Any] = {}
        self.ref_type = ref_type
        itself = weakref.ref(self)

        def remove(reference: WeakIdRef) -> None:
            left = itself()
            if left is not None:
                left.data.pop(reference, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # objects without weak references cannot be keys
            return False

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):  # keys may be freed meanwhile
            key = reference()
            if key is not None:
                yield key

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(key): value for key, value in self.items()} == {id(key): value for key, value in other.items()}

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Mapping[Any, Any]) -> WeakIdKeyDictionary:
        result = self.copy()
        result.update(other)
        return result

    def __ior__(self, other: Mapping[Any, Any]) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def copy(self) -> WeakIdKeyDictionary:
        """Return a copy of the dictionary."""
        return WeakIdKeyDictionary(self, self.ref_type)

    __copy__ = copy

    def keyrefs(self) -> list[WeakIdRef]:
        """Return the references to the keys."""
        return list(self.data)


dict_ = dict
WeakTensorKeyDictionary = WeakIdKeyDictionary
"""Dictionary of tensors, whose `==` is elementwise."""


class TensorWeakRef:
    """Weak reference to a tensor.

    Raises:
        AssertionError: if `tensor` is not a tensor.
    """

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        """Return the tensor, or None if it was freed."""
        return self.ref()
