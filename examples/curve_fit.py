"""A damped oscillation fitted to NumPy data by Gauss and Newton's method, with the exact Jacobian."""

from __future__ import annotations

import numpy as np

import wengert as wg

TRUE = np.array([2.0, 0.5, 3.0])


def model(parameters: wg.Tensor, t: wg.Tensor) -> wg.Tensor:
    """Amplitude, decay and frequency give the values at times `t`."""
    amplitude, decay, frequency = parameters.unbind()
    return amplitude * (-decay * t).exp() * (frequency * t).cos()


def jacobian(values: wg.Tensor, parameters: wg.Tensor) -> np.ndarray:
    """The derivatives of all values, one backward pass a row."""
    rows = [wg.autograd.grad(value, parameters, retain_graph=True)[0].numpy() for value in values]
    return np.stack(rows)


def main(steps: int = 10, seed: int = 0) -> np.ndarray:
    """Fit the parameters to noisy measurements; print the way there and return them."""
    t = np.linspace(0.0, 4.0, 60)
    measured = model(wg.from_numpy(TRUE), wg.from_numpy(t)).numpy() + 0.02 * np.random.default_rng(
        seed
    ).standard_normal(60)
    found = np.array([1.5, 0.3, 2.7])
    for step in range(steps):
        parameters = wg.tensor(found, requires_grad=True)
        values = model(parameters, wg.from_numpy(t))
        residual = measured - values.detach().numpy()
        print(f"step {step}  {np.array2string(found, precision=4)}  residual {np.sqrt((residual**2).mean()):.4f}")
        change, *_ = np.linalg.lstsq(jacobian(values, parameters), residual, rcond=None)
        found = found + change
    return found


if __name__ == "__main__":
    main()
