"""`python -m wengert.profile script.py [arguments]`: profile a program; print a table, write a trace and a page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .autograd.profiler import profile
from .debugging import program as _program

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


class Threads:
    """Configuration of a profile that asks for the events of all threads."""

    profile_all_threads = True


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    result = _program.parser("python -m wengert.profile", DESCRIPTION)
    result.add_argument(
        "--sort", choices=SORTS, default=SORTS[0], help="what the table is sorted by (default: %(default)s)"
    )
    result.add_argument("--rows", type=int, default=30, help="rows of the table; -1 for all (default: %(default)s)")
    result.add_argument(
        "--trace", default="trace.json", help="file of the trace; .gz compresses (default: %(default)s)"
    )
    result.add_argument("--html", type=page, help="file for a page with the timeline and its table; ends in .html")
    result.add_argument("--stacks", help="file for stacks with their times, for flame graphs (notes stacks)")
    result.add_argument("--shapes", action="store_true", help="note shapes, one row for each combination of them")
    result.add_argument("--memory", action="store_true", help="note memory: columns, and a track in the trace")
    result.add_argument("--flops", action="store_true", help="count operations of products and convolutions")
    return result


def page(path: str) -> str:
    """Return the name of a file for a page."""
    if not path.lower().endswith(".html"):
        raise argparse.ArgumentTypeError(f"the name must end in .html, but got {path!r}")
    return path


def refusal(options: argparse.Namespace) -> str | None:
    """Return the reason against a run (no program, or no folder for the output), or None."""
    if _program.is_missing(options.script, options.module):
        return f"there is no file {options.script!r}"
    for option in ("trace", "html", "stacks"):
        folder = os.path.dirname(getattr(options, option) or "")
        if folder and not os.path.isdir(folder):
            return f"--{option}: there is no folder {folder!r}"
    return None


def report(prof: profile, options: argparse.Namespace) -> None:
    """Print the table, write the files, and print their paths."""
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
    """Run the command; return the exit status."""
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
    with prof:
        status, _ = _program.run(options.script, options.arguments, options.module)
    report(prof, options)
    return status


if __name__ == "__main__":
    sys.exit(main())
