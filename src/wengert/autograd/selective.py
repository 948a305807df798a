"""Selective checkpointing: recomputation in the backward pass, except operators whose results are kept."""

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
"""Operator, as programs name it, and its number of earlier calls."""

_TWICE = (
    "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
    "activation checkpoint."
)
_WRITTEN = "Tensor cached during selective activation checkpoint has been mutated"


class CheckpointPolicy(Enum):
    """Policy for the result of an operator in a selectively checkpointed region.

    `MUST_SAVE` and `PREFER_SAVE` keep it, `MUST_RECOMPUTE` and `PREFER_RECOMPUTE` compute it again. `MUST_CPU_OFFLOAD`
    keeps it, too: all memory is the CPU's.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_COMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)


class SelectiveCheckpointContext:
    """Context of a call, passed to a policy.

    Args:
        is_recompute: always False: policies are asked only when the region runs for the first time.
        op_output: the result of the operator.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


Policy = Callable[..., "CheckpointPolicy | bool"]
"""Function of a `SelectiveCheckpointContext`, the operator and its arguments."""


class _SavedResult:
    """A result without its history, and the version of its memory."""

    def __init__(self, tensor: Tensor) -> None:
        with no_grad():
            self.tensor = tensor.detach()
        self.version = self.tensor._version

    def give(self, allow_mutation: bool) -> Tensor:
        """Return the result.

        Raises:
            RuntimeError: if it was written to since.
        """
        if not allow_mutation and self.tensor._version != self.version:
            raise RuntimeError(_WRITTEN)
        return twin_of(self.tensor)


class Region(Observing):
    """A run of a region, which observes each call of an operator in this thread.

    Args:
        kept: the kept results; None for those that were returned already.
        named: function that returns the operator of a call as programs name it.

    Attributes:
        counts: numbers of calls so far, by operator.
    """

    def __init__(self, kept: dict[Call, Any], named: Callable[[Any, tuple[Any, ...]], Hashable]) -> None:
        self.kept, self.named = kept, named
        self.counts: Counter[Hashable] = Counter()

    def __enter__(self) -> Region:
        self.counts.clear()
        super().__enter__()
        return self

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Observe one call: see `unusual.observed`.

        Views and writes run each time, because they have no result to keep. So do random operators, whose generator has
        to advance; the numbers are the same.
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
        """Ask the policy whether to keep a result; it is not asked when the region runs again."""
        return False

    def result(self, call: Call, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Return the result of the operator."""
        raise NotImplementedError


class Caching(Region):
    """First run, which keeps results according to the policy.

    Args:
        kept: the container for kept results.
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
            TypeError: if the answer is neither a `CheckpointPolicy` nor a bool.
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
        """Compute the result, and keep it if the policy says so."""
        result = proceed()
        if self.ask(call, op, args, result):
            self.kept[call] = tuple(map(_SavedResult, result)) if isinstance(result, tuple) else _SavedResult(result)
        return result


class Cached(Region):
    """Second run, in the backward pass.

    Args:
        kept: the results kept by the first run.
        named: see `Region`.
        allow_mutation: whether results that were written to since are returned as well.
    """

    def __init__(
        self, kept: dict[Call, Any], named: Callable[[Any, tuple[Any, ...]], Hashable], allow_mutation: bool
    ) -> None:
        super().__init__(kept, named)
        self.allow_mutation = allow_mutation

    def result(self, call: Call, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Return the result from those kept, as part of the graph, or compute it.

        Raises:
            RuntimeError: if it was returned before, or written to since.
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
