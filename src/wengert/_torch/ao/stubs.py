"""Positions in a model where tensors would be quantised and dequantised: identities, without quantised tensors."""

from __future__ import annotations

from typing import Any

from wengert.nn import Module


class QuantStub(Module):
    """The place before which tensors are floats: an identity."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """Return `x`."""
        return x


class DeQuantStub(QuantStub):
    """The place behind which tensors are floats again: an identity."""


class QuantWrapper(Module):
    """A layer between a `QuantStub` and a `DeQuantStub`."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.add_module("quant", QuantStub())
        self.add_module("dequant", DeQuantStub())
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:  # noqa: N803  torch's name
        """Return the result of the layer for `X`."""
        return self.dequant(self.module(self.quant(X)))
