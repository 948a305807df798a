"""Parametrized tensors of modules: `module.weight` is computed from other, trained tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ...autograd import no_grad
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

DEPTH = [0]
CACHE: dict[tuple[int, str], Any] = {}
"""Number of active `cached()` contexts, and their cache: tensors by module and name."""


@contextmanager
def cached() -> Iterator[None]:
    """Context in which every parametrized tensor is computed only once."""
    DEPTH[0] += 1
    try:
        yield
    finally:
        DEPTH[0] -= 1
        if not DEPTH[0]:
            CACHE.clear()


def register(module: Any, name: str, tensor: Any) -> None:
    """Register a parameter, or a buffer."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def replace(target: Any, source: Tensor) -> None:
    """Give a tensor, which stays the same object, the memory of another tensor."""
    if target is not source:
        target.data = source.detach()


def check_same(what: str, result: Any, dtype: Any, shape: Any) -> None:
    """Refuse a result of a parametrization that is not a tensor, or has another dtype or shape.

    Raises:
        ValueError: if the value is not a tensor of this dtype and shape.
    """
    if not isinstance(result, Tensor):
        raise ValueError(f"{what} must return a tensor. Got {type(result).__name__}.")
    for word, current, wanted in (("dtype", result.dtype, dtype), ("shape", result.shape, shape)):
        if current != wanted:
            raise ValueError(
                f"Registering a parametrization may not change the {word} of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized {word}: {wanted}\nparametrized {word}: {current}"
            )


class ParametrizationList(ModuleList):
    """Parametrizations of a tensor, applied one after the other.

    Args:
        modules: the parametrizations.
        original: the tensor.
        unsafe: do not check that dtype and shape stay the same.

    Attributes:
        original: trained tensor from which the parametrized one is computed; `original0`, `original1`, ... if the
            first parametrization is a function of several tensors.

    Raises:
        ValueError: if there are no modules, or their result does not have the dtype and shape of `original`.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        dtype, shape = original.dtype, original.shape
        originals = self._inverted(original)
        self.is_tensor = isinstance(originals, Tensor)
        self.ntensors = 1 if self.is_tensor else len(originals)
        if self.is_tensor:
            if originals.dtype != dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {originals.dtype}"
                )
            replace(original, originals)
            register(self, "original", original)
        else:
            for number, tensor in enumerate(originals):
                self._register_one_of(number, tensor, original)
        if not unsafe:
            check_same("A parametrization", self(), dtype, shape)

    def _inverted(self, original: Any) -> Any:
        """Return the tensors from which `original` is computed: apply all `right_inverse` methods."""
        value = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        value = module.right_inverse(value)
        if not isinstance(value, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(value).__name__}"
            )
        return value

    def _register_one_of(self, number: int, tensor: Any, original: Any) -> None:
        """Register one of several arguments of the first parametrization."""
        if not isinstance(tensor, Tensor):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got element {number} of the sequence with type {type(tensor).__name__}."
            )
        if isinstance(original, Parameter):
            tensor = Parameter(tensor, original.requires_grad)
        register(self, f"original{number}", tensor.requires_grad_(original.requires_grad))

    def right_inverse(self, value: Any) -> None:
        """Set the parametrized tensor to `value`: `module.weight = value`.

        Raises:
            RuntimeError: if a parametrization has no `right_inverse`.
            ValueError: if the number or dtypes of the inverse's results differ from those of the original tensors.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
        names = ["original"] if self.is_tensor else [f"original{number}" for number in range(self.ntensors)]
        if self.is_tensor and not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        values = [value] if self.is_tensor else value
        if not isinstance(values, Sequence) or len(values) != len(names):
            raise ValueError(f"'right_inverse' must return a sequence of tensors of length {self.ntensors}.")
        for name, tensor in zip(names, values, strict=True):
            target = getattr(self, name)
            if target.dtype != tensor.dtype:
                raise ValueError(
                    f"The tensor returned by `right_inverse` has dtype {tensor.dtype} while `{name}` has dtype "
                    f"{target.dtype}"
                )
            replace(target, tensor)

    def forward(self) -> Any:
        """Compute the parametrized tensor."""
        if self.is_tensor:
            value = self[0](self.original)
        else:
            value = self[0](*(getattr(self, f"original{number}") for number in range(self.ntensors)))
        for module in list(self)[1:]:
            value = module(value)
        return value


