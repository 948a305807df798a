"""Watch for NaN, infinities and subnormal numbers, which reports the operator that produced the first ones."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core.graph.anomaly import values_of
from .._core.graph.node import Node, title
from .._core.graph.origins import here, of_node
from .._core.graph.places import Place, place_of
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .kept import saved_arrays

NAN, INF, SUBNORMAL = "nan", "inf", "subnormal"
NO_KIND: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Watch:
    """Options of `detect_anomaly(watch=...)`.

    Only operators that *produce* bad values are reported: those none of whose inputs contain values of that kind.
    Operators that pass bad values on are not.

    Attributes:
        nan, inf, subnormal: whether this kind of value is bad.
        forward: check the results of operators and custom Functions.
        backward: check the gradients returned by backward steps.
        callback: called with a `Finding` for each producer, then the program continues; None for a RuntimeError at the
            first.

    >>> import warnings
    >>> import wengert as wg
    >>> findings = []
    >>> with warnings.catch_warnings(action="ignore"):
    ...     with wg.autograd.detect_anomaly(watch=wg.autograd.Watch(inf=True, callback=findings.append)):
    ...         y = wg.tensor([1.0, 0.0]).log() * 2
    >>> [(finding.operator, finding.kind, finding.count, finding.first) for finding in findings]
    [('log', 'inf', 1, (1,))]
    """

    nan: bool = True
    inf: bool = False
    subnormal: bool = False
    forward: bool = True
    backward: bool = True
    callback: Callable[[Finding], object] | None = None


@dataclasses.dataclass(frozen=True)
class Finding:
    """An operator, or its backward step, that produced bad values.

    Attributes:
        phase: "forward" or "backward".
        kind: "nan", "inf" or "subnormal".
        operator: the name of the operator, of the custom Function, or of the node.
        output: the number of the result, or of the gradient.
        count, size: the number of bad values, and of all values.
        first: the index of the first bad value.
        inputs: text about bad values of other kinds in the inputs, or of any kind in saved tensors; empty without them.
        where: the line of the program with the call, or with the call that recorded the node; None if not known.
    """

    phase: str
    kind: str
    operator: str
    output: int
    count: int
    size: int
    first: tuple[int, ...]
    inputs: str
    where: Place | None

    def __str__(self) -> str:
        if self.phase == "backward":
            return f"Function '{self.operator}' returned {self.kind} values in its {self.output}th output."
        return f"{self.operator}() gave {self.kind} values in its {self.output}th output. {self.details()}"

    def details(self) -> str:
        """Text about number, place and cause of the bad values."""
        place = (
            "" if self.where is None else f" {'Recorded at' if self.phase == 'backward' else 'Called at'} {self.where}."
        )
        cause = self.inputs or f"What it was given held no {self.kind} values."
        return f"{self.count} of {self.size} values, the first at index {self.first}. {cause}{place}"


class Watcher:
    """Active watch of a thread: an observer of calls and of backward steps."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.kinds = frozenset(kind for kind in (NAN, INF, SUBNORMAL) if getattr(watch, kind))
        self.seen: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()  # kinds by storage

    # ---- forward -----------------------------------------------------------------------------------------------------

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Check the arguments and results of a call."""
        if current().passing is not None:  # the step is checked as a whole
            return proceed()
        kinds = among(args)
        result = proceed()
        outputs = result if isinstance(result, tuple | list) else (op.written(args) if result is None else result,)
        self.compare(op.name, kinds, outputs)
        return result

    def returned(self, name: str, args: tuple[Any, ...], results: Any) -> None:
        """Check the results of a custom Function, unless an operator within was reported already."""
        if current().passing is None:
            outputs = results if isinstance(results, tuple) else (results,)
            fresh = [output for output in outputs if isinstance(output, Tensor) and output._storage_ not in self.seen]
            self.compare(name, among(args), fresh)

    def compare(self, name: str, present: frozenset[str], outputs: Any) -> None:
        """Report the kinds of bad values in results that are not in the arguments."""
        for nr, output in enumerate(outputs):
            if isinstance(output, Tensor):
                kinds = kinds_in(values_of(output))
                if kinds:
                    self.seen[output._storage_] = kinds
                for kind in sorted(kinds & self.kinds - present):
                    held = present - {kind}
                    inputs = f"Its inputs held {' and '.join(sorted(held))} values." if held else ""
                    where = place_of(here(name, None, current()))
                    self.tell("forward", kind, name, nr, values_of(output), inputs, where)

    # ---- backward ----------------------------------------------------------------------------------------------------

    def arriving(self, task: Any) -> frozenset[str]:
        """Return the kinds of bad values in the gradients of a node's outputs."""
        return among(task.grads or (task.grad,)) if self.watch.backward else NO_KIND

    def leaving(self, node: Node, outgoing: Any, present: frozenset[str], saved: frozenset[str]) -> None:
        """Check the gradients that a node returns."""
        if not self.watch.backward:
            return
        for nr, grad in enumerate(outgoing or ()):
            if grad is None:
                continue
            for kind in sorted(kinds_in(values_of(grad)) & self.kinds - present):
                held = present | saved
                inputs = f"Its saved tensors held {kind} values from the forward pass." if kind in saved else ""
                if not inputs and held:
                    inputs = f"What it was given held {' and '.join(sorted(held))} values."
                self.tell("backward", kind, title(node), nr, values_of(grad), inputs, place_of(of_node(node)))

    def saved(self, node: Node) -> frozenset[str]:
        """Return the kinds of bad values in the saved tensors of a node, before it runs."""
        return NO_KIND.union(*map(kinds_in, saved_arrays(node))) if self.watch.backward else NO_KIND

    def tell(self, phase: str, kind: str, name: str, nr: int, array: Any, inputs: str, where: Place | None) -> None:
        """Call the callback, or raise the error.

        Raises:
            RuntimeError: if there is no callback.
        """
        bad = MASKS[kind](array)
        at = np.unravel_index(int(np.argmax(bad)), bad.shape)
        first = tuple(int(index) for index in at)
        finding = Finding(phase, kind, name, nr, int(bad.sum()), int(bad.size), first, inputs, where)
        if self.watch.callback is not None:
            self.watch.callback(finding)
            return
        error = RuntimeError(str(finding))
        if phase == "backward":
            error.add_note(finding.details())
        raise error


def subnormal(array: Any) -> Any:
    """Return a mask of subnormal numbers; for complex numbers of either part."""
    if array.dtype.kind == "c":
        return subnormal(array.real) | subnormal(array.imag)
    if array.dtype.kind == "V":  # bfloat16: has the range of float32
        array = array.astype(np.float32)
    return (array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny)


MASKS: dict[str, Callable[[Any], Any]] = {NAN: np.isnan, INF: np.isinf, SUBNORMAL: subnormal}


def kinds_in(array: Any) -> frozenset[str]:
    """Return the kinds of bad values in an array."""
    if array.dtype.kind not in "fcV" or not array.size:
        return NO_KIND
    return frozenset(kind for kind, mask in MASKS.items() if mask(array).any())


def among(values: Any) -> frozenset[str]:
    """Return the kinds of bad values in arguments: tensors, numbers, and lists of these."""
    return NO_KIND.union(*(kinds_in(array) for array in arrays_among(values)))


def arrays_among(values: Any) -> Iterator[Any]:
    """Yield the arrays of tensors, and floating-point numbers as arrays."""
    for value in values:
        if isinstance(value, Tensor):
            yield values_of(value)
        elif isinstance(value, float | complex):
            yield np.asarray(value)
        elif isinstance(value, tuple | list):
            yield from arrays_among(value)
