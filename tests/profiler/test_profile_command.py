"""`python -m wengert.profile`: a program runs as by itself, then there is a table, a trace and a page."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import sys, threading
import wengert as wg

def work():
    x = wg.ones(3, requires_grad=True)
    (x * 2).sum().backward()

if __name__ == "__main__":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    print("arguments", sys.argv[1:])
    wg.ones(2).exp()
"""


def command(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "wengert.profile", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_a_program_gets_its_arguments_and_leaves_a_table_and_a_trace(folder):
    ran = command(folder, "--shapes", "--memory", "--flops", "program.py", "--rows", "7", "x y")
    assert ran.returncode == 0, ran.stderr
    assert "arguments ['--rows', '7', 'x y']" in ran.stdout
    assert "MulBackward0" in ran.stdout and "CPU Mem" in ran.stdout and "Input Shapes" in ran.stdout
    names = {entry["name"] for entry in json.loads((folder / "trace.json").read_text())["traceEvents"]}
    assert {"aten::mul", "MulBackward0", "aten::exp", "live memory"} <= names
    assert "trace: trace.json" in ran.stdout


def test_a_module_can_be_profiled_and_files_can_be_named(folder):
    ran = command(
        folder, "--trace", "t.json.gz", "--stacks", "s.txt", "--sort", "count", "--rows", "1", "-m", "program", "1"
    )
    assert ran.returncode == 0, ran.stderr
    assert "arguments ['1']" in ran.stdout and (folder / "t.json.gz").exists()
    assert "program.py(" in (folder / "s.txt").read_text() or not (folder / "s.txt").read_text()


def page_of(path):
    """The data of an explorer page."""
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', path.read_text())[1])


def test_a_page_shows_the_events_of_all_threads_whatever_their_names(folder):
    with (folder / "program.py").open("a") as program:
        program.write("    with wg.autograd.profiler.record_function('</script>'):\n        wg.ones(2).sin()\n")
    (folder / "pages").mkdir()
    ran = command(folder, "--html", "pages/p.html", "program.py")
    assert ran.returncode == 0, ran.stderr
    assert "page: pages/p.html" in ran.stdout and "trace: trace.json" in ran.stdout
    data = page_of(folder / "pages" / "p.html")
    shown = [[data["strings"][event[0]] for event in thread["events"]] for thread in data["timeline"]["threads"]]
    main, worker = sorted(shown, key=lambda names: "MulBackward0" in names)
    assert main == ["aten::ones", "aten::exp", "</script>", "aten::ones", "aten::sin"]
    assert worker[:3] == ["aten::ones", "aten::mul", "aten::sum"]
    assert data["graph"] is None


def test_a_program_that_runs_nothing_of_the_package_has_an_empty_page(folder):
    (folder / "program.py").write_text("print('done')\n")
    ran = command(folder, "--html", "p.html", "program.py")
    assert ran.returncode == 0 and "nothing of wengert was run\n" in ran.stdout
    assert page_of(folder / "p.html")["timeline"] == {"threads": []}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--html", "page.txt"), "--html: the name must end in .html, but got 'page.txt'"),
        (("--html", "nowhere/p.html"), "--html: there is no folder 'nowhere'"),
        (("--trace", "nowhere/t.json"), "--trace: there is no folder 'nowhere'"),
        (("--stacks", "nowhere/s.txt"), "--stacks: there is no folder 'nowhere'"),
    ],
)
def test_a_file_that_could_not_be_written_is_refused_before_the_program_runs(folder, options, says):
    ran = command(folder, *options, "program.py")
    assert ran.returncode == 2 and says in ran.stderr and ran.stdout == ""
    assert [path.name for path in folder.iterdir()] == ["program.py"]


@pytest.mark.parametrize(
    ("end", "status", "says"),
    [
        ("raise ValueError('no')", 1, "ValueError: no"),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('bad end')", 1, "bad end"),
        ("sys.exit()", 0, ""),
    ],
)
def test_the_exit_status_is_that_of_the_program(folder, end, status, says):
    (folder / "program.py").write_text(f"import sys\nimport wengert as wg\nwg.ones(2).exp()\n{end}\n")
    ran = command(folder, "program.py")
    assert ran.returncode == status and says in ran.stderr and "aten::exp" in ran.stdout
    assert "runpy" not in ran.stderr and (folder / "trace.json").exists()


def test_after_an_interrupt_there_is_what_was_noted(folder):
    text = "import time\nimport wengert as wg\nwg.ones(2).exp()\nprint('ready', flush=True)\ntime.sleep(60)\n"
    (folder / "program.py").write_text(text)
    process = subprocess.Popen(
        [sys.executable, "-m", "wengert.profile", "program.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore it
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "aten::exp" in out and (folder / "trace.json").exists()


def test_a_program_that_is_not_there_is_said_so(folder):
    ran = command(folder, "other.py")
    assert ran.returncode == 2 and "there is no file 'other.py'" in ran.stderr and not (folder / "trace.json").exists()
