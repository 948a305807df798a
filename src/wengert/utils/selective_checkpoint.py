"""Selective checkpointing: what runs again in the backward pass, but for operators whose results are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum
from types import TracebackType
from typing import Any

from .._core import flags
from .._core.calls.dispatch import input_word
from .._core.recording.saved import twin_of
from .._core.state.grad_mode import no_grad
from .._core.state.modes import current
from ..autograd.observers import keywords_of, name_of
from ..ops.namespaces import NAMESPACES, AtenPacket
from ..tensor import Tensor

Call = tuple[AtenPacket, int]
"""An operator, and how often it was called before."""

_TWICE = (
    "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
    "activation checkpoint."
)
_WRITTEN = "Tensor cached during selective activation checkpoint has been mutated"


class CheckpointPolicy(Enum):
    """What becomes of the result of an operator in a region that is checkpointed selectively.

    `MUST_SAVE` and `PREFER_SAVE` keep it, `MUST_RECOMPUTE` and `PREFER_RECOMPUTE` compute it again. To keep it in the
    memory of the CPU is to keep it, here.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_COMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)


class SelectiveCheckpointContext:
    """What a policy is told beside the call.

    Args:
        is_recompute: always False: policies are asked when the region runs for the first time only.
        op_output: what the operator returned.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


Policy = Callable[..., "CheckpointPolicy | bool"]
"""A function of a `SelectiveCheckpointContext`, the operator and its arguments."""


class _Kept:
    """A result without its history, and the version that its memory had."""

    def __init__(self, made: Tensor) -> None:
        with no_grad():
            self.tensor = made.detach()
        self.version = self.tensor._version

    def give(self, allow_mutation: bool) -> Tensor:
        """The result.

        Raises:
            RuntimeError: it was written to since.
        """
        if not allow_mutation and self.tensor._version != self.version:
            raise RuntimeError(_WRITTEN)
        return twin_of(self.tensor)


class _Region:
    """A run of a region: observes each call of an operator in this thread.

    Attributes:
        counts: calls so far, by operator.
        kept: what is kept; None for what was given back.
    """

    def __init__(self, kept: dict[Call, Any]) -> None:
        self.kept = kept
        self.counts: Counter[AtenPacket] = Counter()

    def __enter__(self) -> _Region:
        self.counts.clear()
        modes = current()
        self.before, self.word = modes.observers, modes.word
        modes.observe([*modes.observers, self.observe])
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        modes = current()
        modes.observers = self.before  # stores only, see `_core.state.modes`
        modes.word = self.word & ~flags.PROFILED | modes.profiled

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """See one call: `unusual.observed`.

        Views and writes are made each time, there is nothing to keep of them; so are random numbers, which are the
        same, and whose generator has to be moved on.
        """
        if op.name == "detach":
            return proceed()
        packet = packet_of(op)
        call = packet, self.counts[packet]
        self.counts[packet] += 1
        if op.written(args) is not None or op.view or op.random:
            self.ask(call, op, args, made := proceed())
            return made
        return self.result(call, op, args, proceed)

    def ask(self, call: Call, op: Any, args: tuple[Any, ...], made: Any) -> bool:
        """Ask the policy whether a result is to be kept; where the region runs again nobody is asked."""
        return False

    def result(self, call: Call, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """What the operator returns."""
        raise NotImplementedError


class _Caching(_Region):
    """The first run, which keeps what the policy says.

    Args:
        kept: where it is kept.
        policy: see `Policy`.
    """

    def __init__(self, kept: dict[Call, Any], policy: Policy) -> None:
        super().__init__(kept)
        self.policy = policy

    def __enter__(self) -> _Region:
        self.kept.clear()
        return super().__enter__()

    def ask(self, call: Call, op: Any, args: tuple[Any, ...], made: Any) -> bool:
        """Ask the policy.

        Raises:
            TypeError: it answers with something else.
        """
        context = SelectiveCheckpointContext(is_recompute=False, op_output=made)
        answer = self.policy(context, call[0], *args[: op.positional], **keywords_of(op, args))
        if isinstance(answer, bool):
            return answer
        if not isinstance(answer, CheckpointPolicy):
            raise TypeError(
                f"a policy of selective checkpoints must return a CheckpointPolicy or a bool, got {answer!r}"
            )
        return answer not in _COMPUTED

    def result(self, call: Call, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Compute it, and keep it if the policy says so."""
        made = proceed()
        if self.ask(call, op, args, made):
            self.kept[call] = tuple(map(_Kept, made)) if isinstance(made, tuple) else _Kept(made)
        return made


class _Cached(_Region):
    """The run in the backward pass.

    Args:
        kept: what the first one kept.
        allow_mutation: give back also what was written to since.
    """

    def __init__(self, kept: dict[Call, Any], allow_mutation: bool) -> None:
        super().__init__(kept)
        self.allow_mutation = allow_mutation

    def result(self, call: Call, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Give it back if it is kept, with its place in the history.

        Raises:
            RuntimeError: it was given back before, or written to since.
        """
        if call not in self.kept:
            return proceed()
        if (kept := self.kept[call]) is None:
            raise RuntimeError(_TWICE)
        modes = current()
        word = (input_word(op, args) | modes.word) & modes.mask
        if word & (flags.DUAL | flags.BATCHED | flags.LEVELS | flags.BATCHES):
            return proceed()  # a derivative or a batch that was not there
        parts = kept if isinstance(kept, tuple) else (kept,)
        results = tuple([each.give(self.allow_mutation) for each in parts])
        made = results if isinstance(kept, tuple) else results[0]
        self.kept[call] = None
        op.remember(args, made, word, modes)
        return made


def packet_of(op: Any) -> AtenPacket:
    """An operator as programs name it, `torch.ops.aten.mm`."""
    name = name_of(op)
    aten = NAMESPACES["aten"]
    try:
        found: AtenPacket = getattr(aten, name)
    except AttributeError:  # it has another name here
        found = vars(aten).setdefault(name, AtenPacket(name, op))
    return found


def _keeping(chosen: frozenset[AtenPacket]) -> Policy:
    """The policy that keeps the results of some operators."""

    def policy(context: SelectiveCheckpointContext, op: AtenPacket, *args: Any, **kwargs: Any) -> bool:
        return op in chosen

    return policy


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Policy | list[Any], allow_cache_entry_mutation: bool = False
) -> tuple[_Region, _Region]:
    """Contexts for the `context_fn` of `checkpoint`: of some operators the results are kept instead of computed again.

    Views, writes, draws of random numbers, and what happens under forward mode or `vmap` are always done again.

    Args:
        policy_fn_or_list: a function of a `SelectiveCheckpointContext`, the operator (`torch.ops.aten.mm.default`, say)
            and its arguments, which returns a `CheckpointPolicy`, or True to keep the result; or a list of the
            operators whose results are kept.
        allow_cache_entry_mutation: do not refuse results that were written to since.

    Returns:
        The context of the first run, and that of the run in the backward pass, which may be one only.

    Raises:
        TypeError: there is neither a function nor a list.
        ValueError: an element of the list is no operator.

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
        for each in policy_fn_or_list:
            if not isinstance(each, AtenPacket):
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {each} of type {type(each)}. Take "
                    "operators from torch.ops.aten, such as torch.ops.aten.mm.default."
                )
        policy = _keeping(frozenset(policy_fn_or_list))
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept: dict[Call, Any] = {}
    return _Caching(kept, policy), _Cached(kept, allow_cache_entry_mutation)


__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]
