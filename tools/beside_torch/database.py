"""What runs torch's databases of samples of classes (modules, optimizers) on both libraries."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .agree import Difference
from .known import Known
from .opinfo import Failure, Outcome, TimeUp, time_limit
from .samples import Missing, Translator, find


class DatabaseRunner:
    """Runs the samples of one class after the other.

    Args:
        torch, wengert: the two packages.
        most: samples per class and dtype.
        seconds: time per class.
        kinds: the dtypes to run.
    """

    translator_class: type[Translator] = Translator
    known_list: Path
    module = ""
    """Where the classes are found, with a dot behind, if their names do not say so."""

    def __init__(self, torch: Any, wengert: Any, *, most: int, seconds: float = 20.0, kinds: Sequence[str]) -> None:
        self.libraries = torch, wengert
        self.translator: Any = self.translator_class(torch, wengert)
        self.most, self.seconds, self.kinds = most, seconds, kinds
        self.known = Known(self.known_list)

    def run(self, info: Any) -> Outcome:
        """Try one class in all dtypes."""
        outcome, started = Outcome(info.name), time.perf_counter()
        try:
            ours = find(self.libraries[1], f"{self.module}{info.name}")
            with time_limit(self.seconds), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.all_samples(info, ours, outcome)
        except TimeUp:
            pass
        except Missing:
            outcome.missing = info.name
        self.known.remove_from(outcome)
        outcome.seconds = time.perf_counter() - started
        return outcome

    def all_samples(self, info: Any, ours: Any, outcome: Outcome) -> None:
        """Everything that is asked of one class."""
        raise NotImplementedError

    def note(self, outcome: Outcome, text: str, check: Callable[[], None]) -> None:
        """Put down how a check went."""
        try:
            check()
        except Missing:
            outcome.skipped += 1
        except Difference as difference:
            outcome.failures.append(Failure(difference.kind, text, str(difference), 0))
        except Exception as error:
            outcome.failures.append(Failure("harness", text, f"{type(error).__name__}: {error}", 0))
        else:
            outcome.passed += 1
