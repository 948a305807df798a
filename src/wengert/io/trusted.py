"""Names that files may use besides tensors and containers.

They are the layers, optimisers and operators of this package, and objects that the program has allowed. A name is only
looked up here; nothing is imported for it.
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
"""Modules that files may never use, whatever the program has allowed; as in torch."""
UNSUITED = {"set_rng_state", "from_file", "from_dlpack", "frombuffer"}
"""Functions of the package that are not operators on tensors."""
ELSEWHERE = {"torch.optim._adafactor.Adafactor": "torch.optim.Adafactor", "torch.optim._muon.Muon": "torch.optim.Muon"}
"""Names of classes that are in another module in torch."""
FOREIGN = {"_codecs", "builtins", "collections", "copyreg", "functools", "numpy", "numpy._core.multiarray"}
"""Modules of Python and NumPy that files name: none is part of this package, whose list is slow to build."""
SCALER_STATE = "torch.amp.grad_scaler._refresh_per_optimizer_state"
"""Name of the factory of a dictionary in a GradScaler."""
OLDER = {"torch.nn.modules.linear._LinearWithBias": "torch.nn.modules.linear.NonDynamicallyQuantizableLinear"}
"""Names in files of older versions of torch."""

# ---- objects allowed by the program ----------------------------------------------------------------------------------

_named: dict[str, tuple[Any, Any]] = {}
"""Allowed objects by name: the object, and the argument of the program."""


def add(values: Iterable[Any]) -> None:
    """Allow files to use classes and functions.

    Args:
        values: the objects, or pairs of an object and its name in files.

    Raises:
        TypeError: if a value is neither a class nor a function, or has no name.
    """
    for value in list(values):
        for name, target in names_of(value).items():
            _named[name] = (target, value)


def remove(values: Iterable[Any]) -> None:
    """Undo `add`."""
    for value in list(values):
        for name in names_of(value):
            _named.pop(name, None)


def clear() -> None:
    """Undo all calls of `add`."""
    _named.clear()


def listed() -> list[Any]:
    """Return the values that the program has allowed, each once."""
    return list({id(function): function for _, function in _named.values()}.values())


def names_of(value: Any) -> dict[str, Any]:
    """Return the names of an object in files, and the object.

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
    module, qualname = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(qualname, str):
        raise TypeError(f"add_safe_globals(): {target!r} has no name; pass a pair of it and its name in files")
    older = _compat_pickle.REVERSE_NAME_MAPPING.get((module, qualname))
    names = [f"{module}.{qualname}", f"{_compat_pickle.REVERSE_IMPORT_MAPPING.get(module, module)}.{qualname}"]
    names += [as_torch(names[0])] + ([".".join(older)] if older else [])
    return dict.fromkeys(names, target)


# ---- names of this package -------------------------------------------------------------------------------------------


def as_torch(name: str) -> str:
    """Return torch's name for a name of this package; other names are unchanged."""
    if name.partition(".")[0] != PACKAGE:
        return name
    name = TORCH + name.removeprefix(PACKAGE)
    return ELSEWHERE.get(name, name)


def classes_of(module: Any, *bases: type) -> Iterable[type]:
    """Return the classes of a module that derive from some bases."""
    for name in {*dir(module), *vars(module)}:  # also those that are not listed, such as `_LRScheduler`
        value = getattr(module, name)
        if isinstance(value, type) and issubclass(value, bases):
            yield value


@functools.cache
def classes() -> dict[str, type]:
    """Return the layers, optimisers and schedulers whose instances files may contain, by torch's names."""
    from .. import nn, optim
    from ..amp import GradScaler
    from ..nn.modules.linear import NonDynamicallyQuantizableLinear
    from ..nn.utils.rnn import PackedSequence
    from ..nn.utils.spectral_norm import SpectralNorm
    from ..nn.utils.weight_norm import WeightNorm
    from ..optim import lr_scheduler, swa_utils

    schedulers = (lr_scheduler.LRScheduler, lr_scheduler.ReduceLROnPlateau)
    classes_ = [
        *classes_of(nn, nn.Module),
        *classes_of(optim, optim.Optimizer),
        *classes_of(lr_scheduler, *schedulers),
        *classes_of(swa_utils, nn.Module, lr_scheduler.LRScheduler),
        GradScaler,
        NonDynamicallyQuantizableLinear,
        PackedSequence,
        SpectralNorm,
        WeightNorm,
    ]
    known = {as_torch(f"{cls.__module__}.{cls.__qualname__}"): cls for cls in classes_}
    return known | {older: known[name] for older, name in OLDER.items()}


