"""Anomaly detection: a mode for finding out why a backward pass fails, or where its NaN come from."""

from __future__ import annotations

import warnings
from typing import Any

from .._core.state.modes import current

_SLOW = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
_State = tuple[bool, bool, bool]


class detect_anomaly:
    """Inside, errors of a backward pass are told together with the forward call that they stem from.

    - A call that is recorded inside notes where it was made. If its backward step then fails inside, a warning shows
      the traceback of the forward call before the error is raised.
    - A backward step that gives NaN raises an error, which names the node and the number of its output.
    - In-place writes made inside note where they were made, so that the error about a saved tensor that was written to
      shows the line that did it.

    The mode holds for the calling thread. It is slow: for debugging only.

    Args:
        check_nan: raise an error when a backward step gives NaN.
        check_inf: raise one when it gives infinities, too (not in torch).

    >>> import warnings
    >>> import wengert as wg
    >>> x = wg.zeros(1, requires_grad=True)
    >>> with warnings.catch_warnings(action="ignore"), wg.autograd.detect_anomaly():
    ...     (x / x).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'DivBackward0' returned nan values in its 1th output.
    """

    def __init__(self, check_nan: bool = True, *, check_inf: bool = False) -> None:
        self._wanted = (True, bool(check_nan), bool(check_inf))
        self._before: Any = None  # (what was, the entry before)
        warnings.warn(_SLOW, stacklevel=2)

    def __enter__(self) -> None:
        self._before = _state(), self._before  # first: what fails from here on leaves the mode as it is
        _set(self._wanted)

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        before, self._before = self._before
        _set(before)


class set_detect_anomaly:
    """Switch anomaly detection: as a function at once, as a context manager until its end.

    Args:
        mode: on or off.
        check_nan, check_inf: as for `detect_anomaly`.
    """

    def __init__(self, mode: bool, check_nan: bool = True, *, check_inf: bool = False) -> None:
        self._before = _switch((bool(mode), bool(check_nan), bool(check_inf)))

    def __enter__(self) -> None:
        pass

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        _set(self._before)


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection on or off."""
    _switch((bool(mode), bool(check_nan), False))


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on in this thread."""
    return current().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection, when it is on, raises an error for NaN in a gradient."""
    return current().check_nan


def _state() -> _State:
    """The mode of this thread."""
    modes = current()
    return modes.anomaly, modes.check_nan, modes.check_inf


def _switch(wanted: _State) -> _State:
    """Set the mode of this thread and return what it was."""
    before = _state()
    _set(wanted)
    return before


def _set(wanted: _State) -> None:
    """Set the mode of this thread; needs no memory, so that it can always be put back."""
    modes = current()
    enabled, modes.check_nan, modes.check_inf = wanted
    modes.set_anomaly(enabled)


__all__ = ["detect_anomaly", "set_detect_anomaly"]
