"""Traces, stacks and timelines: what is written can be read again, whatever events are called."""

from __future__ import annotations

import gzip
import json
import re

import hypothesis
import hypothesis.strategies as st
import pytest

import wengert as wg
from wengert.autograd.profiler import EventList, FunctionEvent, profile, record_function


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("traces")


def trace_of(prof, path):
    prof.export_chrome_trace(str(path))
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def complete(trace):
    return [entry for entry in trace["traceEvents"] if entry["ph"] == "X"]


def step(**options):
    x = wg.ones(3, requires_grad=True)
    with profile(**options) as prof:
        (x * 2).sum().backward()
    return prof


def test_each_event_is_in_the_trace_where_it_was(folder):
    prof = step(record_shapes=True, with_stack=True)
    entries = complete(trace_of(prof, folder / "a.json"))
    assert [entry["name"] for entry in entries] == [event.name for event in prof.function_events]
    for entry, event in zip(entries, prof.function_events):
        assert (entry["ts"], entry["dur"]) == (event.time_range.start, event.time_range.elapsed_us())
        assert entry["tid"] == event.thread
    assert entries[0]["args"]["Input Dims"] == [[3], []]
    assert entries[0]["args"]["Concrete Inputs"] == ["", "2"]
    assert __file__ in entries[0]["args"]["Call stack"]


def test_entries_of_a_thread_nest(folder):
    entries = complete(trace_of(step(), folder / "nest.json"))
    around = []
    for entry in sorted(entries, key=lambda entry: (entry["ts"], -entry["dur"])):
        end = entry["ts"] + entry["dur"]
        while around and around[-1] <= entry["ts"]:
            around.pop()
        assert not around or end <= around[-1] + 1e-6
        around.append(end)


def test_an_arrow_leads_from_each_operator_to_its_node(folder):
    prof = step()
    trace = trace_of(prof, folder / "arrows.json")
    names = {(entry["tid"], entry["ts"]): entry["name"] for entry in complete(trace)}
    starts = {entry["id"]: entry for entry in trace["traceEvents"] if entry["ph"] == "s"}
    ends = {entry["id"]: entry for entry in trace["traceEvents"] if entry["ph"] == "f"}
    found = {names[starts[at]["tid"], starts[at]["ts"]]: names[ends[at]["tid"], ends[at]["ts"]] for at in starts}
    assert starts.keys() == ends.keys()
    assert found == {"aten::mul": "MulBackward0", "aten::sum": "SumBackward0"}


def test_the_track_of_memory_rises_and_falls(folder):
    with profile(profile_memory=True) as prof:
        x = wg.ones(4, dtype=wg.float64)
        y = x * 2
        del x, y
    trace = trace_of(prof, folder / "memory.json")
    assert [entry["args"]["bytes"] for entry in trace["traceEvents"] if entry["ph"] == "C"] == [32, 64, 32, 0]
    assert trace["profile_memory"] == 1
    assert not [entry for entry in trace_of(step(), folder / "none.json")["traceEvents"] if entry["ph"] == "C"]


def test_a_trace_may_be_compressed_and_say_more(folder):
    prof = step()
    prof.export_chrome_trace(str(folder / "b.json.gz"), {"purpose": 'a "test"'})
    trace = trace_of(prof, folder / "b.json.gz")
    assert trace["purpose"] == 'a "test"' and trace["trace_id"] == prof.trace_id and trace["schemaVersion"] == 1


NAMES = st.text(st.characters(), max_size=12) | st.sampled_from(
    ['"quoted"', "back\\slash", "line\nfeed\x00\x1b", "\U0001f600", "</script>", "{0} %s", "\ud800"]
)


@hypothesis.given(st.lists(NAMES, min_size=1, max_size=5))
def test_names_survive_whatever_they_are(folder, names):
    with profile() as prof:
        for name in names:
            with record_function(name):
                pass
    assert [entry["name"] for entry in complete(trace_of(prof, folder / "names.json"))] == names
    assert prof.table().count("\n") >= len(names)


def test_steps_keep_their_numbers_in_the_trace_only(folder):
    with profile() as prof, record_function("ProfilerStep#3"):
        pass
    assert [event.name for event in prof.function_events] == ["ProfilerStep*"]
    assert [entry["name"] for entry in complete(trace_of(prof, folder / "steps.json"))] == ["ProfilerStep#3"]


