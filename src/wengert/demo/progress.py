"""Display of a run: a progress bar in a terminal if tqdm is installed, else a line per epoch."""

from __future__ import annotations

import sys
from typing import Any

from .training import Event, Run


def make_bar(total: int, initial: int) -> Any:
    """Return a progress bar, or None without a terminal or tqdm."""
    if not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, initial=initial, unit="step", dynamic_ncols=True, leave=True)


class Progress:
    """Display of the steps of a run.

    Args:
        epochs: number of epochs of the whole run.
        steps_per_epoch: number of steps of an epoch.
        steps_done: number of steps of earlier runs that this one continues.
    """

    def __init__(self, epochs: int, steps_per_epoch: int, steps_done: int) -> None:
        self.width = len(str(epochs))
        self.bar = make_bar(epochs * steps_per_epoch, steps_done)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def show(self, run: Run, event: Event) -> None:
        """Show that one step is done."""
        if self.bar is not None:
            self.bar.update()
            if event.epoch_ended:
                self.bar.set_postfix_str(f"held out: {run.history['test_accuracy'][-1]:.2%} right")
        elif event.epoch_ended:
            last = {name: curve[-1] for name, curve in run.history.items()}
            print(
                f"epoch {run.epochs_done:{self.width}}/{run.epochs}: loss {last['train_loss']:.4f}, "
                f"held out: loss {last['test_loss']:.4f}, {last['test_accuracy']:.2%} right ({run.seconds:.1f} s)",
                flush=True,
            )
