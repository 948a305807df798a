"""The state of a module as a flat dictionary of tensors, and back."""

from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..._tensor import Tensor
from ..._tensor.attributes import RemovableHandle
from ...autograd import no_grad
from ..parameter import Parameter
from .conversion import exchanged, get_swap_module_params_on_conversion
from .traversal import Traversal

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """Result of `load_state_dict`: missing and unexpected names."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Kept:
    """Wrapper that marks the kind of a hook. It holds no module, because copies of a module share it."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        """Call the hook."""
        return self.hook(*args)


class WithModule(Kept):
    """A hook that takes the module as its first argument."""


class MayReplace(Kept):
    """A hook on states that may return another dictionary."""


class State(Traversal):
    """The part of `Module` that saves and loads states."""

    _version = 1

    # ---- saving ------------------------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """Return all parameters and persistent buffers by their dotted names.

        Args:
            destination: dictionary to fill instead of a new one.
            prefix: prefix of all names.
            keep_vars: return the parameters themselves instead of detached tensors that share their memory.

        Returns:
            An ordered dictionary of tensors that share the module's memory.
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead: "
                "state_dict(destination=, prefix=, keep_vars=)",
                FutureWarning,
                stacklevel=2,
            )
            positional = dict(zip(("destination", "prefix", "keep_vars"), args))
            return self.state_dict(
                **{"destination": destination, "prefix": prefix, "keep_vars": keep_vars, **positional}
            )
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # the version of each module, by its dotted name
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in tuple(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in tuple(self._state_dict_hooks.values()):
            replaced = hook(self, destination, prefix, local_metadata)
            if replaced is not None:
                if not isinstance(hook, MayReplace):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = replaced
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put the module's own state into `destination`; a subclass may override it."""
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars else value.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _own_state(self) -> dict[str, Tensor]:
        """Return the parameters and persistent buffers of this module alone that have a value."""
        buffers = (
            (name, value) for name, value in self._buffers.items() if name not in self._non_persistent_buffers_set
        )
        return {name: value for name, value in itertools.chain(self._parameters.items(), buffers) if value is not None}

    def get_extra_state(self) -> Any:
        """Return extra state for the state dict; for subclasses, which must then define `set_extra_state` too."""
        raise RuntimeError(f"{type(self).__name__} does not define get_extra_state()")

    def set_extra_state(self, state: Any) -> None:
        """Load the result of `get_extra_state`."""
        raise RuntimeError(f"{type(self).__name__} does not define set_extra_state(): it has no place for extra state")

    # ---- loading -----------------------------------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the values of a state dict into parameters and buffers.

        Args:
            state_dict: tensors by dotted names.
            strict: refuse missing and unexpected names.
            assign: replace parameters and buffers by the tensors themselves instead of copying.

        Returns:
            The missing names and the unexpected names.

        Raises:
            TypeError: if `state_dict` is not a mapping.
            RuntimeError: if names (with `strict`), shapes or types do not fit; what fits is copied nevertheless.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state: Any = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata
        self._load(state, metadata or {}, "", assign, (missing, unexpected, errors))
        if strict:
            if missing:
                errors.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
            if unexpected:
                errors.insert(1 if missing else 0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        if errors:
            message = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{message}")
        return _IncompatibleKeys(missing, unexpected)

    def _load(
        self, state: Any, metadata: Mapping[str, Any], prefix: str, assign: bool, lists: tuple[list[str], ...]
    ) -> None:
        """Load the state of this module and of those below it."""
        local_metadata = dict(metadata.get(prefix[:-1], {}))
        if assign:
            local_metadata["assign_to_params_buffers"] = True
        self._load_from_state_dict(state, prefix, local_metadata, True, *lists)
        for name, child in self._modules.items():
            if child is not None:
                child._load(state, metadata, f"{prefix}{name}.", assign, lists)
        incompatible = _IncompatibleKeys(lists[0], lists[1])
        for hook in tuple(self._load_state_dict_post_hooks.values()):
            if hook(self, incompatible) is not None:
                raise AssertionError(
                    "a load_state_dict post hook must change incompatible_keys in place and return None"
                )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load the module's own state; a subclass may override it, to read the states of its earlier versions."""
        for hook in tuple(self._load_state_dict_pre_hooks.values()):
            arguments = (state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
            hook(*((self, *arguments) if isinstance(hook, WithModule) else arguments))
        tensors = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, current in tensors.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            error = self._take(name, current, state_dict[key], assign, key)
            if error:
                error_msgs.append(error)
        extra = prefix + EXTRA_STATE
        if type(self).set_extra_state is not State.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, dot, _ = key[len(prefix) :].partition(".")
                    if (first not in self._modules) if dot else (first not in tensors):
                        unexpected_keys.append(key)

    def _take(self, name: str, current: Tensor, value: Any, assign: bool, key: str) -> str:
        """Copy or assign one value; return an error message, or an empty string."""
        if not isinstance(value, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                f"from checkpoint but received {type(value)}"
            )
        if (
            not current.shape and len(value.shape) == 1 and not assign
        ):  # states of torch before 0.4 have no 0-dim tensors
            value = value[0]
        if value.shape != current.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {current.shape}."
            )
        try:
            with no_grad():
                if not assign:
                    current.copy_(value)
                    return ""
                if isinstance(current, Parameter) and not isinstance(value, Parameter):
                    value = Parameter(value, requires_grad=current.requires_grad)
                if get_swap_module_params_on_conversion():
                    value = exchanged(current, current.module_load(value, assign=True))
                setattr(self, name, value)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {current.shape} and '
                f"whose dimensions in the checkpoint are {value.shape}, an exception occurred : {error.args}."
            )
        return ""

    # ---- hooks -------------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` reads the module."""
        return self._state_dict_pre_hooks.add(hook)

    def register_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after `state_dict` has read the module."""
        return self._state_dict_hooks.add(hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, metadata, strict, missing, unexpected, errors)` before loading."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., None], with_module: bool = False
    ) -> RemovableHandle:
        """As `register_load_state_dict_pre_hook`, with the module as the first argument only if `with_module`."""
        return self._load_state_dict_pre_hooks.add(WithModule(hook) if with_module else hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As `register_state_dict_post_hook`, but the hook may return another dictionary as the result."""
        return self._state_dict_hooks.add(MayReplace(hook))

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after loading; it may change the two lists in place."""
        return self._load_state_dict_post_hooks.add(hook)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
