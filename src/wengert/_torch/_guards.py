"""`torch._guards`: queries of libraries about a running compilation, which does not exist here, and fake modes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from wengert.utils._python_dispatch import _get_current_dispatch_mode_stack
from wengert.utils._pytree import tree_leaves

from ._subclasses.fake_tensor import FakeTensor, FakeTensorMode


class TracingContext:
    """The trace of a compilation, which does not exist here."""

    @staticmethod
    def try_get() -> None:
        """Return None."""
        return

    @staticmethod
    def get() -> NoReturn:
        """Raise RuntimeError: there is no compiler.

        Raises:
            RuntimeError: always; there is no compiler here.
        """
        raise RuntimeError("TracingContext.get() must be called within an ongoing trace: there is no compiler here")


class CompileContext(TracingContext):
    """A compilation. None is ever under way."""

    @staticmethod
    def current_compile_id() -> None:
        """Return None."""
        return

    current_trace_id = current_compile_id


@contextmanager
def tracing(context: None) -> Iterator[None]:
    """A context within a trace: None, within no other one.

    Raises:
        RuntimeError: if a trace is given.
    """
    if context is not None:
        raise RuntimeError("torch._guards.tracing: there is no compiler here, and so no trace")
    yield None


def active_fake_mode() -> Any:
    """Return the innermost `FakeTensorMode` of this thread; None if there is none."""
    return next(
        (mode for mode in reversed(_get_current_dispatch_mode_stack()) if isinstance(mode, FakeTensorMode)), None
    )


def detect_fake_mode(inputs: Any = None) -> Any:
    """Return the `FakeTensorMode` of this thread or of tensors; None if there is none.

    Args:
        inputs: tensors in containers.

    Raises:
        AssertionError: if there are several.
    """
    modes = [mode for mode in _get_current_dispatch_mode_stack() if isinstance(mode, FakeTensorMode)]
    modes += [leaf.fake_mode for leaf in tree_leaves(inputs) if isinstance(leaf, FakeTensor)]
    if any(found_mode is not modes[0] for found_mode in modes):
        raise AssertionError("fake modes of the arguments and of this thread do not match")
    return modes[0] if modes else None


__all__ = ["CompileContext", "TracingContext", "active_fake_mode", "detect_fake_mode", "tracing"]
