"""`load_nvprof`: a trace is read as data, whatever is in it, and nothing of it is changed."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

import hypothesis
import hypothesis.strategies as st
import pytest

from wengert.autograd.profiler import EnforceUnique, load_nvprof, parse_nvprof_trace

TABLES = """
CREATE TABLE StringTable (_id_ INTEGER, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER, id INTEGER, name INTEGER, timestamp INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER, cbid INTEGER, start, end INTEGER, correlationId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (name INTEGER, start INTEGER, end INTEGER, correlationId INTEGER);
"""


def write(path, *, strings, markers=(), calls=(), kernels=(), tables=TABLES):
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(tables)
        connection.executemany("INSERT INTO StringTable VALUES (?, ?)", strings)
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (0, ?, ?, ?)", markers)
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)", calls)
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (?, ?, ?, ?)", kernels)
        connection.commit()
    return path


def good(path, **changes):
    given = {
        "strings": [(1, "aten::mul"), (2, "aten::add"), (3, "kernel'; DROP TABLE StringTable; --")],
        "markers": [(7, 2, 50), (7, 0, 60), (5, 1, 10), (5, 0, 40)],
        "calls": [(1, 211, 20, 22, 99)],
        "kernels": [(3, 30, 36, 99)],
    }
    return write(path, **{**given, **changes})


def test_ranges_and_kernels_are_read_in_the_order_of_time(tmp_path):
    path = good(tmp_path / "trace.sqlite")
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.chmod(0o400)
    events = load_nvprof(path)
    assert [(event.name, event.id, event.time_range.start, event.cpu_time_total) for event in events] == [
        ("aten::mul", 5, 10, 30),
        ("aten::add", 7, 50, 10),
    ]
    assert events[0].kernels == [("kernel'; DROP TABLE StringTable; --", 0, 6)]
    assert events[0].device_time_total == 6 and "Self CUDA" in events.key_averages().table()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before and list(tmp_path.iterdir()) == [path]
    assert [event.name for event in parse_nvprof_trace(str(path))] == ["aten::mul", "aten::add"]


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"markers": [(5, 1, 10), (5, 0, 40), (5, 1, 50)]}, RuntimeError, "duplicate key: \\(5,\\)"),
        ({"calls": [(1, 13, 20, 22, 99)]}, ValueError, "by call 13, 211 was expected"),
        ({"strings": []}, ValueError, "damaged: KeyError"),
        ({"strings": [(1, None), (2, b"x"), (3, "k")]}, ValueError, "damaged: TypeError"),
        ({"markers": [(5, 1, "soon"), (5, 0, 40)]}, ValueError, "damaged: TypeError"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, changes, error, says):
    with pytest.raises(error, match=says):
        load_nvprof(good(tmp_path / "trace.sqlite", **changes))


def test_a_table_that_is_missing_is_refused(tmp_path):
    path = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE StringTable (_id_ INTEGER, value TEXT)")
        connection.commit()
    with pytest.raises(ValueError, match="is not a trace of nvprof, or damaged: OperationalError"):
        load_nvprof(path)


def test_a_file_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_nvprof(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


def test_names_that_mean_something_to_sqlites_addresses_are_names(tmp_path):
    assert len(load_nvprof(good(tmp_path / "a?mode=rwc#b%20c.sqlite"))) == 2


@hypothesis.given(st.binary(max_size=300), st.integers(0, 20000), st.booleans())
def test_damaged_files_are_refused_or_read(tmp_path_factory, junk, place, cut):
    path = tmp_path_factory.mktemp("damaged") / "trace.sqlite"
    data = bytearray(good(path).read_bytes())
    data[place : place + len(junk)] = junk
    path.write_bytes(data[: place + len(junk)] if cut else data)
    try:
        events = load_nvprof(path)
    except (ValueError, RuntimeError):
        return
    assert all(isinstance(event.name, str) for event in events)


def test_keys_are_seen_once():
    unique = EnforceUnique()
    unique.see("a", 1)
    unique.see("a", 2)
    with pytest.raises(RuntimeError, match="duplicate key: \\('a', 1\\)"):
        unique.see("a", 1)
