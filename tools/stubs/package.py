"""The stubs of the package, `nn.functional` and `special`: functions with their signatures, and what is handed on."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import wengert
from tools.stubs.imports import COMMON, Import, used, written
from tools.stubs.signatures import definitions, forms_of, function_of, spelled
from tools.stubs.tensor import CLASSES, own_import
from wengert._core.cards.card import REGISTRY
from wengert._core.tensor import base
from wengert._start.loading import homes
from wengert._start.names import METHODS

ALIASES = [(base.__name__, alias, alias) for alias in ("_Ints", "_Number", "_Operand")]
HIDDEN = ("REGISTRY", "TYPE_CHECKING")


def public() -> dict[str, Any]:
    """What programs find in the package, its layers included."""
    layers = {"autograd", "ops", *homes("wengert")}
    values = {name: getattr(wengert, name) for name in dir(wengert) if not name.startswith("_") and name not in HIDDEN}
    return {
        name: value
        for name, value in values.items()
        if name in layers or not (isinstance(value, ModuleType) or type(value).__name__ == "_Feature")
    }


def stub() -> str:
    """The whole text."""
    exported: list[Import] = []
    values: list[str] = []
    functions: list[str] = []
    named = public()
    for name, value in named.items():
        card = REGISTRY.get(name)
        if isinstance(value, ModuleType):
            exported.append((value.__name__.rpartition(".")[0], name, name))
        elif card is not None and card.function:
            functions += definitions(name, forms_of(name, function_of(card)))
        elif name in METHODS.split():
            functions += definitions(name, [of_method(form) for form in forms_of(name, value, method=True)])
        elif isinstance(value, type) or inspect.isroutine(value) or hasattr(value, "__code__"):
            module, own, _ = own_import(value, name)
            exported.append((module, own, own if own in named else name))
            if own != name and own in named:  # a second name, which checkers would not take from an import
                values.append(f"{name} = {own}")
        elif type(value).__module__ == homes("wengert").get(name):  # the only one of its class
            exported.append((type(value).__module__, name, name))
        else:
            # the compressed layouts are of a class below
            kind = wengert.layout if isinstance(value, wengert.layout) else type(value)
            values.append(f"{name}: {None if value is None else spelled(kind.__name__)}")
    text = "\n".join(["__version__: str", *values, "", *functions]) + "\n"
    taken = {name for _, name, alias in exported if name == alias}
    plain = [entry for entry in used([*COMMON, *CLASSES, *ALIASES], text) if entry[2] not in taken]
    return "\n".join([*written(plain, exported), "", text])


def of_method(form: inspect.Signature) -> inspect.Signature:
    """The form of a function that is a method called as one."""
    _, *others = form.parameters.values()
    first = inspect.Parameter("input", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")
    return form.replace(parameters=[first, *others], return_annotation="Tensor")


def functions_stub(module: ModuleType) -> str:
    """The stub of a module of functions: `nn.functional`, `special`."""
    lines = [line for name in sorted(module.__all__) for line in definitions(name, forms_of(name, vars(module)[name]))]
    names = ["__all__ = [", *(f'    "{name}",' for name in module.__all__), "]"]
    text = "\n".join([*names, "", *lines]) + "\n"
    tensor = own_import(base.Tensor)
    return "\n".join([*written([tensor, *used([*COMMON, *CLASSES, *ALIASES], text)]), "", text])
