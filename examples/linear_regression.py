"""A straight line through noisy points, by gradient descent written out."""

from __future__ import annotations

import wengert as wg


def main(steps: int = 200, seed: int = 0) -> tuple[float, float]:
    """Fit slope and intercept to points around `3 x - 1`; print the way there and return both."""
    wg.manual_seed(seed)
    x = wg.linspace(-1, 1, 50)
    y = 3 * x - 1 + 0.1 * wg.randn(50)
    slope, intercept = wg.zeros((), requires_grad=True), wg.zeros((), requires_grad=True)
    for step in range(steps + 1):
        loss = ((slope * x + intercept - y) ** 2).mean()
        if step % 50 == 0:
            print(f"step {step:3d}  loss {loss.item():.4f}  y = {slope.item():.3f} x + {intercept.item():.3f}")
        loss.backward()
        with wg.no_grad():
            for parameter in (slope, intercept):
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
    return slope.item(), intercept.item()


if __name__ == "__main__":
    main()
