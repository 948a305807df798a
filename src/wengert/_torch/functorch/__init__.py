"""`functorch`, from which transforms of functions came: the same functions, which warn, and modules as functions.

After `install_as_torch()` it is imported by `import functorch`. New programs use `func`.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wengert import func
from wengert._tensor import Tensor
from wengert.nn import Module

from ..torch_version import __version__ as __version__

DEPRECATED = (
    "We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{0}` is deprecated as "
    "of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use `{1}` instead; see the "
    "PyTorch 2.0 release notes and/or the `torch.func` migration guide for more details "
    "https://pytorch.org/docs/main/func.migrating.html"
)


def deprecated(function: Callable[..., Any], instead: str) -> Callable[..., Any]:
    """A function under its name of `functorch`, which warns at each call."""
    text = DEPRECATED.format(function.__name__, instead)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(text, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    call.__module__ = __name__
    return call


def same(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `func` that warns of its new place."""
    return deprecated(function, f"torch.func.{function.__name__}")


vmap = deprecated(func.vmap, "torch.vmap")
grad, grad_and_value, vjp, jvp = same(func.grad), same(func.grad_and_value), same(func.vjp), same(func.jvp)
jacrev, jacfwd, hessian = same(func.jacrev), same(func.jacfwd), same(func.hessian)
functionalize = same(func.functionalize)


class FunctionalModuleWithBuffers(Module):
    """A module as a function of its parameters and buffers: `functional(params, buffers, *args, **kwargs)`.

    Args:
        stateless_model: the module.
        param_names, buffer_names: which parameters and buffers it is called with, in their order.
        param_names_map, buffer_names_map: for each all names that the module has for it.
    """

    def __init__(
        self,
        stateless_model: Module,
        param_names: Sequence[str],
        buffer_names: Sequence[str],
        param_names_map: dict[str, list[str]],
        buffer_names_map: dict[str, list[str]],
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = tuple(param_names), tuple(buffer_names)
        self.all_names_map = {**param_names_map, **buffer_names_map}

    def forward(self, params: Iterable[Tensor], buffers: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        """Call the module with these parameters and buffers.

        Raises:
            RuntimeError: if the number of parameters or buffers differs from that of the module.
        """
        tensors = named("parameters", self.param_names, params) | named("buffers", self.buffer_names, buffers)
        return func.functional_call(self.stateless_model, tensors, args, kwargs)


class FunctionalModule(Module):
    """A module without buffers as a function of its parameters: `functional(params, *args, **kwargs)`.

    Args:
        stateless_model: the module.
        param_names: which parameters it is called with, in their order.
        names_map: for each all names that the module has for it.
    """

    def __init__(self, stateless_model: Module, param_names: Sequence[str], names_map: dict[str, list[str]]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.names_map = tuple(param_names), names_map

    def forward(self, params: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        """Call the module with these parameters.

        Raises:
            RuntimeError: if the number of parameters differs from that of the module.
        """
        return func.functional_call(self.stateless_model, named("parameters", self.param_names, params), args, kwargs)


def named(what: str, names: Sequence[str], tensors: Iterable[Tensor]) -> dict[str, Tensor]:
    """Return the tensors by name.

    Raises:
        RuntimeError: if the numbers of names and tensors differ.
    """
    values = tuple(tensors)
    if len(values) != len(names):
        raise RuntimeError(f"a functional module takes {len(names)} {what} ({', '.join(names)}), but got {len(values)}")
    return dict(zip(names, values))


def names_of(members: Iterable[tuple[str, Tensor]], everyone: Iterable[tuple[str, Tensor]]) -> dict[str, list[str]]:
    """Return all names of each tensor, by its first name."""
    names: dict[int, list[str]] = {}
    for name, tensor in everyone:
        names.setdefault(id(tensor), []).append(name)
    return {name: names[id(tensor)] for name, tensor in members}


def taken_apart(model: Module, tracked: bool) -> tuple[Module, dict[str, Any], dict[str, Any]]:
    """A copy of a module, its parameters and its buffers by name.

    Args:
        tracked: the parameters go on to require gradients.
    """
    copied = copy.deepcopy(model)
    parameters = dict(copied.named_parameters())
    if not tracked:
        for parameter in parameters.values():
            parameter.requires_grad_(False)
    return copied, parameters, dict(copied.named_buffers())


def functional_of(model: Module, tracked: bool) -> tuple[Any, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """`make_functional_with_buffers` without its warning."""
    copied, parameters, buffers = taken_apart(model, tracked)
    ties = (
        names_of(parameters.items(), copied.named_parameters(remove_duplicate=False)),
        names_of(buffers.items(), copied.named_buffers(remove_duplicate=False)),
    )
    functional = FunctionalModuleWithBuffers(copied, tuple(parameters), tuple(buffers), *ties)
    return functional, tuple(parameters.values()), tuple(buffers.values())


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """A module without buffers as a function, and copies of its parameters.

    Args:
        model: the module, which stays as it is.
        disable_autograd_tracking: whether the returned parameters require no gradient.

    Returns:
        `functional, params`; `functional(params, *args)` calls the module with these parameters.

    Raises:
        RuntimeError: if the module has buffers.

    >>> import warnings
    >>> import wengert as wg
    >>> from wengert import functorch
    >>> with warnings.catch_warnings(action="ignore"):
    ...     functional, params = functorch.make_functional(wg.nn.Linear(2, 1))
    >>> functional((wg.ones(1, 2), wg.zeros(1)), wg.tensor([1.0, 2.0]))
    tensor([3.])
    """
    if next(iter(model.buffers()), None) is not None:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    copied, parameters, _ = taken_apart(model, not disable_autograd_tracking)
    ties = names_of(parameters.items(), copied.named_parameters(remove_duplicate=False))
    return FunctionalModule(copied, tuple(parameters), ties), tuple(parameters.values())


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """A module as a function, and copies of its parameters and of its buffers.

    Args:
        model: the module, which stays as it is.
        disable_autograd_tracking: whether the returned parameters require no gradient.

    Returns:
        `functional, params, buffers`; `functional(params, buffers, *args)` calls the module with these. It writes to
        buffers as the module does.
    """
    return functional_of(model, not disable_autograd_tracking)


def combine_state_for_ensemble(models: Sequence[Module]) -> tuple[FunctionalModuleWithBuffers, Any, Any]:
    """Combine several modules of one class to one function for `vmap`, with stacked parameters and buffers.

    Returns:
        `functional, params, buffers`; the tensors require no gradient.

    Raises:
        RuntimeError: if there is no model, or the models differ in their class or training mode.
    """
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if any(model.training is not models[0].training for model in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functional, *_ = functional_of(models[0], True)
    params, buffers = func.stack_module_state(models)
    return functional, tuple(param.detach() for param in params.values()), tuple(buffers.values())


make_functional = deprecated(make_functional, "torch.func.functional_call")
make_functional_with_buffers = deprecated(make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = deprecated(combine_state_for_ensemble, "torch.func.stack_module_state")

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]
