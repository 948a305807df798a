"""How results lie in memory: torch's operator samples with their inputs laid out in every way, strides compared."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .agree import recorded, weight
from .known import Known
from .opinfo import RANDOM, Failure, Outcome, Runner, TimeUp, time_limit
from .samples import Missing, tell, tensors_in

Change = Callable[[Any], Any]
KNOWN = Path(__file__).resolve().parent.parent / "layouts_known.toml"


def reordered(tensor: Any, order: tuple[int, ...]) -> Any:
    """A copy whose dimensions lie in memory in the given order, the outermost first."""
    back = sorted(range(tensor.ndim), key=order.__getitem__)
    return tensor.permute(order).contiguous().permute(back)


def transposed(tensor: Any) -> Any:
    """The first dimension lies innermost, the last outermost."""
    return reordered(tensor, tuple(reversed(range(tensor.ndim))))


def rotated(tensor: Any) -> Any:
    """The second dimension lies innermost, as channels may: of two dimensions the last."""
    return reordered(tensor, (0, *range(2, tensor.ndim), 1)) if tensor.ndim > 1 else tensor


def swapped(tensor: Any) -> Any:
    """The first two dimensions have changed places."""
    return reordered(tensor, (1, 0, *range(2, tensor.ndim))) if tensor.ndim > 1 else tensor


def stepped(tensor: Any) -> Any:
    """Every other element of a larger tensor along the last dimension."""
    if not tensor.ndim:
        return tensor
    whole = tensor.new_zeros((*tensor.shape[:-1], 2 * tensor.shape[-1] + 1))
    part = whole[..., 1::2]
    return part.copy_(tensor)


def sliced(tensor: Any) -> Any:
    """A part of a larger tensor in column-major order."""
    if not tensor.ndim:
        return tensor
    whole = transposed(tensor.new_zeros([length + 1 for length in tensor.shape]))
    for dim, length in enumerate(tensor.shape):
        whole = whole.narrow(dim, 1, length)
    return whole.copy_(tensor)


def expanded(tensor: Any) -> Any:
    """All elements along the last dimension are one; only for tensors that hold floating-point numbers."""
    if not tensor.ndim or not tensor.shape[-1] or not tensor.is_floating_point():
        return tensor
    return tensor.narrow(-1, 0, 1).clone().expand(tensor.shape)


def spread(tensor: Any) -> Any:
    """All elements along the first dimension are one; only for tensors that hold floating-point numbers."""
    if not tensor.ndim or not tensor.shape[0] or not tensor.is_floating_point():
        return tensor
    return transposed(tensor.narrow(0, 0, 1)).expand(tensor.shape)


def idle(tensor: Any) -> Any:
    """Dimensions of one element have a stride that says nothing."""
    if 1 not in tensor.shape:
        return tensor
    steps = [7 if length == 1 else step for length, step in zip(tensor.shape, tensor.stride())]
    return tensor.contiguous().as_strided(tensor.shape, steps)


def first(change: Change) -> Callable[[Any, int], Any]:
    """The change for the first tensor only."""
    return lambda tensor, at: change(tensor) if at == 0 else tensor


def others(change: Change) -> Callable[[Any, int], Any]:
    """The change for all tensors but the first."""
    return lambda tensor, at: change(tensor) if at else tensor


def every(change: Change) -> Callable[[Any, int], Any]:
    """The change for all tensors."""
    return lambda tensor, at: change(tensor)


LAYOUTS: dict[str, Callable[[Any, int], Any]] = {
    "as it is": lambda tensor, at: tensor,
    **{
        change.__name__: every(change)
        for change in (transposed, rotated, swapped, stepped, sliced, expanded, spread, idle)
    },
    "first transposed": first(transposed),
    "first rotated": first(rotated),
    "first expanded": first(expanded),
    "others transposed": others(transposed),
    "others swapped": others(swapped),
}


def exchanged(value: Any, change: Callable[[Any, int], Any], memo: dict[int, Any]) -> Any:
    """`value` with its tensors laid out in another way; tensors that occur twice stay one."""
    if hasattr(value, "detach"):
        if id(value) not in memo:
            changed = change(value.detach(), len(memo))
            memo[id(value)] = (changed.detach().requires_grad_(value.requires_grad), value)
        return memo[id(value)][0]
    if isinstance(value, dict):
        return {key: exchanged(element, change, memo) for key, element in value.items()}
    if type(value) in (tuple, list):
        return type(value)(exchanged(element, change, memo) for element in value)
    return value


class LayoutRunner(Runner):
    """Runs the samples of one operator, laid out in every way, and compares strides."""

    def __init__(self, torch: Any, wengert: Any, **limits: Any) -> None:
        super().__init__(torch, wengert, **limits)
        self.known = Known(KNOWN)

    def run(self, info: Any) -> Outcome:
        """Try one operator in one dtype."""
        name = f"{info.name}{f'.{info.variant_test_name}' if info.variant_test_name else ''}"
        outcome = Outcome(name)
        if not self.exists(info):
            outcome.missing = info.name
            return outcome
        started = time.perf_counter()
        try:
            with time_limit(self.seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for dtype in ("float64", "float32", "complex128", "int64", "bool"):
                    if getattr(self.torch, dtype) in info.dtypes:
                        self.samples(info, dtype, outcome)
                        break
        except TimeUp:
            pass
        except Exception as error:
            outcome.failures.append(Failure("harness", name, f"{type(error).__name__}: {error}", 0))
        self.known.remove_from(outcome)
        outcome.seconds = time.perf_counter() - started
        return outcome

    def sample(self, info: Any, dtype: str, sample: Any, at: int, outcome: Outcome) -> None:
        """One sample in every layout."""
        for form, (theirs, ours) in self.form_pairs(info, outcome)[:1]:
            for layout, change in LAYOUTS.items():
                memo: dict[int, Any] = {}
                parts = [exchanged(part, change, memo) for part in (sample.input, tuple(sample.args), sample.kwargs)]
                before = len(outcome.failures)
                self.compare(info, f"{layout} {form}".strip(), theirs, ours, parts, sample, outcome)
                if layout == "as it is" and [failure.kind for failure in outcome.failures[before:]] == ["raises"]:
                    del outcome.failures[before:]  # it says nothing of layouts; --opinfo tells it
                    outcome.skipped += 1
                    break

    def compare(
        self, info: Any, form: str, theirs: Any, ours: Any, parts: list[Any], sample: Any, outcome: Outcome
    ) -> None:
        """One call on both libraries: strides of the results and of the gradients."""
        memo: dict[int, Any] = {}
        try:
            arguments = [self.translator.value(part, memo) for part in parts]
        except Missing:
            outcome.skipped += 1
            return
        inputs = tensors_in(parts)
        mirrored = [memo[id(tensor)] for tensor in inputs]
        process = sample.output_process_fn_grad
        expected = self.call(self.torch, theirs, form, parts, process)
        actual = self.call(self.wengert, ours, form, arguments, self.translator.function(process))
        if isinstance(expected, BaseException) or isinstance(actual, BaseException):
            outcome.skipped += 1
            if isinstance(expected, BaseException) != isinstance(actual, BaseException):
                self.note(outcome, "raises", form, info, parts, f"expected {expected!r:.300}, found {actual!r:.300}")
            return
        model = inputs[0] if inputs else None
        kind, text = self.differing(tensors_in(expected), tensors_in(actual), "result", model)
        if not kind and not RANDOM.search(info.name):
            kind, text = self.gradients(expected, actual, inputs, mirrored)
        if kind:
            self.note(outcome, kind, form, info, parts, text)
        else:
            outcome.passed += 1

    def gradients(self, expected: Any, actual: Any, inputs: list[Any], mirrored: list[Any]) -> tuple[str, str]:
        """In what the gradients of all recorded results differ."""
        grads: list[Any] = []
        for library, value, tensors in ((self.torch, expected, inputs), (self.wengert, actual, mirrored)):
            roots, leaves = recorded(value), recorded(tensors)
            if not roots or not leaves:
                return "", ""
            seeds = [library.from_numpy(weight(root, at)) for at, root in enumerate(roots)]
            try:
                grads.append(library.autograd.grad(roots, leaves, seeds, allow_unused=True))
            except Exception as error:
                grads.append(error)
        failed = [isinstance(grad, BaseException) for grad in grads]
        if any(failed):
            return (
                ("", "") if all(failed) else ("gradient raises", f"expected {grads[0]!r:.300}, found {grads[1]!r:.300}")
            )
        pairs = [(one, other) for one, other in zip(*grads) if one is not None and other is not None and one.numel()]
        kind, text = self.differing([one for one, _ in pairs], [other for _, other in pairs], "gradient", None)
        return (f"gradient {kind}" if kind else ""), text

    def differing(self, expected: list[Any], actual: list[Any], where: str, model: Any) -> tuple[str, str]:
        """The kind of the first difference and its text; `model` is what results may share memory with."""
        start = 0 if model is None else model.storage_offset()  # wengert's copy of an input begins its memory
        for at, (one, other) in enumerate(zip(expected, actual)):
            if tuple(one.shape) != tuple(other.shape):
                return "shape", f"{where} {at}: expected {tuple(one.shape)}, found {tuple(other.shape)}"
            steps = one.stride(), other.stride()
            text = f"{where} {at}: expected {steps[0]}, found {steps[1]} for {tuple(one.shape)}"
            if steps[0] != tuple(steps[1]):
                said = [[step for step, length in zip(strides, one.shape) if length > 1] for strides in steps]
                return ("strides" if said[0] != said[1] and one.numel() else "idle strides"), text
            if one.is_contiguous() != other.is_contiguous():
                return "is_contiguous", text
            offsets = one.storage_offset() - start, other.storage_offset()
            shared = model is not None and one.untyped_storage().data_ptr() == model.untyped_storage().data_ptr()
            if shared and one.dtype == model.dtype and one.numel() and offsets[0] != offsets[1]:
                return "offset", f"{where} {at}: expected {offsets[0]}, found {offsets[1]}"
        return "", ""

    def note(self, outcome: Outcome, kind: str, form: str, info: Any, parts: list[Any], text: str) -> None:
        """Put down a difference."""
        said = f"{form}: {info.name}({tell(parts[0])}, {tell(parts[1])[1:-1]} {tell(parts[2])})"
        size = sum(tensor.numel() for tensor in tensors_in(parts))
        outcome.failures.append(Failure(kind, said, text, size))
