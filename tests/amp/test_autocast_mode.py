"""Regions of autocast: what tests/parity/programs/autocast.py, which holds what torch gave, does not say."""

from __future__ import annotations

import gc
import threading
import weakref

import wengert as wg
from wengert._core import flags
from wengert._core.state.modes import current


def product():
    return (wg.ones(1, 2) @ wg.ones(2, 1)).dtype


def test_a_region_is_that_of_its_thread():
    found = []
    with wg.autocast("cpu"):
        thread = threading.Thread(target=lambda: found.append(product()))
        thread.start()
        thread.join()
        found.append(product())
    assert found == [wg.float32, wg.bfloat16]


def test_behind_a_region_nothing_is_left_of_it():
    weight = wg.ones(2, 2, requires_grad=True)
    with wg.autocast("cpu"):
        made = weight @ weight
        cast = weakref.ref(made.grad_fn.next_functions[0][0])
    assert not current().word & flags.AUTOCAST and current().casting is None
    del made
    gc.collect()
    assert cast() is None


def test_one_region_may_be_entered_again_within_itself():
    region = wg.autocast("cpu")

    @region
    def nested(depth):
        return nested(depth - 1) if depth else product()

    assert nested(3) is wg.bfloat16 and product() is wg.float32


def test_observers_and_levels_do_not_end_a_region():
    x = wg.ones(2, 2)
    with wg.autocast("cpu"):
        value, tangent = wg.func.jvp(lambda each: each @ each, (x,), (x,))
        rows = wg.func.vmap(lambda row: row @ x)(x)
        assert value.dtype is tangent.dtype is rows.dtype is product() is wg.bfloat16


def test_what_is_not_recorded_does_not_cut_off_later_gradients():
    weight = wg.ones(2, 2, requires_grad=True)
    with wg.autocast("cpu"):
        with wg.no_grad():
            weight @ weight
        (weight @ weight).sum().backward()
    assert weight.grad is not None and weight.grad.dtype is wg.float32


def test_a_region_of_autocast_can_be_put_around_a_function():
    region = wg.amp.autocast_mode.autocast("cpu", dtype=wg.bfloat16)
    product = wg.amp.autocast_mode.autocast_decorator(region, lambda x: x @ x)
    assert product(wg.ones(2, 2)).dtype is wg.bfloat16