def test_stacks_are_lines_for_flame_graphs(folder):
    with profile(with_stack=True) as prof:
        for _ in range(50):
            wg.ones(200, 200) @ wg.ones(200, 200)
    path = folder / "stacks.txt"
    prof.export_stacks(str(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines and all(re.fullmatch(r"\S+ \d+", line) for line in lines)
    assert lines[0].rpartition(";")[2].startswith(f"{__file__.replace(' ', '_')}(")
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(str(path), "count")


def test_a_list_of_other_events_can_be_written_too(folder):
    path = folder / "other.json"
    EventList([FunctionEvent(1, "a", 1, 0.0, 2.0, trace_name="a")]).export_chrome_trace(str(path))
    assert [entry["name"] for entry in complete(json.loads(path.read_text()))] == ["a"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        FunctionEvent(1, "a", 1, 0.0, 2.0, colour="red")


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_a_table_has_torchs_columns_and_layout():
    events = EventList(
        [
            FunctionEvent(1, "aten::mul", 1, 0.0, 1.5, cpu_memory_usage=2048, flops=12, input_shapes=[[3], []]),
            FunctionEvent(2, "x" * 60, 1, 2.0, 1502.0, flops=0, input_shapes=[]),
        ],
        profile_memory=True,
        with_flops=True,
    )
    events._build_tree()
    lines = events.table(header="Title", sort_by="cpu_time").splitlines()
    widths = [55, *[12] * 8, 13, 12]
    rule = "".join("-" * width + "  " for width in widths)
    titles = (
        *("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "CPU Mem", "Self CPU Mem"),
        *("# of Calls", "Input Shapes", "Total FLOPs"),
    )
    assert lines[:2] == ["=" * (len(rule) - 2), "Title"]
    assert lines[2] == lines[4] == lines[-2] == rule
    assert lines[3] == "".join(f"{title:>{width}}  " for title, width in zip(titles, widths))
    assert lines[5].split() == [
        *("x" * 52 + "...", "99.90%", "1.500ms", "99.90%", "1.500ms", "1.500ms"),
        *["0", "B", "0", "B", "1", "[]", "--"],
    ]
    assert lines[6].split() == [
        *("aten::mul", "0.10%", "1.500us", "0.10%", "1.500us", "1.500us", "2.00", "KB", "2.00", "KB", "1"),
        *("[[3],", "[]]", "12.000"),
    ]
    assert lines[-1] == "Self CPU time total: 1.502ms"


def test_a_table_can_be_cut():
    prof = step()
    assert len(prof.table(row_limit=2).splitlines()) == 7
    assert len(prof.table(row_limit=-1).splitlines()) == 5 + len(prof.function_events)
    shown = prof.table(top_level_events_only=True)
    assert "This report only display top-level ops statistics" in shown
    assert not re.search(r"^ *MulBackward0 ", shown, re.M) and re.search("evaluate_function: MulBackward0", shown)
    assert "0.0" in prof.function_events.table(time_unit="s") and "ms" not in prof.function_events.table(time_unit="us")
    with pytest.raises(AttributeError, match="'FunctionEvent' object has no attribute 'colour'"):
        prof.table(sort_by="colour")
    assert "Source Location" in step(with_stack=True).table()


# ---- timelines of memory ---------------------------------------------------------------------------------------------


def test_a_timeline_is_written_by_the_ending_of_its_name(folder):
    with wg.profiler.profile(profile_memory=True) as prof:
        x = wg.ones(4, dtype=wg.float64)
        y = x * 2
        del x, y
    prof.export_memory_timeline(str(folder / "t.json"))
    times, sizes = json.loads((folder / "t.json").read_text())
    assert [each[-1] for each in sizes] == [32, 64, 32, 0] and times == sorted(times)
    prof.export_memory_timeline(str(folder / "t.raw.json.gz"), device="cpu")
    with gzip.open(folder / "t.raw.json.gz", "rt") as file:
        assert [each[1:3] for each in json.load(file)] == [[2, 32], [2, 32], [4, -32], [4, -32]]
    prof.export_memory_timeline(str(folder / "t.html"))
    page = (folder / "t.html").read_text()
    assert "at most 64 bytes" in page and "<script" not in page
    with pytest.raises(ValueError, match="profile_memory=True required"):
        wg.profiler.profile().export_memory_timeline("t.json")
    with pytest.raises(ValueError, match="device must be 'cpu'"):
        prof.export_memory_timeline("t.json", device="cuda:0")