def refuse_pickling(self: Any) -> Any:
    """Refuse to pickle a module whose class exists in this process only.

    Raises:
        RuntimeError: always; another process does not have the class.
    """
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(): save that, register the "
        "parametrizations again and load it"
    )


def copy_deep(self: Any, memo: dict[int, Any]) -> Any:
    """Return a deep copy of the module, with the same class."""
    result = self.__new__(type(self))
    memo[id(self)] = result
    result.__dict__ = deepcopy(self.__dict__, memo)
    return result


def give_class(module: Any) -> None:
    """Give a module its own subclass, to which properties can be added."""
    original = type(module)
    more: dict[str, Any] = {"__getstate__": refuse_pickling}
    if not hasattr(original, "__deepcopy__"):
        more["__deepcopy__"] = copy_deep
    module.__class__ = type(f"Parametrized{original.__name__}", (original,), more)


def give_property(module: Any, name: str) -> None:
    """Add a property to the class of a module that computes the tensor."""

    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not DEPTH[0]:
            return parametrization()
        key = (id(self), name)
        if key not in CACHE:
            CACHE[key] = parametrization()
        return CACHE[key]

    def set_original(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, set_original))


@boundary
def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Compute a parameter or buffer of a module by `parametrization(original)`.

    Args:
        module: the module; it gets its own subclass, `Parametrized...`.
        tensor_name: name of the parameter or buffer; if it is parametrized already, the result is parametrized further.
        parametrization: a module. Its method `right_inverse(tensor)`, if it has one, returns the `original` (or a
            sequence of tensors) for an assigned tensor, and for the initial one.
        unsafe: do not check that dtype and shape stay the same.

    Returns:
        The module.

    Raises:
        ValueError: if there is no such tensor, or its dtype or shape would change.

    >>> import wengert as wg
    >>> class Symmetric(wg.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = wg.nn.utils.parametrize.register_parametrization(wg.nn.Linear(3, 3), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.T).all()), sorted(layer.state_dict())
    (True, ['bias', 'parametrizations.weight.original'])
    """
    if not hasattr(parametrization, "train"):
        raise AttributeError(f"parametrization should be a Module, but got {type(parametrization).__name__}")
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            before = getattr(module, tensor_name)
            result = parametrization(before)
            check_same("A parametrization", result, before.dtype, before.shape)
            check_inverse(parametrization, result, tensor_name)
        known = module.parametrizations[tensor_name]
        known.append(parametrization)
        known.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        give_class(module)
        module.parametrizations = ModuleDict()
    give_property(module, tensor_name)
    module.parametrizations[tensor_name] = parametrizations
    return module


def check_inverse(parametrization: Any, current: Any, name: str) -> None:
    """Refuse a further parametrization whose inverse returns a tensor of another dtype or shape.

    Raises:
        ValueError: if the result of `right_inverse` is not a tensor of the same dtype and shape.
    """
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverse = parametrization.right_inverse(current)
    except NotImplementedError:
        return
    if not isinstance(inverse, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for word in ("dtype", "shape"):
        if getattr(inverse, word) != getattr(current, word):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {word} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{word}: {getattr(current, word)}\n"
                f"returned {word}: {getattr(inverse, word)}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Return whether a tensor of a module is parametrized; without a name, whether any is."""
    known = getattr(module, "parametrizations", None)
    if not isinstance(known, ModuleDict):
        return False
    return len(known) > 0 if tensor_name is None else tensor_name in known


@boundary
def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Remove the parametrizations of a tensor, which becomes a plain parameter or buffer.

    Args:
        module: the module.
        tensor_name: name of the tensor.
        leave_parametrized: keep the computed value, not the original.

    Returns:
        The module.

    Raises:
        ValueError: if the tensor is not parametrized, or is computed from several tensors and `leave_parametrized` is
            False.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    known = module.parametrizations[tensor_name]
    if known.is_tensor:
        original = known.original
        if leave_parametrized:
            with no_grad():
                replace(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """Return the class of a module before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


@boundary
def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Copy the parametrizations of a module, and their trained tensors, to another module.

    Args:
        from_module: source.
        to_module: destination; missing parameters are created.
        tensor_name: name of the only tensor to copy; all if not given.

    Returns:
        `to_module`.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
        known = from_module.parametrizations[name]
        for parametrization in known:
            register_parametrization(to_module, name, parametrization)
        for key, tensor in (*known._parameters.items(), *known._buffers.items()):
            setattr(to_module.parametrizations[name], key, tensor)
    return to_module
