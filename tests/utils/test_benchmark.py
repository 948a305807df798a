"""`utils.benchmark`: reports held against those of torch 2.13, timers against a clock that the test moves."""

from __future__ import annotations

import pickle

import pytest

import wengert as wg
from wengert.utils.benchmark import (
    Compare,
    Measurement,
    TaskSpec,
    Timer,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)


def measured(*times, per_run=1, stmt="x + y", setup="pass", **names):
    return Measurement(per_run, list(times), TaskSpec(stmt, setup, **names))


class Clock:
    """Each look takes `look` seconds; `work` is what statements do."""

    def __init__(self, look=0.0):
        self.now, self.look = 0.0, look

    def __call__(self):
        self.now += self.look
        return self.now

    def work(self, seconds):
        self.now += seconds


def test_statistics():
    one = measured(4.0, 1.0, 3.0, 2.0, per_run=2)
    assert one.times == [2.0, 0.5, 1.5, 1.0]
    assert (one.median, one.mean, one.iqr) == (1.25, 1.25, 0.75)
    assert one.has_warnings and not one.meets_confidence(0.5) and one.meets_confidence(0.7)
    assert one.significant_figures == 1
    assert measured(1e-3, 1.0001e-3, 1e-3, 1e-3).significant_figures == 4
    assert (one.stmt, one.num_threads, one.label, one.as_row_name) == ("x + y", 1, None, "x + y")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        one.nothing  # noqa: B018
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (
            measured(*[1e-4] * 5, per_run=100, label="add", sub_label="int", description="n=1", setup="x = 1"),
            "add: int\nn=1\nsetup: x = 1\n  Median: 1.00 us\n  IQR:    0.00 us (1.00 to 1.00)\n"
            "  5 measurements, 100 runs per measurement, 1 thread",
        ),
        (measured(2.0, num_threads=4), "x + y\n  2.00 s\n  1 measurement, 1 runs , 4 threads"),
        (
            measured(1e-3, 2e-3, stmt="x\ny", sub_label="s"),
            "stmt: (s)\n  x\n  y\n\n  Median: 1.50 ms\n  2 measurements, 1 runs per measurement, 1 thread\n"
            "  WARNING: Interquartile range is 33.3% of the median measurement.\n"
            "           This suggests significant environmental influence.",
        ),
    ],
)
def test_reports(one, says):
    lines = repr(one).splitlines()
    assert lines[0].endswith(f"Measurement object at {id(one):#x}>")
    assert "\n".join(lines[1:]) == says


TABLE = """\
[----------- add ------------]
             |  n=1  |  n=1000
1 threads: -------------------
      float  |  1.0  |   13.2 |
      int    |  2.3  |        |
2 threads: -------------------
      int    |  3.0  |        |

Times are in microseconds (us).
""".replace(" |\n", " \n")


