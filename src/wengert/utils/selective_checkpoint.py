"""Contexts of selective checkpointing, with torch's names of operators."""

from __future__ import annotations

from typing import Any

from ..autograd.selective import Cached, Caching, CheckpointPolicy, Policy, Region, SelectiveCheckpointContext
from ..ops.namespaces import AtenOverload
from .overloads import overload_of


def _keeping(chosen: frozenset[AtenOverload]) -> Policy:
    """Return the policy that keeps the results of some operators."""

    def policy(context: SelectiveCheckpointContext, op: AtenOverload, *args: Any, **kwargs: Any) -> bool:
        return op in chosen

    return policy


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Policy | list[Any], allow_cache_entry_mutation: bool = False
) -> tuple[Region, Region]:
    """Return contexts for `context_fn` of `checkpoint` that keep the results of some operators.

    Views, writes, random operators, and operators under forward mode or `vmap` are always recomputed.

    Args:
        policy_fn_or_list: a function of a `SelectiveCheckpointContext`, the operator (such as
            `torch.ops.aten.mm.default`) and its arguments, which returns a `CheckpointPolicy`, or True to keep the
            result; or a list of the operators whose results are kept.
        allow_cache_entry_mutation: allow kept results that were written to since.

    Returns:
        The context of the first run, and that of the run in the backward pass, of which there can be only one.

    Raises:
        TypeError: if `policy_fn_or_list` is neither a function nor a list.
        ValueError: if an element of the list is not an operator.

    >>> import functools
    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> keep_products = functools.partial(create_selective_checkpoint_contexts, [wg.ops.aten.mm.default])
    >>> x = wg.eye(2).requires_grad_()
    >>> y = checkpoint(lambda x: (x @ x).exp().sum(), x, use_reentrant=False, context_fn=keep_products)
    >>> y.backward()
    >>> x.grad
    tensor([[5.4366, 2.0000],
            [2.0000, 5.4366]])
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, AtenOverload):
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. Take "
                    "operators from torch.ops.aten, such as torch.ops.aten.mm.default."
                )
        policy = _keeping(frozenset(policy_fn_or_list))
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    results: dict[Any, Any] = {}
    return Caching(results, overload_of, policy), Cached(results, overload_of, allow_cache_entry_mutation)


__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]
