"""Anomaly detection: a mode that finds why a backward pass fails, and where NaN values come from."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .._core.state.modes import Modes, current, everyone, newcomers
from .._core.state.regions import Region

if TYPE_CHECKING:
    from .watching import Watch

_SLOW = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
_State = tuple[bool, bool, bool, Any, list[Any]]  # the last two: the watch, the observers of calls


class detect_anomaly(Region):
    """Report errors of a backward pass together with the forward call that caused them.

    - A call recorded inside the context notes its traceback. If its backward step fails inside, a warning shows that
      traceback before the error is raised.
    - A backward step that returns NaN raises an error, which names the node and the number of its output.
    - In-place writes inside note their line, so that the error about a saved tensor that was written to shows it.

    As in torch, the mode holds for all threads; the options of an `autograd.Watch` hold for the calling thread only.
    The mode is slow: use it for debugging only.

    Args:
        check_nan: raise an error when a backward step returns NaN.
        check_inf: also raise an error when it returns infinities (not in torch).
        watch: an `autograd.Watch`, which replaces the other two options: it can also check forward calls, look for
            subnormal numbers, and call a callback (not in torch).

    >>> import warnings
    >>> import wengert as wg
    >>> x = wg.zeros(1, requires_grad=True)
    >>> with warnings.catch_warnings(action="ignore"), wg.autograd.detect_anomaly():
    ...     try:
    ...         (x / x).backward()
    ...     except RuntimeError as error:
    ...         print(error)
    Function 'DivBackward0' returned nan values in its 1th output.
    """

    def __init__(self, check_nan: bool = True, *, check_inf: bool = False, watch: Watch | None = None) -> None:
        self._wanted = (True, bool(check_nan), bool(check_inf), _watcher("detect_anomaly", watch))
        warnings.warn(_SLOW, stacklevel=2)

    def _before_(self, modes: Modes) -> _State:
        return _state()

    def _begin_(self, modes: Modes, before: Any) -> None:
        _switch(*self._wanted)

    def _end_(self, modes: Modes, before: _State) -> None:
        _set(before)


class set_detect_anomaly(Region):
    """Switch anomaly detection on or off: at once as a function, until its end as a context manager.

    Args:
        mode: on or off.
        check_nan, check_inf, watch: as for `detect_anomaly`.

    Raises:
        TypeError: if `mode` is not a bool.
    """

    def __init__(
        self, mode: bool, check_nan: bool = True, *, check_inf: bool = False, watch: Watch | None = None
    ) -> None:
        if mode is not True and mode is not False:
            kind = type(mode).__name__
            raise TypeError(f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        watcher = _watcher("set_detect_anomaly", watch) if mode else None
        self._before = _switch(mode, bool(check_nan), bool(check_inf), watcher)

    def _before_(self, modes: Modes) -> _State:
        return self._before

    def _begin_(self, modes: Modes, before: Any) -> None:
        pass  # it has begun already

    def _end_(self, modes: Modes, before: _State) -> None:
        _set(before)


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection on or off.

    Args:
        mode: whether it is on.
        check_nan: whether the backward pass raises an error at the first NaN.

    Examples:
        >>> import wengert as wg
        >>> wg.set_anomaly_enabled(True)
        >>> wg.set_anomaly_enabled(False)
    """
    _switch(bool(mode), bool(check_nan), False, None)


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is on.

    Examples:
        >>> import wengert as wg
        >>> wg.is_anomaly_enabled()
        False
    """
    return current().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly detection, when it is on, raises an error for NaN in a gradient.

    Examples:
        >>> import wengert as wg
        >>> wg.is_anomaly_check_nan_enabled()
        True
    """
    return current().check_nan


def _state() -> _State:
    """Return the mode of this thread."""
    modes = current()
    return modes.anomaly, modes.check_nan, modes.check_inf, modes.watch, modes.observers


def _watcher(function: str, watch: Any) -> Any:
    """Return the watcher for the options of a `Watch`, or None."""
    if watch is None:
        return None
    from .watching import Watch, Watcher

    if not isinstance(watch, Watch):
        raise TypeError(f"{function}(): watch must be a wengert.autograd.Watch, not {type(watch).__name__}")
    return Watcher(watch)


def _switch(enabled: bool, check_nan: bool, check_inf: bool, watcher: Any) -> _State:
    """Set the mode and return the previous one of this thread; a new watch replaces an earlier one."""
    before = _state()
    observers = [
        observer for observer in before[4] if getattr(observer, "__self__", None) is not before[3] or before[3] is None
    ]
    if watcher is not None and watcher.watch.forward:
        observers.append(watcher.observe)
    try:
        _set((enabled, check_nan, check_inf, watcher, observers))
    except BaseException:
        _set(before)
        raise
    return before


def _set(wanted: _State) -> None:
    """Set the mode: first that of this thread, which needs no memory, so that it can always be put back."""
    modes = current()
    enabled, modes.check_nan, modes.check_inf, modes.watch, observers = wanted
    modes.set_anomaly(enabled)
    modes.observe(observers)
    shared[:] = wanted[:3]
    if join not in newcomers:
        newcomers.append(join)
    for other, _ in tuple(everyone.values()):
        if other is not modes:
            join(other)


shared: list[bool] = [False, True, False]
"""Settings for all threads: whether the mode is on, whether it looks for NaN, whether for infinities."""


def join(modes: Modes) -> None:
    """Set the mode of another thread, perhaps a new one, but not its watch."""
    enabled, modes.check_nan, modes.check_inf = shared
    modes.set_anomaly(enabled)


__all__ = ["detect_anomaly", "set_detect_anomaly"]
