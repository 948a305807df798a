"""Ranges in the profilers of NVIDIA (NVTX) and Intel (ITT), one for each event."""

from __future__ import annotations

from typing import Any, Literal

from ..._core.profiling import kinds
from ..._core.profiling.events import Event
from .names import name_of
from .session import Session


def title_of(event: Event, *, shapes: bool) -> str:
    """What a range is called: name, number of the node that is made or runs, shapes of the arguments."""
    name = str(event.what) if event.kind == kinds.RANGE else name_of(event)
    if event.sequence >= 0:
        name += f", stashed seq = {event.sequence}" if event.kind == kinds.BACKWARD else f", seq = {event.sequence}"
    if shapes and event.details is not None:
        name += f", sizes = {[each if isinstance(each, list) else [] for each in event.details]}"
    return name


def package(name: str, user: str) -> Any:
    """An optional package.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        text = f"{user}() needs the package {name!r}, which is not installed: pip install {name}"
        raise ModuleNotFoundError(text, name=name) from None


class Emitter:
    """Opens a range with each event, and closes it with it. Each thread has its own ranges in both packages.

    Args:
        shapes: titles say the shapes of arguments.
    """

    def __init__(self, shapes: bool) -> None:
        self.shapes = shapes

    def push(self, event: Event) -> None:
        """An event begins."""
        title = title_of(event, shapes=self.shapes)
        self.begin(title.encode("utf-8", "backslashreplace").decode())  # neither package takes half a character

    def pop(self, event: Event) -> None:
        """It ends."""
        self.end()

    def begin(self, title: str) -> None:
        """Open a range."""
        raise NotImplementedError

    def end(self) -> None:
        """Close the one that was opened last in this thread."""
        raise NotImplementedError


class Nvtx(Emitter):
    """Ranges of NVTX."""

    def __init__(self, shapes: bool) -> None:
        super().__init__(shapes)
        self.module = package("nvtx", "emit_nvtx")

    def begin(self, title: str) -> None:
        """Open a range."""
        self.module.push_range(title)

    def end(self) -> None:
        """Close it."""
        self.module.pop_range()


class Itt(Emitter):
    """Tasks of ITT, in the domain "wengert"."""

    def __init__(self, shapes: bool) -> None:
        super().__init__(shapes)
        self.module = package("ittapi", "emit_itt")
        self.domain = self.module.domain("wengert")

    def begin(self, title: str) -> None:
        """Begin a task."""
        self.module.task_begin(self.domain, self.module.string_handle(title))

    def end(self) -> None:
        """End it."""
        self.module.task_end(self.domain)


class Emitting:
    """A context manager that shows each operator and node as a range in another profiler.

    Args:
        enabled: False makes it do nothing.
        record_shapes: the titles of ranges say the shapes of the arguments.

    Raises:
        RuntimeError: it is entered a second time.
        ModuleNotFoundError: the package that it needs is not installed.
    """

    emitter: type[Emitter]
    label: str

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.entered = False
        self.session: Session | None = None

    def __enter__(self) -> Any:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(f"{self.label} annotation context manager is not reentrant")
        self.session = Session(shapes=self.record_shapes, emitter=self.emitter(self.record_shapes))
        self.entered = True
        self.session.open()
        return self

    def __exit__(self, *error: object) -> Literal[False] | None:
        if self.session is None:
            return None
        try:
            self.session.close()
        except BaseException:  # of a signal handler
            self.session.close()
            raise
        return False


class emit_nvtx(Emitting):  # noqa: N801 - torch's name
    """Shows each operator and node as a range of NVTX, by the package `nvtx`: for Nsight Systems and nvprof.

    The titles of operators end in ", seq = N", N the number of the node that the operator makes if it makes one; those
    of nodes in ", stashed seq = N", so that each node can be found with its operator.

    Args:
        enabled: False makes it do nothing.
        record_shapes: the titles of ranges say the shapes of the arguments, `[]` for what is no tensor.

    Raises:
        RuntimeError: it is entered a second time.
        ModuleNotFoundError: the package `nvtx` is not installed.
    """

    emitter = Nvtx
    label = "NVTX"


class emit_itt(Emitting):  # noqa: N801 - torch's name
    """Shows each operator and node as a task of ITT, by the package `ittapi`: for Intel VTune.

    Args:
        enabled: False makes it do nothing.
        record_shapes: the titles of tasks say the shapes of the arguments, `[]` for what is no tensor.

    Raises:
        RuntimeError: it is entered a second time.
        ModuleNotFoundError: the package `ittapi` is not installed.
    """

    emitter = Itt
    label = "ITT"
