"""Files are there whole or not at all: links, permissions, full disks, killed and concurrent writers."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import tracemalloc

import pytest

import wengert as wg
from wengert.io import atomic, load_file, save_file, write_atomically

posix_only = pytest.mark.skipif(os.name != "posix", reason="links, permissions and locks of files are POSIX's")


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def run(code, *arguments):
    """Run a program in a process of its own; returns its exit status."""
    program = (
        "import os, signal, sys\nimport wengert as wg\nfrom wengert.io import save_file, write_atomically\n" + code
    )
    return subprocess.run([sys.executable, "-c", program, *map(str, arguments)], timeout=600).returncode


# ---- where it is written ---------------------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_the_permissions_of_the_old_file_are_kept(tmp_path, mode):
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(mode)
    write_atomically(tmp_path / "a", "new")
    assert ((tmp_path / "a").read_text(), mode_of(tmp_path / "a")) == ("new", mode)


@posix_only
def test_a_new_file_has_the_usual_permissions_and_the_mask_of_the_process_is_not_touched(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", None)  # it is the whole process's: other threads would see it
        write_atomically(tmp_path / "a", "text")
        assert mode_of(tmp_path / "a") == 0o640
    finally:
        monkeypatch.undo()
        os.umask(before)


@posix_only
def test_the_new_content_is_never_more_open_than_the_old_file(tmp_path):
    (tmp_path / "secret").write_text("old")
    (tmp_path / "secret").chmod(0o600)
    seen = []

    def pieces():
        yield b"new"
        seen.extend(mode_of(each) for each in tmp_path.iterdir())

    write_atomically(tmp_path / "secret", pieces())
    assert seen == [0o600, 0o600]


@posix_only
def test_saving_through_a_link_replaces_what_it_leads_to(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "weights").write_text("old")
    (tmp_path / "link").symlink_to("there/weights")
    (tmp_path / "second").symlink_to("link")
    assert write_atomically(tmp_path / "second", "new") == tmp_path / "second"
    assert (tmp_path / "link").is_symlink() and (tmp_path / "second").is_symlink()
    assert (tmp_path / "there" / "weights").read_text() == "new"
    assert names(tmp_path / "there") == ["weights"]


@posix_only
def test_saving_through_a_link_to_nothing_makes_the_file_it_leads_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "new")
    write_atomically(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "new").read_text() == "text"


@posix_only
def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with pytest.raises(OSError) as caught:
        write_atomically(tmp_path / "one", "text")
    assert caught.value.errno == errno.ELOOP
    assert names(tmp_path) == ["one", "two"]


@posix_only
def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="only a regular file can be replaced"):
        write_atomically(tmp_path / "pipe", "text")
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "folder", "text")
    assert names(tmp_path) == ["folder", "pipe"]


@pytest.mark.parametrize("name", ["n" * 250, "\N{GREEK SMALL LETTER ALPHA}" * 125, ".hidden", "x\ny"])
def test_names_of_any_length_that_the_system_has_are_written(tmp_path, name):
    path = write_atomically(tmp_path / name, "text")
    assert path.read_text() == "text" and names(tmp_path) == [name]


# ---- failures --------------------------------------------------------------------------------------------------------


def test_a_failure_while_the_content_is_made_leaves_the_old_file(tmp_path):
    (tmp_path / "a").write_text("old")

    def pieces():
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a", pieces())
    assert names(tmp_path) == ["a"] and (tmp_path / "a").read_text() == "old"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_full_disk_at_any_step_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = save_file({"a": wg.ones(3)}, tmp_path / "w")

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        save_file({"a": wg.zeros(3)}, path)
    monkeypatch.undo()
    assert names(tmp_path) == ["w"] and load_file(path)["a"].tolist() == [1, 1, 1]


@posix_only
def test_a_disk_that_the_system_lets_grow_no_further_leaves_the_old_file(tmp_path):
    path = save_file({"a": wg.ones(3)}, tmp_path / "w")
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    save_file({"a": wg.zeros(1 << 20)}, sys.argv[1])
except OSError:
    sys.exit(5)
"""
    assert run(code, path) == 5
    assert names(tmp_path) == ["w"] and load_file(path)["a"].tolist() == [1, 1, 1]


