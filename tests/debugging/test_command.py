"""`python -m wengert.explain`: a program is run, and what misses a gradient in it is explained."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import wengert as wg


@pytest.fixture
def explained(tmp_path):
    """`explained(source, *args)`: exit status, output and errors of a script."""

    def run(source, *args):
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        command = [sys.executable, "-m", "wengert.explain", str(path), *args]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


def test_names_of_a_script_that_miss_a_gradient_are_explained(explained):
    status, out, err = explained(
        """
        import sys
        import wengert as wg

        net = wg.nn.Linear(2, 2)
        x = wg.ones(2, requires_grad=True)
        features = net(wg.ones(1, 2)).detach()
        data = wg.ones(3)
        (features * x).sum().backward()
        print("arguments", sys.argv[1:], __name__)
        """,
        "--rate",
        "3",
    )
    assert status == 0, err
    assert "arguments ['--rate', '3'] __main__" in out
    assert "== net.weight\n" in out and "== net.bias\n" in out and "== data" not in out and "== x" not in out
    assert "== features\n" in out and "line 7, in <module>: features = net(wg.ones(1, 2)).detach()" in out


def test_an_error_is_shown_with_its_lines_and_its_status(explained):
    status, out, err = explained(
        """
        import wengert as wg
        loss = wg.ones(2, requires_grad=True).exp().sum()
        loss.backward()
        loss.backward()
        """
    )
    assert status == 1
    assert "backward through the graph a second time" in err
    assert "The error comes from ExpBackward0, recorded at" in err and "line 3, in <module>" in err
    assert "freed by the backward pass at" in err and "line 4, in <module>" in err
    assert "runpy" not in err and "Nothing to explain" in out


def test_the_status_of_a_script_is_handed_on(explained):
    assert explained("import sys; sys.exit(3)")[0] == 3
    assert explained("")[:2] == (0, "== Nothing to explain: no gradient is missing.\n")


@pytest.mark.parametrize(
    ("end", "status", "says"),
    [
        ("sys.exit('bad end')", 1, "bad end\n"),
        ("raise KeyboardInterrupt", 130, ""),
        ("import helper", 0, ""),
        ("x = 1 +", 1, "SyntaxError"),
    ],
)
def test_a_program_runs_and_ends_as_by_itself(explained, tmp_path, end, status, says):
    (tmp_path / "helper.py").write_text("")
    got, out, err = explained(f"import sys\nimport wengert as wg\nx = wg.ones(2, requires_grad=True)\n{end}\n")
    assert got == status and says in err and "wengert/debugging/program" not in err
    assert ("== x\n" in out) == (says != "SyntaxError")


def command(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "wengert.explain", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )


def test_a_module_can_be_explained(tmp_path):
    (tmp_path / "program.py").write_text(
        "import sys, wengert as wg\nx = wg.ones(2, requires_grad=True)\nprint(sys.argv[1:])\n"
    )
    done = command(tmp_path, "-m", "program", "--rate", "3")
    assert done.returncode == 0 and "['--rate', '3']" in done.stdout and "== x\n" in done.stdout


def test_without_a_program_it_says_what_is_missing(tmp_path):
    done = command(tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("usage: python -m wengert.explain [-h] [-m] script")
    done = command(tmp_path, "none.py")
    assert (done.returncode, done.stdout) == (2, "") and "there is no file 'none.py'" in done.stderr


def test_the_name_stays_a_function_when_the_module_is_imported():
    code = (
        "import wengert as wg, wengert.explain; "
        "print(wg.explain(wg.ones(2, requires_grad=True) * 2).reason, callable(wengert.explain))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout.split() == ["not_a_leaf", "True"]
    assert wg.explain(wg.ones(2, requires_grad=True)).reason == "not_used"
