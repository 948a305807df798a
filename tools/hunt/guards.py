"""An interrupt at each position of what a guard does when it is entered and left: everything is as it was before.

The guards are all classes of the package that have an `__exit__`, and its functions that `contextmanager` decorates.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import wengert as wg
from wengert._core.calls.staging import STAGE
from wengert._core.profiling import events
from wengert._core.state.modes import Modes, current
from wengert.amp import casting
from wengert.autograd import anomaly_mode
from wengert.nn.modules import global_hooks
from wengert.utils import checkpoint

from . import positions

LEFT_OUT = ("demo", "__main__", "viz/page")
"""Modules that are programs."""
WORDS = ("__exit__", "contextmanager", "(Region", "Observing", "TorchFunctionMode", "DispatchMode")
"""One of these stands in a module with guards."""


def guards() -> dict[str, Any]:
    """All guards of the package, by their full names."""
    result: dict[str, Any] = {}
    root = Path(positions.PACKAGE)
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(part in str(path) for part in LEFT_OUT) or not any(word in text for word in WORDS):
            continue
        parts = path.relative_to(root.parent).with_suffix("").parts
        with warnings.catch_warnings(action="ignore"):
            module = importlib.import_module(".".join(part for part in parts if part not in ("__init__", "_torch")))
        for value in tuple(vars(module).values()):
            if not str(getattr(value, "__module__", "")).startswith("wengert"):
                continue
            if (isinstance(value, type) and hasattr(value, "__exit__")) or is_generator(value):
                result[f"{value.__module__}.{value.__qualname__}"] = value
    return result


def is_generator(value: Any) -> bool:
    """Whether a function is one that `contextmanager` decorates."""
    inner = getattr(value, "__wrapped__", None)
    return (
        inspect.isfunction(value) and "contextlib" in value.__code__.co_filename and inspect.isgeneratorfunction(inner)
    )


ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "wengert.amp.autocast_mode.autocast": lambda guard: guard("cpu"),
    "wengert.autograd.batches.BatchLevel": lambda guard: guard(2, "different"),
    "wengert.autograd.dispatching.without": lambda guard: guard(1),
    "wengert.autograd.forward_ad._set_fwd_grad_enabled": lambda guard: guard(False),
    "wengert.autograd.limits.Limits": lambda guard: guard(True),
    "wengert.autograd.observers.Heard": lambda guard: guard(lambda *args: None),
    "wengert.autograd.saved_hooks.disable_saved_tensors_hooks": lambda guard: guard("none"),
    "wengert.autograd.saved_hooks.saved_tensors_hooks": lambda guard: guard(lambda x: x, lambda x: x),
    "wengert.debugging.mode.set_debug": lambda guard: guard(lines=True),
    "wengert.device": lambda guard: guard("cpu"),
    "wengert._tensor.placing.DeviceContext": lambda guard: guard("cpu"),
    "wengert.autograd.anomaly_mode.set_detect_anomaly": lambda guard: guard(True),
    "wengert.autograd.grad_mode.set_grad_enabled": lambda guard: guard(False),
    "wengert.autograd.grad_mode.set_multithreading_enabled": lambda guard: guard(False),
    "wengert._tensor.text.printoptions": lambda guard: guard(precision=2),
    "wengert.utils.checkpoint.set_checkpoint_debug_enabled": lambda guard: guard(True),
    "wengert.utils.checkpoint.set_checkpoint_early_stop": lambda guard: guard(False),
    "wengert.cpu.amp.autocast": lambda guard: guard(),
}
"""How guards that need arguments are made."""
HOOKS = (global_hooks.FORWARD_PRE, global_hooks.FORWARD, global_hooks.BACKWARD_PRE, global_hooks.BACKWARD)
"""Hooks of all modules."""


def created(name: str, guard: Any) -> Any:
    """An instance of a guard; None where it takes arguments that are not listed above."""
    with warnings.catch_warnings(action="ignore"):
        if name in ARGUMENTS:
            return ARGUMENTS[name](guard)
        try:
            return guard()
        except TypeError:
            return None


def state() -> dict[str, Any]:
    """All that guards change: the modes of the thread and what the program as a whole has switched on."""
    modes = current()
    values = {name: getattr(modes, name) for name in Modes.__slots__ if name not in ("sequence", "quiet")}
    for name in ("listeners", "observers", "levels", "batches", "functions"):
        values[name] = list(values[name])
    values.update({f"autocast {key}": repr(value) for key, value in vars(casting.state).items()})
    values.update({f"checkpoint {key}": value for key, value in vars(checkpoint._settings).items()})
    values["anomaly of all"] = tuple(anomaly_mode.shared)
    values["printing"] = repr(sys.modules["wengert._tensor.text"]._current)
    values["sparse"] = wg.sparse.check_sparse_tensor_invariants.is_enabled()
    values["device"] = str(wg.get_default_device())
    source = wg.default_generator._stream.source()
    values["draws"] = source.bits.state["state"]["pos"], source.bits.state["state"]["key"].sum()
    values["hooks of modules"] = [list(table) for table in HOOKS]
    values["open"] = getattr(events, "opened", 0), STAGE.opened
    return values


class Tracer(positions.Tracer):
    """Interrupts in `__exit__`, too, but as it begins: there Python itself leaves no way."""

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        """Called where a frame begins or goes on."""
        caller = self.frames.get(frame.f_back)
        if caller is not None:
            caller.entered = True
        code = frame.f_code
        if not code.co_filename.startswith(positions.PACKAGE) or code.co_name == "__del__":
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self.frames[frame] = positions.Frame(self, frame)
        if code.co_name != "__exit__" or "self" not in code.co_varnames[:1]:
            self.pass_position(frame, "RESUME")
        return self.frames[frame].trace


def used(guard: Any, tracer: Any) -> None:
    """Enter and leave a guard, the tracer watching."""
    sys.settrace(tracer)
    try:
        with guard:
            pass
    finally:
        sys.settrace(None)
        tracer.frames.clear()


def tries(step: int, part: int = 0, parts: int = 1, most: int = 1 << 30) -> Iterator[tuple[str, list[str]]]:
    """Interrupt every guard that can be made at every `step`-th of its positions.

    Args:
        step: from one position to the next.
        part, parts: only every `parts`-th guard, from number `part` on.
        most: how many positions of a guard at most, as far apart as that leaves.

    Yields:
        The guard and the position, and findings.
    """
    for name, guard in sorted(guards().items())[part::parts]:
        try:
            count = max(counted(name, guard) for _ in range(2))  # from Python 3.12 on the second run has all
        except (RuntimeError, ValueError, NotImplementedError, AssertionError, AttributeError, OSError):
            continue  # not on this machine, or not alone
        for at in range(part % step, count, max(step, count // most)):
            yield f"{name} at {at}", interrupted(name, guard, at)


def counted(name: str, guard: Any) -> int:
    """How many positions a guard has; none if it cannot be made."""
    subject, tracer = created(name, guard), Tracer(-1)
    if subject is not None:
        used(subject, tracer)
    return tracer.count


def interrupted(name: str, guard: Any, at: int) -> list[str]:
    """Interrupt a guard at a position; what is not as before it was made, nor as just after (some switch at once)."""
    before, subject, tracer = state(), created(name, guard), Tracer(at)
    switched = state()
    with contextlib.suppress(positions.Interrupt):
        used(subject, tracer)
    del subject
    after = state()
    wrong = [key for key in before if after[key] != before[key]]
    if wrong:
        return_to(before)
    if after == switched:
        return []
    return [f"{name}, position {at} ({tracer.where}): {key}: {before[key]} became {after[key]}" for key in wrong]


def return_to(before: dict[str, Any]) -> None:
    """After a finding: put the modes back."""
    modes = current()
    for table, known in zip(HOOKS, before["hooks of modules"]):
        for key in set(table).difference(known):
            table.pop(key)
    anomaly_mode.shared[:] = before["anomaly of all"]
    for name in Modes.__slots__:
        if name in before:
            value = before[name]
            setattr(modes, name, list(value) if isinstance(value, list) else value)
