"""Profile a program: `python -m wengert.profile script.py [arguments]` prints a table, writes a trace and a page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from .autograd.profiler import profile

DESCRIPTION = """\
Run a program as `python script.py [arguments]` does and note each operator, node and range that it runs, in all its
threads. Afterwards, also if it ends with an error or by Ctrl-C, a table of them is printed, and a trace is written for
https://ui.perfetto.dev and chrome://tracing; with --html also a page that any browser opens, without a network. The
exit status is that of the program."""
SORTS = (
    "self_cpu_time_total",
    "cpu_time_total",
    "cpu_time",
    "count",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "flops",
)
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 + the number of the signal."""


class Threads:
    """Asks a profile for the events of all threads."""

    profile_all_threads = True


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    made = argparse.ArgumentParser(
        prog="python -m wengert.profile",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("-m", "--module", action="store_true", help="SCRIPT is the name of a module, as for python -m")
    made.add_argument(
        "--sort", choices=SORTS, default=SORTS[0], help="what the table is sorted by (default: %(default)s)"
    )
    made.add_argument("--rows", type=int, default=30, help="rows of the table; -1 for all (default: %(default)s)")
    made.add_argument("--trace", default="trace.json", help="file of the trace; .gz compresses (default: %(default)s)")
    made.add_argument("--html", type=page, help="file for a page with the timeline and its table; ends in .html")
    made.add_argument("--stacks", help="file for stacks with their times, for flame graphs (notes stacks)")
    made.add_argument("--shapes", action="store_true", help="note shapes, one row for each combination of them")
    made.add_argument("--memory", action="store_true", help="note memory: columns, and a track in the trace")
    made.add_argument("--flops", action="store_true", help="count operations of products and convolutions")
    made.add_argument("script", help="the program")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return made


def page(path: str) -> str:
    """The name of a file for a page."""
    if not path.lower().endswith(".html"):
        raise argparse.ArgumentTypeError(f"the name must end in .html, but got {path!r}")
    return path


def refusal(options: argparse.Namespace) -> str | None:
    """Why a run would be in vain: there is no program, or no folder for what it leaves; None if it would not."""
    if not options.module and not os.path.isfile(options.script):
        return f"there is no file {options.script!r}"
    for option in ("trace", "html", "stacks"):
        folder = os.path.dirname(getattr(options, option) or "")
        if folder and not os.path.isdir(folder):
            return f"--{option}: there is no folder {folder!r}"
    return None


def run(script: str, arguments: Sequence[str], module: bool) -> None:
    """Run a program as Python does: under the name `__main__`, with its arguments, from its folder."""
    import runpy

    sys.argv = [script, *arguments]
    if module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(script, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
        runpy.run_path(script, run_name="__main__")


def status_of(end: SystemExit) -> int:
    """The exit status that a program asked for; what is no number is printed, as Python does."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def report(prof: profile, options: argparse.Namespace) -> None:
    """Print the table, write the files and say where they are."""
    averages = prof.function_events.key_averages(group_by_input_shapes=options.shapes)
    print(averages.table(sort_by=options.sort, row_limit=options.rows) or "nothing of wengert was run\n", end="")
    prof.export_chrome_trace(options.trace)
    print(f"trace: {options.trace}")
    if options.html is not None:
        from .viz import timeline

        print(f"page: {timeline(prof).save(options.html)}")
    if options.stacks is not None:
        prof.export_stacks(options.stacks)
        print(f"stacks: {options.stacks}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    options = parser().parse_args(arguments)
    reason = refusal(options)
    if reason is not None:
        print(f"python -m wengert.profile: {reason}", file=sys.stderr)
        return 2
    prof = profile(
        record_shapes=options.shapes,
        profile_memory=options.memory,
        with_flops=options.flops,
        with_stack=options.stacks is not None,
        experimental_config=Threads(),
    )
    status = 0
    try:
        with prof:
            run(options.script, options.arguments, options.module)
    except SystemExit as end:
        status = status_of(end)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except Exception as error:
        show(error)
        status = 1
    report(prof, options)
    return status


def show(error: Any) -> None:
    """Print an error as Python does, without the frames of this command."""
    import traceback

    frames = error.__traceback__
    own = ("runpy", __file__)
    while frames is not None and frames.tb_next is not None and is_own(frames.tb_frame.f_code.co_filename, own):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def is_own(path: str, own: tuple[str, str]) -> bool:
    """Whether a frame belongs to this command or to what it runs programs by."""
    return own[0] in path or path == own[1]


if __name__ == "__main__":
    sys.exit(main())
