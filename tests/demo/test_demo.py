"""The demo: it learns, leaves its files, stops on Ctrl-C and goes on from there."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import wengert as wg
from wengert._start.build import BUILD
from wengert.demo import checkpoint, command, data
from wengert.demo.interruption import Interruption
from wengert.demo.training import Run
from wengert.io import load_file
from wengert.vision import load_digits

FILES = {
    "curves.png",
    "misclassified.png",
    "graph.svg",
    "graph.html",
    "trace.json",
    "weights.safetensors",
    "metrics.json",
    "checkpoint.safetensors",
}


@pytest.fixture(scope="module")
def digits():
    return data.load()


def small(digits, count=192):
    """The first few digits only: three steps in an epoch."""
    return data.Digits(
        digits.train_images[:count], digits.train_labels[:count], digits.test_images[:60], digits.test_labels[:60]
    )


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "wengert.demo", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def test_a_fifth_of_each_digit_is_held_out_whatever_the_seed(digits):
    _, labels = load_digits()
    held = data.held_out(labels)
    assert abs(held.sum() - len(labels) / 5) < 1
    for digit in range(10):
        assert abs(held[labels == digit].mean() - 0.2) < 0.01
    assert len(digits.train_labels) + len(digits.test_labels) == 1797
    assert digits.train_images.shape[1:] == (1, 8, 8)
    assert 0 == digits.train_images.min().item() < digits.train_images.max().item() == 1


def test_moved_images_keep_their_ink_unless_it_leaves_the_frame():
    image = wg.zeros(200, 1, 8, 8)
    image[:, 0, 4, 4] = 1
    moved = data.moved(image, data.np.random.default_rng(0))
    assert moved.sum((1, 2, 3)).tolist() == [1.0] * 200
    places = {(int(at) // 8, int(at) % 8) for at in moved.flatten(1).argmax(1).tolist()}
    assert places == {(row, column) for row in (3, 4, 5) for column in (3, 4, 5)}


def test_one_epoch_learns_and_leaves_every_file(tmp_path, capsys):
    assert command.main(["--out", str(tmp_path / "out"), "--epochs", "1", "--seed", "3"]) == 0
    shown = capsys.readouterr().out
    assert {each.name for each in (tmp_path / "out").iterdir()} == FILES
    assert all(str(tmp_path / "out" / name) in shown for name in FILES)
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert metrics["test_accuracy"] > 0.3  # ten guesses would be right once
    assert metrics["seconds"] > 0
    assert metrics["build"] == BUILD
    assert (metrics["epochs"], metrics["seed"], metrics["finished"]) == (1, 3, True)
    assert metrics["history"]["test_accuracy"] == [metrics["test_accuracy"]]
    assert metrics["train_size"] + metrics["test_size"] == 1797
    assert (tmp_path / "out" / "curves.png").read_bytes().startswith(b"\x89PNG")
    picture = (tmp_path / "out" / "graph.svg").read_text()
    assert "ConvolutionBackward0" in picture
    assert "NllLossBackward0" in picture
    page = (tmp_path / "out" / "graph.html").read_text()
    assert "ConvolutionBackward0" in page and "Content-Security-Policy" in page
    trace = json.loads((tmp_path / "out" / "trace.json").read_text())
    assert {"ConvolutionBackward0", "aten::convolution"} <= {event["name"] for event in trace["traceEvents"]}
    weights = load_file(tmp_path / "out" / "weights.safetensors")
    assert (
        sum(value.numel() for name, value in weights.items() if name.endswith(("weight", "bias")))
        == metrics["parameters"]
    )


def test_a_run_that_stops_after_any_step_and_is_resumed_ends_bit_for_bit_the_same(tmp_path, digits):
    few = small(digits)
    whole = Run.start(seed=1, epochs=3)
    for _ in whole.train(few, Interruption()):
        pass
    run = Run.start(seed=1, epochs=3)
    while not run.finished:
        stop = Interruption()
        for at, _ in enumerate(run.train(few, stop)):
            stop.asked = at == 1
        checkpoint.save(run, tmp_path / checkpoint.FILE)
        run = checkpoint.load(tmp_path / checkpoint.FILE)
    assert run.steps_done == whole.steps_done == 9
    assert run.history == whole.history
    for one, other in zip(run.network.state_dict().values(), whole.network.state_dict().values()):
        assert one.tolist() == other.tolist()


def test_ctrl_c_stops_after_the_step_keeps_everything_and_resume_goes_on(tmp_path):
    running = start("--out", tmp_path, "--epochs", 500)
    try:
        line = running.stdout.readline()
        while not line.startswith("epoch"):
            assert line, running.stderr.read()
            line = running.stdout.readline()
        time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=120)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130, err
    assert "stopped by Ctrl-C" in err
    assert "Traceback" not in err
    assert f"--resume {tmp_path}" in out
    assert {each.name for each in tmp_path.iterdir()} == FILES
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics["finished"] is False
    assert 1 <= metrics["epochs"] < 500
    wanted = metrics["epochs"] + 1
    assert command.main(["--resume", str(tmp_path), "--epochs", str(wanted)]) == 0
    resumed = json.loads((tmp_path / "metrics.json").read_text())
    assert (resumed["epochs"], resumed["finished"]) == (wanted, True)
    assert resumed["history"]["train_loss"][:-1] == metrics["history"]["train_loss"]


@pytest.fixture
def stopped(tmp_path, digits):
    """A folder with the checkpoint of a run that stopped after two steps."""
    run, stop = Run.start(seed=1, epochs=3), Interruption()
    for at, _ in enumerate(run.train(small(digits), stop)):
        stop.asked = at == 1
    checkpoint.save(run, tmp_path / checkpoint.FILE)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--epochs", "0"], "argument --epochs: expected a whole number from 1, not '0'"),
        (["--epochs", "many"], "argument --epochs: expected a whole number from 1, not 'many'"),
        (["--seed", "-1"], "argument --seed: expected a whole number from 0"),
        (["--seed", "1.5"], "argument --seed: expected a whole number from 0"),
        (["--resume", "/nowhere"], "there is no checkpoint.safetensors to go on from"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--out", __file__], "cannot write there"),
    ],
)
def test_bad_arguments_are_refused_with_a_message(arguments, says, capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2
    assert says in capsys.readouterr().err


def test_a_resumed_run_keeps_its_seed(stopped, capsys):
    with pytest.raises(SystemExit):
        command.main(["--resume", str(stopped), "--seed", "7"])
    assert "was started with --seed 1" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["cut", "other", "text"])
def test_a_damaged_checkpoint_is_refused(stopped, damage, capsys):
    path = stopped / checkpoint.FILE
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "other":
        wg.io.save_file({"a": wg.ones(1)}, path)
    else:
        path.write_text("weights")
    with pytest.raises(SystemExit) as caught:
        command.main(["--resume", str(stopped)])
    assert caught.value.code == 2
    assert f"--resume {stopped}" in capsys.readouterr().err


def test_a_checkpoint_whose_weights_do_not_fit_is_refused(stopped, capsys):
    path = stopped / checkpoint.FILE
    tensors, texts = load_file(path), wg.io.load_metadata(path)
    tensors["network.0.weight"] = wg.ones(1)
    wg.io.save_file(tensors, path, texts)
    with pytest.raises(SystemExit):
        command.main(["--resume", str(stopped)])
    assert "size mismatch for 0.weight" in capsys.readouterr().err


def test_without_matplotlib_everything_else_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    assert command.main(["--out", str(tmp_path), "--epochs", "1"]) == 0
    assert {each.name for each in tmp_path.iterdir()} == FILES - {"curves.png", "misclassified.png"}
    assert "curves.png was left out" in capsys.readouterr().out
