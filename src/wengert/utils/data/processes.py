"""Iterator over batches that worker processes build ahead."""

from __future__ import annotations

import _thread
import multiprocessing
import os
import sys
import time
import weakref
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from .fetching import _BaseDataLoaderIter
from .worker import End, Failure, work

if TYPE_CHECKING:
    from .dataloader import DataLoader

PATIENCE = 1.0
"""Seconds that workers have to exit by themselves."""


def can_start() -> bool:
    """Return whether this platform supports processes, and threads for the queues of tasks; WebAssembly does not."""
    if sys.platform in ("emscripten", "wasi"):
        return False
    try:
        _thread.start_new_thread(int, ())
    except RuntimeError:
        return False
    return True


_NOTHING = object()
"""Marker for a missing batch, since a batch may be None."""


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Iterator over batches that workers build ahead, in the order of the sampler.

    Tasks are numbered, and sent to the workers in turn. A worker answers each task, so that pending tasks are known
    without further messages: with `End` at the end of a stream, with a `Failure` after an error.

    Args:
        loader: the loader.
    """

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._timeout = loader.timeout or None
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self._started: list[Any] = []
        self._tasks: list[Any] = []
        self._answers: list[Connection] = []
        for number in range(loader.num_workers):
            tasks = context.Queue()
            tasks.cancel_join_thread()
            receiver, sender = context.Pipe(duplex=False)
            arguments = (
                number,
                loader.num_workers,
                self._base_seed,
                self._fetcher,
                loader.worker_init_fn,
                tasks,
                sender,
            )
            process = context.Process(target=work, args=arguments, daemon=True)
            process.start()
            sender.close()  # no other worker may hold it, so that the connection ends with its worker
            self._started.append(process)
            self._tasks.append(tasks)
            self._answers.append(receiver)
        self._stop = weakref.finalize(self, stop, os.getpid(), self._started, self._tasks, self._answers)
        self._epoch = -1
        self._reset(loader)

    def _reset(self, loader: DataLoader) -> None:
        """Start a new epoch; answers to earlier tasks will be ignored."""
        self._epoch += 1
        self._order = iter(loader._index_sampler)
        self._sent = self._returned = self._next_worker = 0
        self._arrived: dict[int, Any] = {}
        self._open = [True] * len(self._started)
        for _ in range(max(loader.prefetch_factor or 0, 1) * len(self._started)):
            self._send()

    def _send(self) -> None:
        """Send the next task to the next worker, if both exist."""
        for _ in self._open:
            worker, self._next_worker = self._next_worker, (self._next_worker + 1) % len(self._open)
            if not self._open[worker]:
                continue
            indices = next(self._order, _NOTHING)
            if indices is not _NOTHING:
                self._tasks[worker].put((self._epoch, self._sent, indices))
                self._sent += 1
            return

    def _next_data(self) -> Any:
        while self._returned < self._sent:
            while self._returned not in self._arrived:
                self._receive()
            answer = self._arrived.pop(self._returned)
            self._returned += 1
            self._send()
            if isinstance(answer, Failure):
                answer.raise_again()
            if not isinstance(answer, End):
                return answer
        if not self._loader.persistent_workers:
            self._stop()
        raise StopIteration

    def _shutdown_workers(self) -> None:
        """Stop the workers now, also persistent ones; this iterator returns no more batches."""
        self._stop()
        self._returned = self._sent

    def _receive(self) -> None:
        """Receive answers of the workers.

        Raises:
            RuntimeError: if a worker has exited, or none has answered in time.
        """
        ready = wait(self._answers, self._timeout)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        for worker, connection in enumerate(self._answers):
            if connection not in ready:
                continue
            try:
                epoch, task, answer = connection.recv()
            except (EOFError, OSError):
                raise RuntimeError(
                    f"DataLoader worker (pid(s) {self._started[worker].pid}) exited unexpectedly"
                ) from None
            if epoch == self._epoch:
                self._arrived[task] = answer
                if isinstance(answer, End):
                    self._open[worker] = False


def stop(owner: int, started: list[Any], tasks: list[Any], answers: list[Connection]) -> None:
    """Stop the workers; the answers of busy ones are dropped.

    Args:
        owner: the process that started them; its forked children do nothing.
        started: the processes.
        tasks: the queues of tasks.
        answers: the connections.
    """
    if os.getpid() != owner:
        return
    for task in tasks:
        task.put(None)
    for connection in answers:
        connection.close()
    deadline = time.monotonic() + PATIENCE
    for process in started:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive():
            process.terminate()
            process.join()
    for task in tasks:
        task.close()
