"""Operators by namespace: those that programs declare, `torch.ops.mylib.sine`, which `library` puts here, and the
package's own under torch's name for them, `torch.ops.aten.mm`.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .._core.cards.card import find


class Namespace:
    """The operators of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'_OpNamespace' '{vars(self).get('_name')}' object has no attribute '{name}'")


class AtenPacket:
    """An operator of the package as `torch.ops.aten` gives it: a function, and what calls are counted by.

    Args:
        name: of the operator.
        function: what a call does.
    """

    def __init__(self, name: str, function: Any) -> None:
        self.__name__ = self._opname = name
        self._qualified_op_name = f"aten::{name}"
        self.function = function

    def __getattr__(self, overload: str) -> AtenPacket:
        """Itself, for `default`, `Tensor`, `dim_IntList` and so on: the forms of an operator are one function here."""
        if overload.startswith("_"):
            raise AttributeError(f"'OpOverloadPacket' 'aten' object has no attribute '{overload}'")
        return self

    def name(self) -> str:
        """The name with that of the namespace: "aten::mm"."""
        return self._qualified_op_name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self._opname}')>"

    def __str__(self) -> str:
        return f"aten.{self._opname}"


def backward_of_convolution(*args: Any, **kwargs: Any) -> NoReturn:
    """What a call of `aten.convolution_backward` gives: here its parts are several operators, this is a name.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("aten.convolution_backward: compute gradients of convolutions by autograd.grad")


class Aten(Namespace):
    """The package's operators by torch's names for them; each is there when it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        found = find(name)
        if found is None and name != "convolution_backward":
            return super().__getattr__(name)
        made = AtenPacket(name, backward_of_convolution if found is None else found.public)
        return vars(self).setdefault(name, made)


NAMESPACES: dict[str, Namespace] = {"aten": Aten("aten")}
"""Those in which operators were declared; written when one is declared only."""


def namespace(name: str) -> Namespace:
    """The namespace of that name, made on first use."""
    return NAMESPACES.setdefault(name, Namespace(name))