@functools.cache
def results() -> dict[str, type]:
    """Return the classes of results of operators with several results, by torch's names."""
    from ..ops import return_types

    types_ = [value for value in list(vars(return_types).values()) if hasattr(value, "n_fields")]
    return {f"torch.return_types.{cls.__name__}": cls for cls in types_}


@functools.cache
def functions() -> dict[str, Any]:
    """Return operators and functions on tensors by torch's names. Files may contain them; they are never called."""
    from ..amp.grad_scaler import fresh_state
    from ..nn import functional, init

    table: dict[str, Any] = {SCALER_STATE: fresh_state}
    table |= {f"torch.{name}": value for name, value in operators().items()}
    table |= {f"torch._C._VariableFunctionsClass.{name}": value for name, value in operators().items()}
    for name in functional.__all__:
        value = getattr(functional, name)
        if callable(value) and not isinstance(value, type):
            table |= {f"torch._C._nn.{name}": value, f"torch.nn.functional.{name}": value}
    for name, value in vars(init).items():
        if isinstance(value, FunctionType) and not name.startswith("_"):
            table[f"torch.nn.init.{name}"] = value
    return table


def operators() -> dict[str, Any]:
    """Return the operators in the namespace of the package, by name."""
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
    """Return the names of `functions` by identity; names in `nn.functional` take precedence."""
    return {id(value): name for name, value in functions().items() if not name.startswith("torch._C.")}


def function_name(value: Any) -> str | None:
    """Return the name of a function or operator of this package; None for other objects."""
    return None if getattr(value, "__module__", None) in FOREIGN else function_names().get(id(value))


# ---- meaning of names ------------------------------------------------------------------------------------------------


def find(module: str, name: str) -> Any:
    """Return the meaning of a name in a file; None if it is not allowed."""
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
    """Return whether the program has allowed an object."""
    return any(value is target for target, _ in _named.values())


def is_own(cls: Any) -> bool:
    """Return whether a class is one of `classes`."""
    return isinstance(cls, type) and cls in known_types()[0]


def is_result(cls: Any) -> bool:
    """Return whether a class is one of `results`."""
    return isinstance(cls, type) and cls in known_types()[1]


@functools.cache
def known_types() -> tuple[frozenset[type], frozenset[type]]:
    """Return the classes of `classes` and of `results`."""
    return frozenset(classes().values()), frozenset(results().values())


def may_be_held(value: Any) -> bool:
    """Return whether files may contain a function, class, or other callable."""
    if isinstance(value, functools.partial):
        return may_be_held(value.func)
    kind = type(value)
    return id(value) in function_names() or any(test(value) for test in (is_named, is_own)) or is_instance(kind)


def is_instance(cls: type) -> bool:
    """Return whether files may create instances of a class."""
    return is_own(cls) or is_named(cls)


def written(value: Any) -> str | None:
    """Return the name in files of a class or function of this package; None for others."""
    name = None if isinstance(value, type) else function_name(value)
    if name is not None:
        return name
    module = getattr(value, "__module__", None)
    if not isinstance(value, (type, FunctionType)) or not isinstance(module, str):
        return None
    return as_torch(f"{module}.{value.__qualname__}") if module.partition(".")[0] == PACKAGE else None


def is_factory(value: Any) -> bool:
    """Return whether a defaultdict may call an object: allowed by the program, or the factory of a GradScaler."""
    from ..amp.grad_scaler import fresh_state

    return is_named(value) or value is fresh_state


class NotAllowedError(UnpicklingError):
    """Raised for a file that names something that is not allowed."""


def refusal(names: Iterable[str]) -> str:
    """Return the error for refused names, with the line by which the program can allow them."""
    names = list(names)
    says = f"Unsupported global: GLOBAL {names[0]} was not an allowed global by default"
    if any(name.partition(".")[0] in BLOCKED for name in names):
        return f"{says}, and no program can allow it, as its module is blocked"
    if any(name.partition(".")[0] == TORCH for name in names):
        return f"{says}, and there is nothing of that name here that files may hold"
    line = f"wengert.serialization.add_safe_globals([{', '.join(names)}])"
    return f"{says}. If you trust the file, allow it before it is loaded: {line}"
