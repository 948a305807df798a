"""Tries in forked children: a crash, a hang or a runaway allocation is a finding, not the end of the hunt."""

from __future__ import annotations

import ast
import faulthandler
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

Attempt = Callable[[str], str | None]
"""Runs the text of a try and says what is wrong; the first line is the headline under which others like it fall."""


@dataclass
class Limits:
    """What a child may take.

    Attributes:
        seconds: for one try.
        memory: bytes of address space beyond what the child has at its start; 0 for no limit.
        tries: how many one child runs before the next is forked.
    """

    seconds: float = 20.0
    memory: int = 0
    tries: int = 100


@dataclass
class Course:
    """What happened in a child: the tries that ended, each with its complaint or None, and how the child itself did.

    Attributes:
        death: how it ended before all tries did; "" if it did not.
        trace: where it was then.
    """

    ended: list[str | None] = field(default_factory=list)
    death: str = ""
    trace: str = ""


def sift(
    tries: Iterable[str],
    attempt: Attempt,
    seconds: float,
    limits: Limits | None = None,
    excuse: Callable[[str], bool] = lambda text: False,
) -> tuple[int, list[str]]:
    """Run tries for a time.

    Args:
        tries: texts, each of which says all about its try.
        attempt: runs one, in a child.
        seconds: how long.
        limits: of each child.
        excuse: whether somebody else is to blame for the end of a child in this try.

    Returns:
        How many were run, and the findings, one for each headline.
    """
    deadline = time.monotonic() + seconds
    limits = limits or Limits()
    texts, count, findings = iter(tries), 0, dict[str, str]()
    waiting: list[str] = []
    while time.monotonic() < deadline:
        waiting += islice(texts, limits.tries - len(waiting))
        if not waiting:
            break
        course = run(waiting, attempt, limits, deadline)
        for text, complaint in zip(waiting, course.ended):
            note(findings, text, complaint)
        done = len(course.ended)
        if course.death:
            if not excuse(waiting[done]):
                note(findings, waiting[done], explain(course, waiting[: done + 1], attempt, limits))
            done += 1
        count += done
        waiting = waiting[done:]
    return count, list(findings.values())


def note(findings: dict[str, str], text: str, complaint: str | None) -> None:
    """Add a complaint to the findings, unless it is of a kind that is there already."""
    if complaint is not None:
        headline, _, rest = complaint.partition("\n")
        key = "".join(letter for letter in headline.partition("expected")[0] if not letter.isdigit())
        findings.setdefault(key, "\n".join(filter(None, [headline, indented(text), rest])))


def indented(text: str) -> str:
    """The text of a try as part of a finding."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def explain(course: Course, texts: list[str], attempt: Attempt, limits: Limits) -> str:
    """What to say of a try in which the child died: once more alone, to know whether it takes the tries before it."""
    alone = run(texts[-1:], attempt, limits)
    before = "" if alone.death else "\nnot alone; the last of the tries before it:\n" + "\n".join(texts[-6:-1])
    trace = "\n".join((alone if alone.death else course).trace.splitlines()[:12])
    return f"{course.death} in {called(texts[-1])}\n{trace}{before}"


def called(text: str) -> str:
    """The name of the function that a program calls last."""
    last = ast.parse(text).body[-1]
    value = getattr(last, "value", None)
    return ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else text.splitlines()[-1][:80]


def run(texts: list[str], attempt: Attempt, limits: Limits, deadline: float = float("inf")) -> Course:
    """Run tries one after the other in a child; with a deadline, only as many as there is time for.

    The child works in a folder of its own, since a name that a try makes up may be that of a file to write.
    """
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as trace, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if child == 0:
            os.close(reader)
            live(texts, attempt, limits, writer, trace, folder)
        os.close(writer)
        try:
            course = watch(child, reader, len(texts), limits.seconds, deadline)
        finally:
            os.close(reader)
        trace.seek(0)
        course.trace = trace.read().decode(errors="replace")[:1500]
    return course


def live(texts: list[str], attempt: Attempt, limits: Limits, writer: int, trace: BinaryIO, folder: str) -> None:
    """What a child does; never returns."""
    status = 1
    try:
        os.chdir(folder)
        silence()
        faulthandler.enable(trace)
        if limits.memory:
            bound_memory(limits.memory)
        for text in texts:
            os.write(writer, (json.dumps(attempt(text)) + "\n").encode())
        status = 0
    except BaseException as error:  # a mistake of the hunt itself, or a signal
        trace.write(f"{type(error).__name__}: {error}".encode())
        trace.flush()
    finally:
        os._exit(status)


def silence() -> None:
    """Whatever tries print is of no interest."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):
        os.dup2(nowhere, handle)


def bound_memory(more: int) -> None:
    """Let this process take `more` bytes of address space beyond what it has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.getrlimit(resource.RLIMIT_AS)[1]))


def watch(child: int, reader: int, count: int, seconds: float, deadline: float) -> Course:
    """Read what a child reports until it ends, hangs, or the time is up."""
    course, rest, begun = Course(), b"", time.monotonic()
    while True:
        ready, _, _ = select.select([reader], [], [], max(begun + seconds - time.monotonic(), 0))
        if not ready:
            course.death = f"hang of more than {seconds:g} s"
            break
        piece = os.read(reader, 1 << 16)
        if not piece:
            break
        *lines, rest = (rest + piece).split(b"\n")
        course.ended += [json.loads(line) for line in lines]
        begun = time.monotonic()
        if begun > deadline:
            break
    if course.death or (len(course.ended) < count and time.monotonic() > deadline):
        os.kill(child, signal.SIGABRT)  # leaves a trace
        time.sleep(0.2)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not course.death and len(course.ended) < count and time.monotonic() <= deadline:
        course.death = f"crash ({signal.Signals(-status).name})" if status < 0 else f"end with status {status}"
    return course


def until(seconds: float) -> Iterator[int]:
    """0, 1, 2, ... for a time."""
    deadline, at = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        yield at
        at += 1


def main(module_hunt: Callable[[float, int], tuple[Any, ...]]) -> Any:
    """Run one hunt as the command line says: `[SECONDS] [SEED]`; the exit status is 1 if anything was found."""
    arguments = [float(argument) for argument in sys.argv[1:]]
    seconds, seed = (arguments + [60.0, 0.0][len(arguments) :])[:2]
    tries, findings, *figures = module_hunt(seconds, int(seed))
    print("\n\n".join([*findings, *figures, f"{tries} tries, {len(findings)} findings (seed {int(seed)})"]))
    sys.exit(1 if findings else 0)


def watched(child: int, patience: float) -> str:
    """Wait for a forked child; what went wrong, or nothing."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return f"ends with {code}" if code else ""
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"
