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
    """Call a module with other tensors in the place of its parameters and buffers.

    Args:
        module: the module; it is as it was afterwards.
        parameter_and_buffer_dicts: tensors by the names that `named_parameters` and `named_buffers` give, in one
            dictionary or in several; what is missing stays. A buffer that the module replaces is replaced in the
            dictionary.
        args, kwargs: the arguments of the call; what is no tuple is the only argument.
        tie_weights: a tensor that the module has by several names is replaced under all of them.
        strict: refuse names that are missing, and such that the module does not have.

    Returns:
        What the module returns.

    Raises:
        TypeError: what is called is no module, or what is given or replaced is no tensor.
        AttributeError: a name leads to no module.
        ValueError: a name is in several dictionaries, or two tensors are given for one that has several names.
        RuntimeError: `strict`, and the names do not fit.

    >>> import wengert as wg
    >>> layer = wg.nn.Linear(2, 1)
    >>> given = {"weight": wg.ones(1, 2), "bias": wg.zeros(1)}
    >>> wg.func.functional_call(layer, given, (wg.tensor([1.0, 2.0]),))
    tensor([3.])
    """
    check_module("functional_call", module)
    tensors = merged(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    given_as = parameter_and_buffer_dicts if isinstance(parameter_and_buffer_dicts, dict) else tensors
    with reparametrized(module, tensors, given_as, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def reparametrized(
    module: Any, tensors: dict[str, Any], last: dict[str, Any], tie_weights: bool, strict: bool
) -> Iterator[None]:
    """A region in which a module has other parameters and buffers; see `functional_call`.

    Args:
        module: the module.
        given: the tensors by name.
        last: gets what the module has at the end of the region, by the same names.
        tie_weights, strict: as for `functional_call`.
    """
    own = places_of(module) if tie_weights or strict else {}
    places = own | {name: place_of(module, name) for name in tensors if name not in own}
    wanted = with_ties(places, tensors) if tie_weights else tensors
    if strict:
        check_names(module, own, places, wanted)
    replaced_values: dict[str, Any] = {}
    try:
        with replaced(places, wanted, replaced_values):
            yield
    finally:
        last.update({name: replaced_values.get(name, value) for name, value in tuple(tensors.items())})


def check_module(name: str, value: Any) -> None:
    """Refuse what is no module.

    Raises:
        TypeError: it is none.
    """
    if not callable(value) or not hasattr(value, "named_modules") or isinstance(value, type):
        raise TypeError(f"{name}: expected a module, but got {type(value).__name__}")


def merged(dicts: Any) -> dict[str, Any]:
    """One dictionary.

    Raises:
        ValueError: a name is in several.
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


def check_names(module: Any, own: dict[str, Place], places: dict[str, Place], wanted: dict[str, Any]) -> None:
    """Refuse tensors of the module in whose place there is none, and such that the module does not have.

    Args:
        module: the module.
        own: the places of its parameters and buffers.
        places: these, and those of all other names that were given.
        wanted: the tensors for them.

    Raises:
        RuntimeError: if there are some.
    """
    known = {(id(owner), key) for owner, key in own.values()}
    filled = {(id(places[name][0]), places[name][1]) for name in wanted}
    missing = sorted(name for name, (owner, key) in own.items() if (id(owner), key) not in filled)
    unexpected = sorted(name for name in wanted if (id(places[name][0]), places[name][1]) not in known)
    lines = []
    if unexpected:
        lines.append(f"\tUnexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing:
        lines.append(f"\tMissing key(s): {', '.join(map(repr, missing))}.")
    if lines:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n" + "\n".join(lines))


def with_ties(places: dict[str, Place], values: dict[str, Any]) -> dict[str, Any]:
    """The tensors by name, also under the other names of those that they replace.

    Raises:
        ValueError: two are given for one.
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
    """The parameters and the buffers of several modules of one kind, each stacked along a new first dimension.

    Args:
        models: modules of the same class and mode, whose parameters have the same shapes.

    Returns:
        Two dictionaries: parameters, leaves that require gradients as the modules' do, and buffers.

    Raises:
        RuntimeError: there are no models, or they differ.

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
    """One leaf of several tensors.

    Raises:
        RuntimeError: some require a gradient, others do not.
    """
    wanted = tensors[0].requires_grad
    if any(tensor.requires_grad != wanted for tensor in tensors):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return stack([tensor.detach() for tensor in tensors]).requires_grad_(wanted)


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let every batch norm in a module forget its running statistics, which a transform could not write.

    Args:
        root: changed in place, with all modules in it.

    Returns:
        `root`.
    """
    for module in root.modules():
        kinds = {kind.__name__ for kind in type(module).__mro__}  # a layer above this one has the class
        if "_BatchNorm" in kinds and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function itself: torch takes writes and views out of it for compilers, of which there is none here.

    Args:
        func: a function of tensors.
        remove: "mutations" or "mutations_and_views".

    Returns:
        A function that gives what `func` gives.

    Raises:
        RuntimeError: `remove` is something else.
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
