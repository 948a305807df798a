"""Selective checkpointing: what runs again in the backward pass, but for operators whose results are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any

from .._core import flags
from .._core.calls.dispatch import input_word
from .._core.recording.saved import twin_of
from .._core.state.grad_mode import no_grad
from .._core.state.modes import current
from .._tensor import Tensor
from .observers import Observing, keywords_of

Call = tuple[Hashable, int]
"""An operator, as programs name it, and how often it was called before."""

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

    def __init__(self, tensor: Tensor) -> None:
        with no_grad():
            self.tensor = tensor.detach()
        self.version = self.tensor._version

    def give(self, allow_mutation: bool) -> Tensor:
        """The result.

        Raises:
            RuntimeError: it was written to since.
        """
        if not allow_mutation and self.tensor._version != self.version:
            raise RuntimeError(_WRITTEN)
        return twin_of(self.tensor)


class Region(Observing):
    """A run of a region: observes each call of an operator in this thread.

    Args:
        kept: what is kept; None for what was given back.
        named: the operator of a call as programs name it.

    Attributes:
        counts: calls so far, by operator.
    """

    def __init__(self, kept: dict[Call, Any], named: Callable[[Any, tuple[Any, ...]], Hashable]) -> None:
        self.kept, self.named = kept, named
        self.counts: Counter[Hashable] = Counter()

    def __enter__(self) -> Region:
        self.counts.clear()
        super().__enter__()
        return self

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """See one call: `unusual.observed`.

        Views and writes are made each time, there is nothing to keep of them; so are random numbers, which are the
        same, and whose generator has to be moved on.
        """
        if op.name == "detach":
            return proceed()
        name = self.named(op, args)
        call = name, self.counts[name]
        self.counts[name] += 1
        if op.written(args) is not None or op.view or op.random:
            self.ask(call, op, args, result := proceed())
            return result
        return self.result(call, op, args, proceed)

    def ask(self, call: Call, op: Any, args: tuple[Any, ...], result: Any) -> bool:
        """Ask the policy whether a result is to be kept; where the region runs again nobody is asked."""
        return False

    def result(self, call: Call, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """What the operator returns."""
        raise NotImplementedError


class Caching(Region):
    """The first run, which keeps what the policy says.

    Args:
        kept: where it is kept.
        named: see `Region`.
        policy: see `Policy`.
    """

    def __init__(
        self, kept: dict[Call, Any], named: Callable[[Any, tuple[Any, ...]], Hashable], policy: Policy
    ) -> None:
        super().__init__(kept, named)
        self.policy = policy

    def __enter__(self) -> Region:
        self.kept.clear()
        return super().__enter__()

    def ask(self, call: Call, op: Any, args: tuple[Any, ...], result: Any) -> bool:
        """Ask the policy.

        Raises:
            TypeError: it answers with something else.
        """
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
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
        result = proceed()
        if self.ask(call, op, args, result):
            self.kept[call] = tuple(map(_Kept, result)) if isinstance(result, tuple) else _Kept(result)
        return result


class Cached(Region):
    """The run in the backward pass.

    Args:
        kept: what the first one kept.
        named: see `Region`.
        allow_mutation: give back also what was written to since.
    """

    def __init__(
        self, kept: dict[Call, Any], named: Callable[[Any, tuple[Any, ...]], Hashable], allow_mutation: bool
    ) -> None:
        super().__init__(kept, named)
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
        results = tuple([part.give(self.allow_mutation) for part in parts])
        result = results if isinstance(kept, tuple) else results[0]
        self.kept[call] = None
        op.remember(args, result, word, modes)
        return result


__all__ = ["Cached", "Caching", "CheckpointPolicy", "Policy", "Region", "SelectiveCheckpointContext"]
