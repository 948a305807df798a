"""Checks of the options of recurrent networks."""

from __future__ import annotations

import numbers
from typing import Any

from ...ops.warned import warn


def check_options(options: dict[str, Any]) -> None:
    """Refuse invalid options of a recurrent network.

    Raises:
        TypeError: if an option has another type.
        ValueError: if a size is not positive, or `dropout` is not a probability.
    """
    rate = options["dropout"]
    if not isinstance(rate, numbers.Number) or isinstance(rate, bool) or not 0 <= rate <= 1:  # type: ignore[operator]
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed, "
            f"got {rate!r}"
        )
    if rate > 0 and options["num_layers"] == 1:  # type: ignore[operator]
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={rate} and num_layers=1"
        )
    for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
        if not isinstance(options[name], kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(options[name]).__name__}")
    for name in ("input_size", "hidden_size", "num_layers"):
        if options[name] <= 0:
            raise ValueError(f"{name} must be greater than zero, got {options[name]}")
    if options["proj_size"] < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if options["proj_size"] >= options["hidden_size"]:
        raise ValueError("proj_size has to be smaller than hidden_size")


def refuse_projection(options: dict[str, Any]) -> None:
    """Refuse `proj_size`, which only an LSTM has.

    Raises:
        ValueError: if `proj_size` was passed.
    """
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
