"""Operators by namespace: those that programs declare, `torch.ops.mylib.sine`, which `library` adds, and the package's
own under torch's name for them, `torch.ops.aten.mm`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from .._core.calls.overriding import running
from .._core.cards.card import find
from .._core.tensor.base import Tensor
from .aten_names import NAMES, ONLY_NAMES

OWN_NAMES = {theirs: ours for ours, theirs in NAMES.items()}


class Namespace:
    """The operators of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<module 'wengert.ops.{self._name}' from 'wengert.ops'>"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self})

    def __iter__(self) -> Iterator[str]:
        return (name for name in vars(self) if not name.startswith("_"))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'_OpNamespace' '{vars(self).get('_name')}' object has no attribute '{name}'")


class OpOverload:
    """Class of one form of an operator, for `isinstance(op, torch._ops.OpOverload)`."""


class OpOverloadPacket:
    """Class of all forms of an operator, for `isinstance(op, torch._ops.OpOverloadPacket)`."""


class AtenOverload(OpOverload):
    """One form of an operator of the package, `torch.ops.aten.add.Tensor`: there is one object for each.

    Args:
        packet: the operator.
        form: torch's name of the form.
    """

    namespace = "aten"

    def __init__(self, packet: AtenPacket, form: str) -> None:
        self.overloadpacket, self._overloadname = packet, form
        self._opname = packet._opname
        self.__name__ = f"{packet._opname}.{form}"
        self._name = packet.name() + ("" if form == "default" else f".{form}")
        overload = "" if form == "default" else form
        self._schema = SimpleNamespace(
            name=packet.name(), overload_name=overload, is_mutable=packet._opname.endswith("_")
        )

    def name(self) -> str:
        """Return the name with its namespace: "aten::add.Tensor"; the form "default" is omitted."""
        return self._name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator; within the dispatch mode that handles a call of it, make that call."""
        for call in reversed(getattr(running, "calls", ())):
            if call.func is self:
                return call.make(args, kwargs)
        return self.overloadpacket(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self._opname}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"aten.{self._opname}.{self._overloadname}"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.overloadpacket, self._overloadname)


class AtenPacket(OpOverloadPacket):
    """An operator of the package in `torch.ops.aten`: a function, and the key that calls are counted by.

    Args:
        name: name of the operator.
        function: the function that a call calls.
    """

    def __init__(self, name: str, function: Any) -> None:
        self.__name__ = self._opname = name
        self._qualified_op_name = f"aten::{name}"
        self.function = function

    def __getattr__(self, overload: str) -> AtenOverload:
        """Return the form of that name, `default`, `Tensor`, `dim_IntList` and so on: all are one function here."""
        if overload.startswith("_"):
            raise AttributeError(f"'OpOverloadPacket' 'aten' object has no attribute '{overload}'")
        return vars(self).setdefault(overload, AtenOverload(self, overload))

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (NAMESPACES["aten"], self._opname)

    def name(self) -> str:
        """Return the name with its namespace: "aten::mm"."""
        return self._qualified_op_name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self._opname}')>"

    def __str__(self) -> str:
        return f"aten.{self._opname}"


def refusal(name: str) -> Any:
    """Return the function of an operator of torch that is only a name here; it raises."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        if name == "convolution_backward":
            raise NotImplementedError("aten.convolution_backward: compute gradients of convolutions by autograd.grad")
        raise NotImplementedError(f"aten.{name}: this name is for comparison only, here it consists of other operators")

    return refuse


ONLY_METHODS = frozenset({"detach", "detach_"})
"""Torch's operators that are methods here, without a card."""


def function_of(name: str) -> Any:
    """Return the function of `torch.ops.aten.<name>`; None if torch or the package does not have the operator."""
    card = find(name)
    if card is not None:
        return card.public_as(name)
    if name in ONLY_METHODS:
        return getattr(Tensor, name)
    if name in ONLY_NAMES:
        return refusal(name)
    stem = name.removesuffix("_")
    if stem != name:  # an in-place form
        return getattr(Tensor, name, None) if find(stem) is not None else None
    card = find(OWN_NAMES.get(name, ""))
    return None if card is None else card.public


class Aten(Namespace):
    """The package's operators by torch's names; each is created when it is first used."""

    def __getattr__(self, name: str) -> Any:
        function = None if name.startswith("__") else function_of(name)
        if function is None:
            return super().__getattr__(name)
        return vars(self).setdefault(name, AtenPacket(name, function))

    def __reduce__(self) -> tuple[Any, ...]:
        return namespace, ("aten",)


NAMESPACES: dict[str, Namespace] = {"aten": Aten("aten")}
"""Namespaces in which operators were declared, and those that a program used; written only then."""


def namespace(name: str) -> Namespace:
    """Return the namespace of that name, created on first use."""
    return NAMESPACES.setdefault(name, Namespace(name))


LIBRARIES = {
    ("torchvision", "_C"): "wengert.vision.operators.declarations",
    ("torchvision", "image"): "wengert.vision.operators.images",
}
"""Shared libraries, by folder and first letters of their name, and the modules that declare the same operators."""


def load_library(path: str) -> None:
    """Declare the operators of a shared library, if the package has a module for it.

    No shared library is loaded: all are compiled for torch's own library, which does not exist here.

    Args:
        path: path of the library, `.../torchvision/_C.so`.

    Raises:
        OSError: if there is no such module, as if the library could not be loaded; programs then go on without it.
    """
    file = Path(path)
    stem = file.name.partition(".")[0].removesuffix("_stable")
    module = LIBRARIES.get((file.parent.name, stem))
    if module is None:
        raise OSError(f"torch.ops.load_library: {path} needs torch's own library, which is not there")
    import_module(module)
