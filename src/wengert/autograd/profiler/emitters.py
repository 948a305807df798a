"""Ranges in the profilers of NVIDIA (NVTX) and Intel (ITT), one for each event."""

from __future__ import annotations

from typing import Any, Literal

from ..._core.profiling import kinds
from ..._core.profiling.events import Event
from .names import name_of
from .session import Session


def title_of(event: Event, *, shapes: bool) -> str:
    """Return the title of a range: name, number of the node that is made or runs, shapes of the arguments."""
    name = str(event.what) if event.kind == kinds.RANGE else name_of(event)
    if event.sequence >= 0:
        name += f", stashed seq = {event.sequence}" if event.kind == kinds.BACKWARD else f", seq = {event.sequence}"
    if shapes and event.details is not None:
        name += f", sizes = {[detail if isinstance(detail, list) else [] for detail in event.details]}"
    return name


def package(name: str, user: str) -> Any:
    """Import an optional package.

    Raises:
        ModuleNotFoundError: if it is not installed.
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
    """Open a range for each event. Each thread has its own ranges in both packages.

    Args:
        shapes: whether titles contain the shapes of arguments.
    """

    def __init__(self, shapes: bool) -> None:
        self.shapes = shapes

    def push(self, event: Event) -> None:
        """Handle the beginning of an event."""
        title = title_of(event, shapes=self.shapes)
        self.begin(title.encode("utf-8", "backslashreplace").decode())  # neither package accepts lone surrogates

    def pop(self, event: Event) -> None:
        """Handle the end of an event."""
        self.end()

    def begin(self, title: str) -> None:
        """Open a range."""
        raise NotImplementedError

    def end(self) -> None:
        """Close the range that was opened last in this thread."""
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
        """Close the last range."""
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
        """End the last task."""
        self.module.task_end(self.domain)


class Emitting:
    """Context manager that shows each operator and node as a range in another profiler.

    Args:
        enabled: whether to do anything.
        record_shapes: whether titles contain the shapes of the arguments.

    Raises:
        RuntimeError: if it is entered a second time.
        ModuleNotFoundError: if the package of the other profiler is not installed.
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
        except BaseException:  # from a signal handler
            self.session.close()
            raise
        return False


class emit_nvtx(Emitting):  # noqa: N801 - torch's name
    """Show each operator and node as a range of NVTX, by the package `nvtx`: for Nsight Systems and nvprof.

    The titles of operators that make a node end in ", seq = N", where N is the number of the node; those of nodes in
    ", stashed seq = N". So each node can be matched with its operator.

    Args:
        enabled: whether to do anything.
        record_shapes: whether titles contain the shapes of the arguments, `[]` for arguments that are not tensors.

    Raises:
        RuntimeError: if it is entered a second time.
        ModuleNotFoundError: if the package `nvtx` is not installed.
    """

    emitter = Nvtx
    label = "NVTX"


class emit_itt(Emitting):  # noqa: N801 - torch's name
    """Show each operator and node as a task of ITT, by the package `ittapi`: for Intel VTune.

    Args:
        enabled, record_shapes: as for `emit_nvtx`.

    Raises:
        RuntimeError: if it is entered a second time.
        ModuleNotFoundError: if the package `ittapi` is not installed.
    """

    emitter = Itt
    label = "ITT"
