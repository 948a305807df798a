"""`torch._inductor`: torch's compiler. There is none here; its settings can be written, and change nothing."""

from __future__ import annotations

from typing import Any, NoReturn

from . import config

SAYS = "there is no compiler here; `torch.compile` returns the function itself"


def compile(gm: Any, example_inputs: Any, options: Any = None) -> NoReturn:
    """Raise RuntimeError: there is no compiler.

    Raises:
        RuntimeError: always; there is no compiler here.
    """
    raise RuntimeError(f"torch._inductor.compile: {SAYS}")


def standalone_compile(gm: Any, example_inputs: Any, **options: Any) -> NoReturn:
    """Raise RuntimeError: there is no compiler.

    Raises:
        RuntimeError: always; there is no compiler here.
    """
    raise RuntimeError(f"torch._inductor.standalone_compile: {SAYS}")


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The settings of a mode of the compiler, or of all by name: none.

    Raises:
        RuntimeError: if there is no such mode.
    """
    modes: dict[str, Any] = {"default": {}, "reduce-overhead": {}, "max-autotune-no-cudagraphs": {}, "max-autotune": {}}
    if mode is None:
        return modes
    if mode not in modes:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(modes)}")
    return modes[mode]


def list_options() -> list[str]:
    """The names of settings that a program has written."""
    return sorted(vars(config.settings))


def cudagraph_mark_step_begin() -> None:
    """Nothing: no graph of an accelerator is replayed."""


__all__ = ["compile", "config", "cudagraph_mark_step_begin", "list_mode_options", "list_options", "standalone_compile"]
