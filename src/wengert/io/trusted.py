"""What a file may name beside tensors and containers, and under which names: this package's layers, optimisers and
operators, and what the program itself has named. A name is only ever looked up here; nothing is imported for it.
"""

from __future__ import annotations

import _compat_pickle
import functools
from collections.abc import Iterable
from pickle import UnpicklingError
from types import FunctionType
from typing import Any

PACKAGE, TORCH = "wengert", "torch"
BLOCKED = {"sys", "os", "posix", "nt"}
"""Modules from which no file takes anything, whatever the program has named; as in torch."""
UNSUITED = {"set_rng_state", "from_file", "from_dlpack", "frombuffer"}
"""Functions of the package that are no operators on tensors."""
ELSEWHERE = {
    "torch.optim._adafactor.Adafactor": "torch.optim.Adafactor", "torch.optim._muon.Muon": "torch.optim.Muon",
}  # fmt: skip
"""Names of classes that torch gives another module."""
FOREIGN = {"_codecs", "builtins", "collections", "copyreg", "functools", "numpy", "numpy._core.multiarray"}
"""Modules of Python and NumPy whose functions files name: none is one of ours, whose list takes time to be made."""
SCALER_STATE = "torch.amp.grad_scaler._refresh_per_optimizer_state"
"""What a dictionary in a GradScaler is filled with."""
OLDER = {"torch.nn.modules.linear._LinearWithBias": "torch.nn.modules.linear.NonDynamicallyQuantizableLinear"}
"""What versions of torch before this one wrote."""

# ---- what the program names ------------------------------------------------------------------------------------------

_named: dict[str, tuple[Any, Any]] = {}
"""By the names that files use: an object, and what the program gave for it."""


def add(values: Iterable[Any]) -> None:
    """Let files name classes and functions.

    Args:
        values: the objects, or pairs of an object and the name that files have for it.

    Raises:
        TypeError: if one is neither a class nor a function, or has no name.
    """
    for value in list(values):
        for name, target in names_of(value).items():
            _named[name] = (target, value)


def remove(values: Iterable[Any]) -> None:
    """Take back what `add` was given."""
    for value in list(values):
        for name in names_of(value):
            _named.pop(name, None)


def clear() -> None:
    """Take back all."""
    _named.clear()


def listed() -> list[Any]:
    """What the program has named, each once."""
    return list({id(function): function for _, function in _named.values()}.values())


def names_of(value: Any) -> dict[str, Any]:
    """The names under which files may name an object, and the object.

    Raises:
        TypeError: if it is neither a class nor a function, or has no name.
    """
    target, name = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    if not callable(target) or not isinstance(name, (str, type(None))):
        raise TypeError(
            f"add_safe_globals(): expected classes and functions, or pairs of one and its name, not {value!r}"
        )
    if name is not None:
        return {name: target}
    module, own = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(own, str):
        raise TypeError(f"add_safe_globals(): {target!r} has no name; give a pair of it and the name that files have")
    older = _compat_pickle.REVERSE_NAME_MAPPING.get((module, own))
    names = [f"{module}.{own}", f"{_compat_pickle.REVERSE_IMPORT_MAPPING.get(module, module)}.{own}"]
    names += [as_torch(names[0])] + ([".".join(older)] if older else [])
    return dict.fromkeys(names, target)


# ---- what this package has -------------------------------------------------------------------------------------------


def as_torch(name: str) -> str:
    """The name that torch has for something of this package; other names as they are."""
    if name.partition(".")[0] != PACKAGE:
        return name
    name = TORCH + name.removeprefix(PACKAGE)
    return ELSEWHERE.get(name, name)


def classes_of(module: Any, *bases: type) -> Iterable[type]:
    """The classes of a module that derive from one of some."""
    for name in dir(module):
        value = getattr(module, name)
        if isinstance(value, type) and issubclass(value, bases):
            yield value


@functools.cache
def classes() -> dict[str, type]:
    """This package's classes whose instances files may hold, by torch's names: layers, optimisers, schedulers."""
    from .. import nn, optim
    from ..amp import GradScaler
    from ..nn.modules.linear import NonDynamicallyQuantizableLinear
    from ..nn.utils.rnn import PackedSequence
    from ..nn.utils.spectral_norm import SpectralNorm
    from ..nn.utils.weight_norm import WeightNorm
    from ..optim import lr_scheduler, swa_utils

    schedulers = (lr_scheduler.LRScheduler, lr_scheduler.ReduceLROnPlateau)
    classes_ = [
        *classes_of(nn, nn.Module), *classes_of(optim, optim.Optimizer), *classes_of(lr_scheduler, *schedulers),
        *classes_of(swa_utils, nn.Module, lr_scheduler.LRScheduler), GradScaler, NonDynamicallyQuantizableLinear,
        PackedSequence, SpectralNorm, WeightNorm,
    ]  # fmt: skip
    known = {as_torch(f"{cls.__module__}.{cls.__qualname__}"): cls for cls in classes_}
    return known | {older: known[name] for older, name in OLDER.items()}


