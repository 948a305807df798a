"""The classes of what `torch.ops` gives, for programs that ask of which they are."""

from __future__ import annotations

from .ops.namespaces import NAMESPACES, OpOverload, OpOverloadPacket, namespace

__all__ = ["NAMESPACES", "OpOverload", "OpOverloadPacket", "namespace"]
