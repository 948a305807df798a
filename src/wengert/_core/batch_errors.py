"""Error texts about tensors that carry a batch: torch's, with advice."""

from __future__ import annotations

from typing import Any

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
SAME_OF_BATCHED = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch, "
    "or draw with randomness='different'. {} would draw from another distribution for each member"
)
RANDOM_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "If this is necessary for your usage, make the tensor outside of vmap."
)
OUT = "vmap: {}() has no out= for tensors that carry a batch: use what it returns"


def read(what: str, shape: Any, size: int) -> str:
    """The values of a batched tensor were requested."""
    described = (
        f"of a tensor of shape {list(shape)} that stands for the {size} members of a batch, each with values of its own"
    )
    if what == "item":
        return (
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
            "Tensor, please try to rewrite what you're doing with other operations (`where`, or a tensor in the place "
            f"of the number). It was asked {described}."
        )
    if what == "bool":
        return (
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
            f"support that yet: use `where`, or compute both branches. The truth was asked {described}."
        )
    return f"vmap: {what} asks for the values {described}: do it outside of vmap."


def dynamic(name: str) -> str:
    """The shape of the result depends on the values."""
    return (
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{name}, whose result has a shape that depends on the values: the members of a batch could have "
        "different ones. Use masks (`where`) or do it outside of vmap."
    )


def by_mask(name: str) -> str:
    """The shape of the result depends on how many elements of a mask are true."""
    return (
        "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing "
        f"with a boolean mask ({name}): the members of a batch could select different numbers of elements. Use `where` "
        "or do it outside of vmap."
    )


def unbatched_target(name: str) -> str:
    """A write would need a target of its own for each member, but the target is the same for all."""
    return (
        "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
        "extra_args that has more elements than `self`. This happened due to `other` being vmapped over but `self` not "
        "being vmapped over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic "
        f"({name})."
    )


def no_rule(name: str) -> str:
    """A card has no batching rule for its operator."""
    return f"vmap: {name}() has no rule for batches. Give its card one (`@card.batched`, or `batching=`)."
