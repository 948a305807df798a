"""What an installed wengert must do, in a process that has nothing but its dependencies.

    python tests/release/smoke.py [compiled | interpreted]

run in a folder that is not the source tree, after `pip install` of a wheel. It says which build it found, computes one
small thing of each part whose answer is known, and ends with status 0. The release runs it for each wheel.
"""

from __future__ import annotations

import math
import pickle
import sys
import tempfile
import threading
import warnings
from pathlib import Path

with warnings.catch_warnings():
    # Free-threaded interpreters say that they switch the lock on, or that it is due: docs/threads.md
    warnings.filterwarnings("ignore", message=".*(GIL|interpreter's lock)", category=RuntimeWarning)
    import wengert as wg
from wengert import nn
from wengert.info import info


def close(found: object, wanted: object, within: float = 1e-6) -> None:
    """Fail unless both are equal but for rounding."""
    left, right = wg.as_tensor(found, dtype=wg.float64), wg.as_tensor(wanted, dtype=wg.float64)
    if left.shape != right.shape or not ((left - right).abs() <= within * (1 + right.abs())).all():
        raise AssertionError(f"{found} is not {wanted}")


def check_derivatives() -> None:
    """First and second derivatives, a hand-written function, a view written in place."""
    x = wg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * x).sum().backward()
    close(x.grad, [2, 4, 6])
    (slope,) = wg.autograd.grad((x**3).sum(), x, create_graph=True)
    (curvature,) = wg.autograd.grad(slope.sum(), x)
    close(curvature, [6, 12, 18])

    class Double(wg.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    close(wg.autograd.grad(Double.apply(x).sum(), x)[0], [2, 2, 2])
    y = x * 1
    y[1:].mul_(5)
    close(wg.autograd.grad(y.sum(), x)[0], [1, 5, 5])


def check_transforms() -> None:
    """Transforms of functions."""
    x = wg.tensor([1.0, 2.0])
    close(wg.func.hessian(lambda value: (value**3).sum())(x), [[6, 0], [0, 12]])
    close(wg.vmap(wg.func.grad(wg.sin))(x), [math.cos(1), math.cos(2)])
    close(wg.func.jvp(wg.exp, (x,), (wg.ones(2),))[1], [math.e, math.e**2])


def check_training() -> None:
    """A convolutional network learns; its weights survive a file."""
    wg.manual_seed(0)
    images = wg.rand(16, 1, 8, 8)
    targets = (images.mean((1, 2, 3)) > 0.5).long()
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
    optimizer = wg.optim.Adam(model.parameters(), lr=0.03)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    if losses[-1] > losses[0] / 2:
        raise AssertionError(f"the network does not learn: {losses}")
    with tempfile.TemporaryDirectory() as folder:
        wg.save(model.state_dict(), Path(folder, "weights"))
        read = wg.load(Path(folder, "weights"))
    if not all((read[name] == value).all() for name, value in model.state_dict().items()):
        raise AssertionError("weights changed on their way through a file")


def check_kernels() -> None:
    """Large arrays, which native kernels share among threads; linear algebra, transforms, every floating-point type."""
    x = wg.linspace(0, 1, 200_001, dtype=wg.float64)
    close(wg.trapezoid(x.exp(), x), math.e - 1, 1e-9)
    matrix = wg.tensor([[4.0, 1.0], [1.0, 3.0]])
    close(wg.linalg.solve(matrix, wg.tensor([1.0, 2.0])), [1 / 11, 7 / 11])
    close(wg.fft.irfft(wg.fft.rfft(x[:12]), 12), x[:12])
    close(wg.sort(wg.tensor([3, 1, 2])).values, [1, 2, 3])
    for dtype in (wg.float16, wg.bfloat16, wg.float32, wg.float64):
        close(wg.ones(3, dtype=dtype).sum().double(), 3)
    if len(wg.quasirandom.SobolEngine(7).draw(4)) != 4:
        raise AssertionError("no Sobol' points")


def check_data() -> None:
    """What the package reads from its own files: page of the graph, type stubs."""
    x = wg.ones(2, requires_grad=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "graph.html")
        wg.viz.graph((x * 2).sum()).save(page)
        if "cytoscape" not in page.read_text(encoding="utf-8"):
            raise AssertionError("the page of the graph lacks its libraries")
    if not Path(wg.__file__).with_name("py.typed").exists():
        raise AssertionError("py.typed is missing")


def check_threads() -> None:
    """Threads that add to one leaf lose nothing."""
    weight = wg.zeros(3, requires_grad=True)

    def contribute() -> None:
        for _ in range(50):
            (weight * 2).sum().backward()

    threads = [threading.Thread(target=contribute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    close(weight.grad, [400, 400, 400])


def check_copies() -> None:
    """Pickles of tensors."""
    x = wg.arange(6.0).view(2, 3).t()
    close(pickle.loads(pickle.dumps(x)), x)


CHECKS = (check_derivatives, check_transforms, check_training, check_kernels, check_data, check_threads, check_copies)


def main() -> int:
    """Say what was found; run all checks."""
    found = info()
    print(
        "; ".join(f"{name}: {found[name]}" for name in ("wengert", "build", "kernels", "Python", "NumPy", "platform"))
    )
    print(Path(wg.__file__).parent)
    runs = found["build"].split()[0]  # what follows says why
    wanted = sys.argv[1] if len(sys.argv) > 1 else runs
    if runs != wanted:
        print(f"the {runs} build runs, not the {wanted} one")
        return 1
    for check in CHECKS:
        check()
        print(f"{check.__name__.removeprefix('check_')}: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