@functools.cache
def results() -> dict[str, type]:
    """The classes of what operators with several results return, by torch's names."""
    from ..ops import return_types

    types_ = [value for value in list(vars(return_types).values()) if hasattr(value, "n_fields")]
    return {f"torch.return_types.{cls.__name__}": cls for cls in types_}


@functools.cache
def functions() -> dict[str, Any]:
    """The operators and functions on tensors by torch's names. Files may hold them; none is called for a file."""
    from ..amp.grad_scaler import fresh_state
    from ..nn import functional, init

    table: dict[str, Any] = {SCALER_STATE: fresh_state}
    table |= {f"torch.{name}": value for name, value in operators().items()}
    table |= {f"torch._C._VariableFunctionsClass.{name}": value for name, value in operators().items()}
    for name in functional.__all__:
        value = getattr(functional, name)
        if callable(value) and not isinstance(value, type):
            table |= {f"torch._C._nn.{name}": value, f"torch.nn.functional.{name}": value}
    for name in dir(init):
        value = getattr(init, name)
        if isinstance(value, FunctionType) and not name.startswith("_"):
            table[f"torch.nn.init.{name}"] = value
    return table


def operators() -> dict[str, Any]:
    """The operators that the package itself has, by name."""
    import wengert

    table = {name: getattr(wengert, name) for name in dir(wengert) if not name.startswith("_")}
    kinds = (type(table["add"]), type(table["relu_"]))
    return {
        name: value
        for name, value in table.items()
        if name not in UNSUITED
        and (isinstance(value, kinds) or (isinstance(value, FunctionType) and value.__module__ == PACKAGE))
    }


@functools.cache
def function_names() -> dict[int, str]:
    """The names of `functions` by the identity of the function: the last is that of `nn.functional`, if it has one."""
    return {id(value): name for name, value in functions().items() if not name.startswith("torch._C.")}


def function_name(value: Any) -> str | None:
    """The name of a function or operator of this package; None for all else."""
    return None if getattr(value, "__module__", None) in FOREIGN else function_names().get(id(value))


# ---- what names mean -------------------------------------------------------------------------------------------------


def find(module: str, name: str) -> Any:
    """What a name in a file stands for; None if it may not be used."""
    full = f"{module}.{name}"
    if module.partition(".")[0] in BLOCKED:
        return None
    if full in _named:
        target = _named[full][0]
        return None if str(getattr(target, "__module__", "")).partition(".")[0] in BLOCKED else target
    if not full.startswith("torch."):
        return None
    return classes().get(full) or results().get(full.removesuffix("_out")) or functions().get(full)


def is_named(value: Any) -> bool:
    """Whether the program has named an object."""
    return any(value is target for target, _ in _named.values())


def is_own(cls: Any) -> bool:
    """Whether it is one of `classes`."""
    return isinstance(cls, type) and cls in own()[0]


def is_result(cls: Any) -> bool:
    """Whether it is one of `results`."""
    return isinstance(cls, type) and cls in own()[1]


@functools.cache
def own() -> tuple[frozenset[type], frozenset[type]]:
    """The classes of `classes`, and those of `results`."""
    return frozenset(classes().values()), frozenset(results().values())


def may_be_held(value: Any) -> bool:
    """Whether files may hold a function, class, or another object that can be called."""
    if isinstance(value, functools.partial):
        return may_be_held(value.func)
    kind = type(value)
    return id(value) in function_names() or any(test(value) for test in (is_named, is_own)) or is_instance(kind)


def is_instance(cls: type) -> bool:
    """Whether a class is one whose instances files make."""
    return is_own(cls) or is_named(cls)


def written(value: Any) -> str | None:
    """The name under which a class or function of this package is written; None for what others have made."""
    name = None if isinstance(value, type) else function_name(value)
    if name is not None:
        return name
    module = getattr(value, "__module__", None)
    if not isinstance(value, (type, FunctionType)) or not isinstance(module, str):
        return None
    return as_torch(f"{module}.{value.__qualname__}") if module.partition(".")[0] == PACKAGE else None


def is_factory(value: Any) -> bool:
    """Whether a defaultdict may call an object: if the program has named it, or it is that of a GradScaler."""
    from ..amp.grad_scaler import fresh_state

    return is_named(value) or value is fresh_state


class NotAllowedError(UnpicklingError):
    """A file names something that is not allowed."""


def refusal(names: Iterable[str]) -> str:
    """Why names in a file are refused, and the line by which the program may allow them."""
    names = list(names)
    says = f"Unsupported global: GLOBAL {names[0]} was not an allowed global by default"
    if any(name.partition(".")[0] in BLOCKED for name in names):
        return f"{says}, and no program can allow it, as its module is blocked"
    if any(name.partition(".")[0] == TORCH for name in names):
        return f"{says}, and there is nothing of that name here that files may hold"
    line = f"wengert.serialization.add_safe_globals([{', '.join(names)}])"
    return f"{says}. If you trust the file, allow it before it is loaded: {line}"