KILLED = """
def pieces():
    yield b"new"
    os.kill(os.getpid(), signal.SIGKILL)
write_atomically(sys.argv[1], pieces())
"""


@posix_only
@pytest.mark.parametrize("name", ["w", "n" * 250])
def test_a_killed_writer_leaves_the_old_file_and_the_next_one_clears_up(tmp_path, name):
    (tmp_path / name).write_text("old")
    (tmp_path / "other.part").write_text("not ours")
    assert run(KILLED, tmp_path / name) == -signal.SIGKILL
    assert run(KILLED, tmp_path / "another") == -signal.SIGKILL
    assert len(names(tmp_path)) == 4 and (tmp_path / name).read_text() == "old"
    write_atomically(tmp_path / name, "new")
    left = [each for each in names(tmp_path) if each not in (name, "other.part")]
    assert len(left) == 1, "that of the other file stays, until somebody writes there"
    assert (tmp_path / name).read_text() == "new"
    write_atomically(tmp_path / "another", "new")
    assert names(tmp_path) == sorted([name, "another", "other.part"])


# ---- several writers -------------------------------------------------------------------------------------------------


def test_a_writer_does_not_remove_what_another_is_writing(tmp_path):
    path = tmp_path / "a"

    def pieces():
        yield b"outer "
        write_atomically(path, "inner")
        assert path.read_text() == "inner"
        yield b"whole"

    write_atomically(path, pieces())
    assert path.read_text() == "outer whole" and names(tmp_path) == ["a"]


@posix_only
def test_a_part_that_is_taken_for_a_left_over_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    path, opened = tmp_path / "a", []
    is_kept = atomic.is_kept

    def late(handle):
        opened.append(names(tmp_path))
        if len(opened) == 1:
            atomic.remove_left_over(path)
            assert names(tmp_path) == []
        return is_kept(handle)

    monkeypatch.setattr(atomic, "is_kept", late)
    write_atomically(path, "text")
    assert len(opened) == 2 and path.read_text() == "text" and names(tmp_path) == ["a"]


def test_many_writers_at_once_each_leave_a_whole_file(tmp_path):
    path, failures = tmp_path / "a", []

    def write(letter):
        try:
            for _ in range(20):
                write_atomically(path, (letter * 1000 for _ in range(3)))
                text = path.read_bytes()
                assert len(text) == 3000 and len(set(text)) == 1
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c", b"d")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == [] and names(tmp_path) == ["a"]


@posix_only
def test_a_file_system_without_locks_is_written_to(tmp_path, monkeypatch):
    def none(*arguments):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    assert run(KILLED, tmp_path / "a") == -signal.SIGKILL
    monkeypatch.setattr(atomic.fcntl, "flock", none)
    write_atomically(tmp_path / "a", "text")
    assert (tmp_path / "a").read_text() == "text"
    assert len(names(tmp_path)) == 2, "what cannot be told from a live one stays"


@posix_only
def test_a_python_without_locks_writes_too(tmp_path, monkeypatch):
    monkeypatch.delattr(atomic.fcntl, "flock")  # as in JupyterLite
    write_atomically(tmp_path / "a", "text")
    assert (tmp_path / "a").read_text() == "text" and names(tmp_path) == ["a"]


# ---- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "strided", "expanded"])
def test_a_save_makes_no_second_copy_of_the_data(tmp_path, layout):
    whole = wg.arange(1 << 21, dtype=wg.float64).reshape(1 << 9, 1 << 12)
    value = {
        "contiguous": whole,
        "transposed": whole.t(),
        "strided": whole[:, ::2],
        "expanded": whole[:1].expand(1 << 9, 1 << 12),
    }[layout]
    save_file({"a": value[:2]}, tmp_path / "w")
    tracemalloc.start()
    try:
        save_file({"a": value}, tmp_path / "w")
        assert tracemalloc.get_traced_memory()[1] < value.nbytes / 4
    finally:
        tracemalloc.stop()
    assert wg.equal(load_file(tmp_path / "w")["a"], value)
