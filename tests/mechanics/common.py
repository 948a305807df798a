"""What the tests of the behaviour table share; none of it needs pytest, so that they also run beside torch."""

from __future__ import annotations

import threading


def refused(action, *phrases, kind=RuntimeError):
    """Assert that `action()` raises `kind` (or an error derived from it) and that its text holds all phrases."""
    try:
        action()
    except kind as error:
        text = " ".join(str(error).split())
        for phrase in phrases:
            assert phrase in text, f"{phrase!r} is not in {text!r}"
        return error
    raise AssertionError(f"no {kind.__name__} was raised")


def in_threads(count, work):
    """Run `work(number)` in `count` threads that start together; their results, errors in place of missing ones."""
    results = [None] * count
    together = threading.Barrier(count)

    def run(number):
        together.wait()
        try:
            results[number] = work(number)
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def equal(tensor, *values):
    """Whether a tensor of one dimension holds these values exactly."""
    return tensor.tolist() == list(values)


def close(tensor, expected, tolerance=1e-6):
    """Whether nested lists of numbers agree with a tensor's values."""
    return gap(tensor.tolist(), expected) <= tolerance


def gap(one, other):
    """The largest difference between two nested lists of numbers."""
    if isinstance(one, list):
        assert len(one) == len(other)
        return max((gap(*pair) for pair in zip(one, other)), default=0.0)
    return abs(one - other)


def names_of(node):
    """The names of the nodes that a node leads to, without torch's namespace; None for edges that lead nowhere."""
    return [None if each is None else name_of(each) for each, _ in node.next_functions]


def name_of(node):
    """The name of a node, without the namespace that torch puts before nodes written by hand."""
    return node.name().removeprefix("torch::autograd::")