def test_tables():
    results = [
        measured(1e-6, label="add", sub_label="float", description="n=1"),
        measured(12e-6, 12.5e-6, 14e-6, 18e-6, label="add", sub_label="float", description="n=1000"),
        measured(2.26e-6, label="add", sub_label="int", description="n=1"),
        measured(3e-6, label="add", sub_label="int", description="n=1", num_threads=2),
    ]
    table = Compare(results)
    assert str(table) == TABLE
    table.highlight_warnings()
    lines = str(table).splitlines()
    assert lines[3] == "      float  |  1.0  |  13.2 (! 20%)"
    assert lines[-1] == "(! XX%) Measurement has high variance, where XX is the IQR / median * 100."
    table = Compare(results)
    table.trim_significant_figures()
    table.colorize()
    lines = str(table).splitlines()
    best, bad, end = "\033[92m\033[1m", "\033[2m\033[91m", "\033[0m\033[0m"
    assert lines[3] == f"      float  |  {best} 1 {end}  |  {best}  10  {end}"
    assert lines[4] == f"      int    |  {bad} 2 {end}  |        "
    table.colorize(rowwise=True)
    assert str(table).splitlines()[3] == f"      float  |  {best} 1 {end}  |  \033[31m\033[1m  10  {end}"
    table.extend_results([measured(5e-6, label="add", sub_label="float", description="n=1")])
    assert " 3 " in str(table).splitlines()[3]
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`, got <class 'int'>"):
        table.extend_results([3])
    assert str(Compare([measured(1e-6), measured(1e-6, label="other")])).count("Times are in") == 2


def test_environments_and_merging():
    results = [measured(1e-6 * k, env=env, label="e") for k, env in ((1, "a"), (2, "b"), (3, "a"))]
    assert [each.raw_times for each in Measurement.merge(results)] == [[1e-6, 3e-6], [2e-6]]
    lines = str(Compare(results)).splitlines()
    assert [line.rstrip() for line in lines[3:5]] == ["  (a)  x + y  |  2.0", "  (b)  x + y  |  2.0"]


def test_timeit_warms_up():
    clock, calls = Clock(), []

    def work():
        calls.append(1)
        clock.work(0.5)

    one = Timer("work()", timer=clock, globals={"work": work}, label="w").timeit(200)
    assert (one.raw_times, one.number_per_run, one.median, one.label, len(calls)) == ([100.0], 200, 0.5, "w", 202)


def test_blocks_are_long_beside_the_clock():
    clock, heard = Clock(look=2e-6), []
    timer = Timer("work(1e-5)", timer=clock, globals={"work": clock.work})
    one = timer.blocked_autorange(lambda number, spent: heard.append((number, spent)), min_run_time=0.2)
    assert one.number_per_run == 10000  # 0.1 s; 0.01 s would not be ten thousand looks at the clock
    assert [spent for _, spent in heard] == one.raw_times
    assert len(one.raw_times) == 2 and one.median == pytest.approx(1e-5, rel=1e-3)


def test_adaptive_goes_on_until_times_agree():
    clock = Clock()
    lengths = iter([0.1, 0.1, 0.5, 0.9, 0.2] + [0.3] * 100)
    timer = Timer("work(next(lengths))", timer=clock, globals={"work": clock.work, "lengths": lengths})
    one = timer.adaptive_autorange(threshold=0.3)
    assert len(one.raw_times) > 4 and one.meets_confidence(0.3)
    noisy = iter([0.1, 0.9] * 100)
    timer = Timer("work(next(noisy))", timer=clock, globals={"work": clock.work, "noisy": noisy})
    assert 3 <= sum(timer.adaptive_autorange(max_run_time=3.0).raw_times) <= 4


def test_threads_are_set_while_it_runs_and_given_back():
    before, seen = wg.get_num_threads(), []
    names = {"look": lambda: seen.append(wg.get_num_threads())}
    Timer("look()", num_threads=1, globals=names).timeit(2)
    assert set(seen) == {1} and wg.get_num_threads() == before
    with pytest.raises(ZeroDivisionError):
        Timer("1 / 0").timeit(1)
    assert wg.get_num_threads() == before


def test_statements_see_torch_and_need_no_margin():
    one = Timer(
        """
        y = x + 1
        torch.relu(y)
        """,
        setup="\n  x = torch.ones(2)\n",
    ).timeit(1)
    assert one.stmt == "y = x + 1\ntorch.relu(y)" and one.task_spec.setup == "x = torch.ones(2)"


def test_refusals():
    for kwargs, kind, says in (
        ({"stmt": len}, ValueError, "only a `str` stmt"),
        ({"language": "c++"}, NotImplementedError, r"C\+\+"),
        ({"language": "rust"}, ValueError, "Invalid language `rust`"),
        ({"global_setup": "#include"}, ValueError, r"global_setup is C\+\+ only"),
    ):
        with pytest.raises(kind, match=says):
            Timer(**kwargs)
    for method in ("repeat", "autorange", "collect_callgrind"):
        with pytest.raises(NotImplementedError):
            getattr(Timer(), method)()


def test_numbers():
    assert [select_unit(t)[0] for t in (1e-9, 3e-8, 1e-6, 5e-4, 1e-3, 2.0)] == ["ns", "ns", "us", "us", "ms", "s"]
    assert [trim_sigfig(*each) for each in ((3.14159, 2), (12345.0, 3))] == pytest.approx([3.1, 12300.0])
    assert ordered_unique([3, 1, 3]) == [3, 1] and unit_to_english("ms") == "millisecond"
    with pytest.raises(AssertionError, match="must be an integer"):
        trim_sigfig(3.0, 1.5)
