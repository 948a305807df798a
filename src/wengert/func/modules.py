"""Modules as functions of their parameters and buffers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._start.boundary import boundary
from .._tensor import Tensor
from ..ops.shapes.join import stack
from .replaced import Place, place_of, places_of, read, replaced


@boundary
def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other tensors in place of its parameters and buffers.

    Args:
        module: the module; it is restored afterwards.
        parameter_and_buffer_dicts: tensors by the names of `named_parameters` and `named_buffers`, in one dictionary or
            in several; other tensors stay. A buffer that the module replaces is replaced in the dictionary.
        args, kwargs: the arguments of the call; an `args` that is not a tuple is the only argument.
        tie_weights: replace a tensor that has several names under all of them.
        strict: refuse missing names, and names that the module does not have.

    Returns:
        The result of the module.

    Raises:
        TypeError: if `module` is not a module, or a new or replaced value is not a tensor.
        AttributeError: if a name does not lead to a module.
        ValueError: if a name is in several dictionaries, or tied names have different tensors.
        RuntimeError: if `strict`, and the names do not fit.

    >>> import wengert as wg
    >>> layer = wg.nn.Linear(2, 1)
    >>> tensors = {"weight": wg.ones(1, 2), "bias": wg.zeros(1)}
    >>> wg.func.functional_call(layer, tensors, (wg.tensor([1.0, 2.0]),))
    tensor([3.])
    """
    check_module("functional_call", module)
    tensors = merged(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    original = parameter_and_buffer_dicts if isinstance(parameter_and_buffer_dicts, dict) else tensors
    with reparametrized(module, tensors, original, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def reparametrized(
    module: Any, tensors: dict[str, Any], last: dict[str, Any], tie_weights: bool, strict: bool
) -> Iterator[None]:
    """Context in which a module has other parameters and buffers; see `functional_call`.

    Args:
        module: the module.
        tensors: the tensors by name.
        last: receives the tensors of the module at the end, by the same names.
        tie_weights, strict: as for `functional_call`.
    """
    tied = places_of(module) if tie_weights or strict else {}
    places = tied | {name: place_of(module, name) for name in tensors if name not in tied}
    wanted = with_ties(places, tensors) if tie_weights else tensors
    if strict:
        check_names(module, tied, places, wanted)
    replaced_values: dict[str, Any] = {}
    try:
        with replaced(places, wanted, replaced_values):
            yield
    finally:
        last.update({name: replaced_values.get(name, value) for name, value in tuple(tensors.items())})


def check_module(name: str, value: Any) -> None:
    """Refuse a value that is not a module.

    Raises:
        TypeError: if `value` is not a module.
    """
    if not callable(value) or not hasattr(value, "named_modules") or isinstance(value, type):
        raise TypeError(f"{name}: expected a module, but got {type(value).__name__}")


def merged(dicts: Any) -> dict[str, Any]:
    """Merge dictionaries.

    Raises:
        ValueError: if `dicts` is not a dictionary or a sequence of dictionaries, or a name is in several of them.
    """
    if isinstance(dicts, dict):
        return dict(dicts)
    if isinstance(dicts, Sequence) and not all(isinstance(table, dict) for table in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    keys = [key for table in dicts for key in table]
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {key: value for table in dicts for key, value in table.items()}


def check_names(module: Any, tied: dict[str, Place], places: dict[str, Place], wanted: dict[str, Any]) -> None:
    """Refuse names of the module that are missing, and names that the module does not have.

    Args:
        module: the module.
        tied: the places of its parameters and buffers.
        places: these, and the places of all other names.
        wanted: the tensors for them.

    Raises:
        RuntimeError: if there are such names.
    """
    known = {(id(owner), key) for owner, key in tied.values()}
    filled = {(id(places[name][0]), places[name][1]) for name in wanted}
    missing = sorted(name for name, (owner, key) in tied.items() if (id(owner), key) not in filled)
    unexpected = sorted(name for name in wanted if (id(places[name][0]), places[name][1]) not in known)
    lines = []
    if unexpected:
        lines.append(f"\tUnexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing:
        lines.append(f"\tMissing key(s): {', '.join(map(repr, missing))}.")
    if lines:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n" + "\n".join(lines))


def with_ties(places: dict[str, Place], values: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors by name, also under the tied names of the tensors that they replace.

    Raises:
        ValueError: if tied names have different tensors.
    """
    names: dict[Any, list[str]] = {}
    for name, place in places.items():
        value = read(place)
        names.setdefault(id(value) if isinstance(value, Tensor) else name, []).append(name)
    wanted = {}
    for tied in names.values():
        tensors = [values[name] for name in tied if name in values]
        if any(tensor is not tensors[0] for tensor in tensors):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider using "
                "tie_weights=False"
            )
        wanted.update({name: tensors[0] for name in tied if tensors})
    return wanted


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Stack the parameters and buffers of several modules of the same class along a new first dimension.

    Args:
        models: modules of the same class and mode, whose parameters have the same shapes.

    Returns:
        Two dictionaries: parameters (leaves with the `requires_grad` of the modules') and buffers.

    Raises:
        RuntimeError: if there are no models, or they differ.

    >>> import wengert as wg
    >>> parameters, buffers = wg.func.stack_module_state([wg.nn.Linear(3, 2) for _ in range(5)])
    >>> parameters["weight"].shape, buffers
    (torch.Size([5, 2, 3]), {})
    """
    if not isinstance(models, (tuple, list)):
        raise TypeError(f"stack_module_state: expected a list of modules, but got {type(models).__name__}")
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    for model in models:
        check_module("stack_module_state", model)
    if any(model.training != models[0].training for model in models):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    for tables in (parameters, buffers):
        if any(table.keys() != tables[0].keys() for table in tables):
            raise RuntimeError("stack_module_state: Expected all models to have the same parameters and buffers.")
    return (
        {name: stacked_leaf(name, [parameter[name] for parameter in parameters]) for name in parameters[0]},
        {name: stacked_leaf(name, [buffer[name] for buffer in buffers]) for name in buffers[0]},
    )


def stacked_leaf(name: str, tensors: list[Any]) -> Any:
    """Stack tensors to one leaf.

    Raises:
        RuntimeError: if some tensors require a gradient and others do not.
    """
    wanted = tensors[0].requires_grad
    if any(tensor.requires_grad != wanted for tensor in tensors):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return stack([tensor.detach() for tensor in tensors]).requires_grad_(wanted)


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Remove the running statistics, which a transform cannot write, from all batch norms in a module.

    Args:
        root: changed in place, with all modules in it.

    Returns:
        `root`.
    """
    for module in root.modules():
        kinds = {kind.__name__ for kind in type(module).__mro__}  # the class is in a layer above
        if "_BatchNorm" in kinds and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return the function itself; torch removes writes and views for compilers, of which there are none here.

    Args:
        func: a function of tensors.
        remove: "mutations" or "mutations_and_views".

    Returns:
        A function with the results of `func`.

    Raises:
        RuntimeError: if `remove` is something else.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for "
            f"remove={remove}. Valid options are:\n     remove='mutations'\n     remove='mutations_and_views'"
        )

    @functools.wraps(func)
    def same(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return same
