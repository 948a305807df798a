"""The command line: read the arguments, train, write the results, and print their place."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import wengert as wg

from . import checkpoint, results
from .data import load
from .interruption import Interruption
from .progress import Progress
from .training import Run

OUT = Path("demo-out")
EPOCHS = 15
SEED = 0
STOPPED = 130
"""Exit status after Ctrl-C, as shells have it: 128 + the number of the signal."""

DESCRIPTION = """\
Train a small convolutional network on 1,797 real handwritten digits, judge it on a fifth that it never saw, and leave
curves, misclassified digits, a picture of the loss's autograd graph, a page to explore it in a browser, the weights and
metrics.json in a folder.

Ctrl-C stops after the running step, writes everything for what was done so far, and exits with status 130;
--resume FOLDER goes on from there."""


def count(text: str) -> int:
    """Read a number of epochs."""
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return int(text)


def seed(text: str) -> int:
    """Read a seed of random numbers."""
    if not text.strip().isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {2**32 - 1}, not {text!r}")
    return int(text)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m wengert.demo",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, help=f"where the results go (default: {OUT}, or the folder resumed)"
    )
    parser.add_argument("--epochs", metavar="N", type=count, help=f"passes through the data (default: {EPOCHS})")
    parser.add_argument("--seed", metavar="N", type=seed, help=f"start of all random numbers (default: {SEED})")
    parser.add_argument("--resume", metavar="FOLDER", type=Path, help="go on from what an earlier run left there")
    return parser


def prepare(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> tuple[Run, Path]:
    """Return the run, new or resumed, and the folder of its results, which is created."""
    if arguments.resume is None:
        run = Run.start(arguments.seed or SEED, arguments.epochs or EPOCHS)
    else:
        try:
            run = checkpoint.load(arguments.resume / checkpoint.FILE)
        except (OSError, ValueError) as error:
            parser.error(f"--resume {arguments.resume}: {error}")
        if arguments.seed not in (None, run.seed):
            parser.error(f"--seed {arguments.seed}: the run in {arguments.resume} was started with --seed {run.seed}")
        run.epochs = arguments.epochs or run.epochs
        if run.epochs < run.epochs_done:
            parser.error(
                f"--epochs {run.epochs}: the run in {arguments.resume} has {run.epochs_done} behind it already"
            )
    folder = arguments.out or arguments.resume or OUT
    try:
        folder.mkdir(parents=True, exist_ok=True)
        results.check_writable(folder)
    except OSError as error:
        parser.error(f"--out {folder}: cannot write there: {error.strerror or error}")
    return run, folder


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Context in which kernels use one thread: images this small gain little from more, and lose much on busy cores."""
    before = wg.get_num_threads()
    wg.set_num_threads(1)
    try:
        yield
    finally:
        wg.set_num_threads(before)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: command-line arguments; those of the process if not given.

    Returns:
        The exit status: 0, or 130 after Ctrl-C. Wrong arguments exit with 2 and a message.
    """
    parser = make_parser()
    run, folder = prepare(parser, parser.parse_args(arguments))
    digits = load()
    print(run.describe(digits), flush=True)
    with Interruption() as interruption, one_thread():
        with Progress(run.epochs, digits.steps_per_epoch, run.steps_done) as progress:
            for event in run.train(digits, interruption):
                progress.show(run, event)
                if event.epoch_ended and not interruption.requested:
                    checkpoint.save(run, folder / checkpoint.FILE)
        stopped = interruption.requested and not run.finished
        if stopped:
            print("stopped by Ctrl-C: writing what is done", file=sys.stderr, flush=True)
        checkpoint.save(run, folder / checkpoint.FILE)
        print(results.write(run, digits, folder), flush=True)
    if stopped:
        print(f"go on with: {parser.prog} --resume {folder}", flush=True)
    return STOPPED if stopped else 0
