"""What tests of the profiler ask of a profile's events, and what they let it note."""

from __future__ import annotations

import wengert as wg


def names(prof):
    """The names of all events, in the order in which they began."""
    return [event.name for event in prof.function_events]


def top(prof):
    """The names of those that lie within no other."""
    return [event.name for event in prof.function_events if event.cpu_parent is None]


def event_of(prof, name, nr=0):
    """The event of this name, or one of several by its number."""
    return [event for event in prof.function_events if event.name == name][nr]


def leaf(*shape):
    """Ones that require a gradient."""
    return wg.ones(*shape, requires_grad=True)


class Twice(wg.autograd.Function):
    """A custom Function."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
