"""Modules that learn the shapes of their parameters from the first input."""

from __future__ import annotations

import itertools
from typing import Any, TypeVar

from ..._tensor import Tensor
from ...autograd import no_grad
from ..parameter import is_lazy
from .state import State

__all__ = ["LazyModuleMixin"]

Self = TypeVar("Self", bound="LazyModuleMixin")


class LazyModuleMixin:
    """Mixin for modules whose parameters get their shapes at the first call; then they become ordinary modules.

    It precedes the module's class among the bases. A subclass registers parameters of type `UninitializedParameter`
    and defines `initialize_parameters`, which is called with the first input.

    Attributes:
        cls_to_become: class of the module after the first call; its own if None.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyLinear(2)
    >>> layer
    LazyLinear(in_features=0, out_features=2, bias=True)
    >>> _ = layer(wg.ones(3, 4))
    >>> layer
    Linear(in_features=4, out_features=2, bias=True)
    """

    cls_to_become: Any = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        module._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        module._initialize_hook = module.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _held(self) -> Any:
        """Iterate over parameters and buffers with their names."""
        return itertools.chain(self._parameters.items(), self._buffers.items())

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, value in self._held():
            if value is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Give the parameters the shapes of the tensors that are loaded."""
        for name, value in self._held():
            loaded = state_dict.get(prefix + name)
            if is_lazy(value) and isinstance(loaded, Tensor) and not is_lazy(loaded):
                with no_grad():
                    value.materialize(loaded.shape)

    def _take(self, name: str, current: Tensor, value: Any, assign: bool, key: str) -> str:
        """Copy or assign one value as any module does; copy nothing if neither side has values yet."""
        if is_lazy(current) and is_lazy(value):
            return ""
        return State._take(self, name, current, value, assign, key)  # type: ignore[arg-type]

    def _apply(self: Self, fn: Any, recurse: bool = True) -> Self:
        """Apply `fn` as any module does; buffers without values stay as they are."""
        waiting = {name: buffer for name, buffer in self._buffers.items() if is_lazy(buffer)}
        super()._apply(fn, recurse)  # type: ignore[misc]
        for name, buffer in waiting.items():
            buffer.data = self._buffers[name]
            self._buffers[name] = buffer
        return self

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes and first values, from the arguments of the first call; for subclasses.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer has no values yet."""
        return any(is_lazy(value) for _, value in self._held())

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        """Initialise the parameters from the first input, and change the module's class to `cls_to_become`."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to "
            "correctly initialize the modules"
        )
