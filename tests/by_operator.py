"""One test for all samples of an operator: what the marker `cases` means.

`@pytest.mark.cases(wanted=..., where=..., bad=..., few=...)` calls a test of an argument `case` for every operator,
dtype for which `wanted(operator, dtype)`, and sample; `where(case)` says which samples, if not all. A test is an item
for each operator, named by it: an item for each sample would be 150,000, and making those takes longer than most of
them run.
With `together=True`, for what is quick, a test is an item for all operators of a file, named by that. When tests are
collected the names of operators are all that is asked for; the samples are made when the test runs.

Each case runs with fixed seeds, whatever the ones before it did. The error is that of the first case that fails, with
the names of all that fail. `-k exp` runs the items that the operator is in, `--case exp-float64-3` a single case,
`--case 'exp-*'` all of an operator.

In the interpreted build a fixed share of the samples runs, unless `--all` is given: the rules are the same source in
both builds, and what the kernels of NumPy give is compared with the native ones, sample by sample, in the compiled one.
With `few=True`, for what is dear and asks of each operator the same for all its samples, that is the first one.
"""

from __future__ import annotations

import fnmatch
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from wengert._core.cards.card import REGISTRY
from wengert._start import build as _build
from wengert.testing import Case, cases
from wengert.testing.calls import Wanted, names_of

MOST_SHOWN = 20
"""So many of the cases that failed are listed with their errors; of the others the names only."""


class Samples:
    """The cases of one operator, or of several.

    Attributes:
        id: the operator's name, or that of the file of all of them.
        names: the operators.
        wanted: the dtypes of the cases.
        where: which of their samples.
        bad: the samples that must be refused.
        pattern: names of cases as `--case` gives them, or None.
        share: a share of the samples is enough.
        few: that share is the first sample.
    """

    def __init__(
        self,
        id: str,
        names: list[str],
        wanted: Wanted,
        where: Callable[[Case], bool] | None,
        bad: bool,
        pattern: str | None,
        share: bool,
        few: bool,
    ) -> None:
        self.id = id
        self.names = names
        self.wanted = wanted
        self.where = where
        self.bad = bad
        self.pattern = pattern
        self.share = share
        self.few = few

    def __iter__(self) -> Iterator[Case]:
        for case in cases(self.wanted, self.bad, self.names):
            if self.share and (case.number if self.few else not is_in_share(case)):
                continue
            if self.pattern is None or fnmatch.fnmatchcase(repr(case), self.pattern):
                if self.where is None or self.where(case):
                    yield case


def is_in_share(case: Case) -> bool:
    """Whether a case runs where a share is enough: the first two samples, and every eighth of the others."""
    return case.number < 2 or case.number % 8 == 0


def add_options(parser: Any) -> None:
    """`--case` and `--all`."""
    parser.addoption("--all", action="store_true", help="also what is exhaustive, and all samples in both builds")
    parser.addoption("--case", metavar="PATTERN", help="of tests of operators the cases of such names, exp-float64-3")


def parametrize(metafunc: Any) -> None:
    """Give a test with the marker its items."""
    marker = metafunc.definition.get_closest_marker("cases")
    if marker is not None:
        pattern = metafunc.config.getoption("--case", None)
        every = pattern is not None or metafunc.config.getoption("--all", False)
        made = samples(**marker.kwargs, pattern=pattern, share=_build.asked_for_interpreted() and not every)
        metafunc.parametrize("case", made, ids=[each.id for each in made])


def samples(
    *,
    wanted: Wanted,
    where: Callable[[Case], bool] | None = None,
    bad: bool = False,
    together: bool = False,
    pattern: str | None = None,
    share: bool = False,
    few: bool = False,
) -> list[Samples]:
    """The samples by operator or by file, as the marker says."""
    groups: dict[str, list[str]] = {}
    for name in names_of(wanted):
        if pattern is None or fnmatch.fnmatchcase(name, pattern.rsplit("-", 2)[0]):
            groups.setdefault(home_of(name) if together else name, []).append(name)
    return [Samples(id, names, wanted, where, bad, pattern, share, few) for id, names in groups.items()]


@functools.cache
def home_of(name: str) -> str:
    """The file that declares an operator, from `ops` on."""
    return REGISTRY[name].body.__module__.removeprefix("wengert.").removeprefix("ops.")


def add_keywords(items: list[Any]) -> None:
    """Let `-k` find the items of files by the names of their operators."""
    for item in items:
        samples = getattr(item, "callspec", None) and item.callspec.params.get("case")
        if isinstance(samples, Samples):
            item.extra_keyword_matches.update(samples.names)


def call(item: Any, around: Callable[[], Any]) -> bool | None:
    """Call the test of an item for each of its cases, inside `around()`; None for a test of something else."""
    samples = item.funcargs.get("case")
    if not isinstance(samples, Samples):
        return None
    known = inspect.signature(item.obj).parameters
    run_each(item.obj, samples, {name: value for name, value in item.funcargs.items() if name in known}, around)
    return True


def run_each(test: Callable[..., Any], samples: Any, arguments: dict[str, Any], around: Callable[[], Any]) -> None:
    """Call a test for each case, and raise the first error with the names of all cases that failed."""
    failed: list[tuple[Case, BaseException]] = []
    skipped: list[BaseException] = []
    count = 0
    for case in samples:
        count += 1
        try:
            with around():
                test(**{**arguments, "case": case})
        except pytest.skip.Exception as reason:
            skipped.append(reason)
        except (Exception, pytest.fail.Exception) as error:
            failed.append((case, error))
    if failed:
        first, error = failed[0]
        error.add_note(f"case: {first!r}, the first of {len(failed)} that failed, of {count}; --case {first!r} runs it")
        for case, other in failed[1:MOST_SHOWN]:
            error.add_note(f"case: {case!r}: {' '.join([type(other).__name__, *str(other).split()])[:200]}")
        if len(failed) > MOST_SHOWN:
            error.add_note(f"cases: {', '.join([repr(case) for case, _ in failed[MOST_SHOWN:]])}")
        raise error
    if skipped and len(skipped) == count:
        raise skipped[0]
