"""Worker processes that load batches for a program."""

from __future__ import annotations

import multiprocessing
import queue
import random
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...ops.randomness.generator import manual_seed
from .fetching import Fetcher

POLL = 5.0
"""Seconds after which an idle worker checks whether its program still lives."""


class WorkerInfo(NamedTuple):
    """Information for a worker.

    Attributes:
        id: the number of the worker, from 0.
        num_workers: the number of workers.
        seed: the seed of its random numbers.
        dataset: its copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


class End:
    """The answer of a worker whose stream has ended."""


class KeyText(str):
    """Text that a KeyError shows unquoted, on separate lines."""

    def __repr__(self) -> str:
        return self


class Failure:
    """Answer of a worker after an error: its class, and its text with the traceback.

    Args:
        error: the error.
        worker: the number of the worker.
    """

    def __init__(self, error: BaseException, worker: int) -> None:
        self.kind = type(error)
        shown = "".join(traceback.format_exception(error))
        self.text = f"Caught {self.kind.__name__} in DataLoader worker process {worker}.\nOriginal {shown}"

    def raise_again(self) -> None:
        """Raise an error of the same class; a RuntimeError if the class does not accept a text."""
        text = KeyText(self.text) if issubclass(self.kind, KeyError) else self.text
        try:
            error = self.kind(text)
        except Exception:
            raise RuntimeError(text) from None
        raise error


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return information about this worker; None in the program itself.

    Returns:
        `id`, `num_workers`, `seed` and `dataset`.

    >>> from wengert.utils.data import get_worker_info
    >>> get_worker_info() is None
    True
    """
    return _info


def seed_all(base_seed: int, worker: int) -> None:
    """Seed the generators of Python, NumPy and this package as in torch's workers."""
    random.seed(base_seed + worker)
    manual_seed(base_seed + worker)
    np.random.seed(np.random.SeedSequence([worker, base_seed]).generate_state(4))


def work(
    worker: int,
    count: int,
    base_seed: int,
    fetcher: Fetcher,
    init: Callable[[int], None] | None,
    tasks: Any,
    answers: Any,
) -> None:
    """Answer tasks until None arrives, or the program has ended.

    Args:
        worker: the number of this worker.
        count: the number of workers.
        base_seed: the seed from which each worker's seed is derived.
        fetcher: the builder of batches.
        init: the program's `worker_init_fn`, called first.
        tasks: a queue of (epoch, number of the task, indices of samples).
        answers: a connection for (epoch, number of the task, batch, `End` or `Failure`).
    """
    global _info
    failed: Failure | None = None
    try:
        seed_all(base_seed, worker)
        _info = WorkerInfo(worker, count, base_seed + worker, fetcher.dataset)
        if init is not None:
            init(worker)
    except Exception as error:
        failed = Failure(error, worker)
    epoch, ended = -1, False
    try:
        while (task := next_task(tasks)) is not None:
            if failed is None and task[0] != epoch:
                epoch, failed = task[0], attempt(worker, fetcher.begin)
                ended = failed is not None
            answer = failed or (End() if ended else attempt(worker, fetcher.fetch, task[2]))
            failed, ended = None, ended or isinstance(answer, End)
            send(answers, task[:2], answer, worker)
    except (KeyboardInterrupt, BrokenPipeError):
        return  # the program gets the signal itself, or has stopped reading


def attempt(worker: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function, or `End` or a `Failure`."""
    try:
        return function(*arguments)
    except StopIteration:
        return End()
    except Exception as error:
        return Failure(error, worker)


def send(answers: Any, task: tuple[int, int], answer: Any, worker: int) -> None:
    """Send an answer, or the failure to send it."""
    try:
        answers.send((*task, answer))
    except BrokenPipeError:
        raise
    except Exception as error:  # from pickle, before anything is written
        answers.send((*task, Failure(error, worker)))


def next_task(tasks: Any) -> Any:
    """Return the next task; None if there will be none."""
    program = multiprocessing.parent_process()
    while True:
        try:
            return tasks.get(timeout=POLL)
        except queue.Empty:
            if program is not None and not program.is_alive():
                return None
