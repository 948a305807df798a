"""`explain`: the reason for a missing graph or gradient."""

from __future__ import annotations

import dataclasses
from typing import Any

from wengert._core import flags
from wengert._core.graph.origins import INPUTS, MADE
from wengert._core.graph.places import Place, place_of
from wengert._core.state.modes import current
from wengert._core.tensor import tracing
from wengert._core.tensor.base import Tensor

from . import with_history
from .sentences import cut_sentences, exits_before, line
from .texts import ADVICE, LEARN, WHAT


@dataclasses.dataclass(frozen=True, repr=False)
class Explanation:
    """Explanation of a missing gradient or graph; its `str` is a text for people.

    Attributes:
        reason: one of the keys of `wengert.debugging.texts.ADVICE`, or "has_gradient".
        text: the whole text.
        where: the line of the program that caused it (`filename`, `lineno`, `function`, `line`), or None if it was not
            recorded.
        made: the line that made the tensor itself, or None.
        operator: the operator that was called there; empty if unknown.
    """

    reason: str
    text: str
    where: Place | None = None
    made: Place | None = None
    operator: str = ""

    @property
    def line(self) -> int | None:
        """Number of the line that caused it."""
        return None if self.where is None else self.where.lineno

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def explain(tensor: Tensor, loss: Tensor | None = None) -> Explanation:
    """Explain why a tensor has no gradient or no graph: the cause, its place, and what to do.

    Without `set_debug(lines=True)` the explanation rests on the tensor alone, and says how to learn more.

    Args:
        tensor: any tensor.
        loss: the tensor that is differentiated: the explanation says whether it depends on `tensor`, and where the path
            ends.

    Returns:
        An `Explanation`: its `str` is the text, `reason`, `where` and `line` are for programs.

    Raises:
        TypeError: if `tensor` or `loss` is not a tensor.

    >>> import wengert as wg
    >>> print(wg.explain(wg.ones(2, requires_grad=True) * 2))
    This tensor has no .grad: it is not a leaf, and only leaves keep their gradients.
    What to do: Call retain_grad() on it before backward(), or use autograd.grad(loss, tensor).
    """
    for name, value in (("tensor", tensor), ("loss", loss)):
        if not isinstance(value, Tensor) and not (name == "loss" and value is None):
            raise TypeError(
                f"explain(): {name} must be a tensor, not {type(value).__name__}. Only tensors have a "
                "history: other values do not pass gradients on."
            )
    if not tensor.requires_grad:
        return without_history(tensor)
    if loss is not None and not loss.requires_grad:
        explanation = without_history(loss)
        return dataclasses.replace(explanation, text="The loss itself has no graph. " + explanation.text)
    meta = tensor._meta_
    if meta is not None and meta.grad is not None:
        by = None if meta.origin is None else place_of(meta.origin.later)
        return Explanation(
            "has_gradient", "This tensor has a gradient." + line(" It was computed by the backward pass at {}.", by), by
        )
    reason, sentences, where = with_history.reason_of(tensor, loss)
    return finished(reason, "This tensor has no .grad: " + sentences, where, None)


def without_history(tensor: Tensor) -> Explanation:
    """Explain why a tensor does not require a gradient."""
    origin = tracing.origin_of(tensor)
    cut = tracing.cut_behind(tensor)
    place = place_of(origin)
    head = "This tensor has no graph, and so no gradient: "
    if cut is None:
        reason, text = untraced(tensor, origin)
        return finished(reason, head + text, place, place, "" if origin is None else origin.name)
    text = WHAT[cut.reason].format(name=called(cut), dtype=tensor.dtype, why=why(cut.name))
    if cut is not origin:
        text = "it was computed from a tensor that was cut off from the graph: " + text
    text += "." + cut_sentences(cut)
    if cut is not origin:
        text += line("\nThis tensor was made at {}.", place)
    return finished(cut.reason, head + text, place_of(cut), place, cut.name or called(cut))


def called(cut: Any) -> str:
    """Return the name of the cause of a cut for texts."""
    if cut.reason in (tracing.NUMBER, tracing.NUMPY) and cut.cuts is not None:
        return str(cut.cuts.name)
    return str(cut.name) if str(cut.name).endswith(")") or cut.reason == tracing.MARKED else f"{cut.name}()"


def why(name: str) -> str:
    """Return the reason on an operator's card for its missing derivative."""
    from wengert._core.cards.card import REGISTRY

    card = REGISTRY.get(name)
    reason = getattr(getattr(card, "card", card), "why", "")
    return f" ({reason})" if reason else ""


def untraced(tensor: Tensor, origin: Any) -> tuple[str, str]:
    """Return reason and text for a tensor without a recorded cut."""
    word = tensor._flags_
    if word & flags.VOLATILE:
        return "volatile", "it is volatile, or was computed from a volatile tensor."
    if word & flags.INFERENCE:
        return "inference_mode", "it is an inference tensor: it was made in inference mode."
    if tensor._array_.dtype.kind not in "fcV":
        return "dtype", f"its dtype is {tensor.dtype}, and only floating-point and complex tensors have gradients."
    if shares_memory(tensor):
        return "detach", (
            "it shares memory with a tensor that requires a gradient, but is not in its graph: it was made by "
            "detach(), `.data`, NumPy, or in a block without recording."
        )
    if origin is not None and origin.reason == MADE:
        return "leaf", "it is a leaf, made of plain data, that does not require a gradient." + exits_before(origin)
    if origin is not None and origin.reason == INPUTS:
        text = f"it was computed by {called(origin)} from inputs none of which requires a gradient."
        return "inputs", text + exits_before(origin)
    return "unknown", (
        "it is a leaf that does not require one: plain data, or the result of a call that was not recorded (no input "
        "required a gradient, recording was off, or its inputs were cut off before)."
        + (" Recording is off here (no_grad or inference_mode)." if not current().grad else "")
    )


def shares_memory(tensor: Tensor) -> bool:
    """Return whether another tensor that requires a gradient shares the memory."""
    import gc

    for tensor_ in gc.get_objects():
        if isinstance(tensor_, Tensor) and tensor_ is not tensor and tensor_._flags_ & flags.REQUIRES_GRAD:
            if tensor_._storage_ is tensor._storage_ or tensor_._storage_.array is tensor._storage_.array:
                return True
    return False


def finished(reason: str, text: str, where: Place | None, origin: Place | None, operator: str = "") -> Explanation:
    """Return an explanation with the advice for its reason."""
    text += f"\nWhat to do: {ADVICE[reason]}"
    if current().debug is None and where is None and reason not in ("not_a_leaf", "no_backward"):
        text += f"\n{LEARN}"
    return Explanation(reason, text, where, origin, operator)
