"""`distributed` in one process: a group of one, whose steps give what they were given; several are refused."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest

import wengert as wg
from wengert import distributed as dist
from wengert.nn.parallel import DistributedDataParallel

X = wg.arange(3.0)


@pytest.fixture
def group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def nothing():
    return wg.zeros(3)


WRITING = {
    "all_gather": lambda out, **options: dist.all_gather([out], X, **options),
    "all_gather_into_tensor": lambda out, **options: dist.all_gather_into_tensor(out, X, **options),
    "all_gather_single": lambda out, **options: dist.all_gather_single(out, X, **options),
    "gather": lambda out, **options: dist.gather(X, [out], **options),
    "scatter": lambda out, **options: dist.scatter(out, [X], **options),
    "reduce_scatter": lambda out, **options: dist.reduce_scatter(out, [X], **options),
    "reduce_scatter_tensor": lambda out, **options: dist.reduce_scatter_tensor(out, X, **options),
    "all_to_all": lambda out, **options: dist.all_to_all([out], [X], **options),
    "all_to_all_single": lambda out, **options: dist.all_to_all_single(out, X, **options),
}
KEEPING = {
    "all_reduce": lambda x, **options: dist.all_reduce(x, **options),
    "reduce": lambda x, **options: dist.reduce(x, 0, **options),
    "broadcast": lambda x, **options: dist.broadcast(x, 0, **options),
}


@pytest.mark.parametrize("step", WRITING.values(), ids=WRITING)
def test_each_step_gives_what_it_was_given(group, step):
    assert step(out := nothing()) is None and wg.equal(out, X)
    work = step(out := nothing(), async_op=True, group=group)
    assert work.wait() and work.is_completed() and work.result()[0] is out and wg.equal(out, X)


@pytest.mark.parametrize("step", KEEPING.values(), ids=KEEPING)
def test_each_step_leaves_what_all_have(group, step):
    x = X.clone()
    assert step(x) is None and wg.equal(x, X)
    assert step(x, async_op=True).wait() and wg.equal(x, X)
    for op in dist.ReduceOp:
        dist.all_reduce(x, op=op)
    assert wg.equal(x, X)


def test_objects_are_given_as_they_are(group):
    one, several = {"a": [1]}, [None]
    dist.all_gather_object(several, one)
    assert several[0] is one
    dist.gather_object("x", several)
    assert several == ["x"]
    dist.scatter_object_list(several, [one])
    assert several[0] is one
    assert dist.broadcast_object_list(several, 0) is None and several[0] is one
    assert dist.barrier() is None and dist.monitored_barrier() is None and dist.barrier(async_op=True).wait()


def test_the_group_has_one_process(group):
    assert dist.is_initialized() and dist.get_rank() == 0 and dist.get_world_size() == 1
    assert dist.get_backend() == "gloo" and dist.get_process_group_ranks() == [0]
    assert dist.group.WORLD is dist.GroupMember.WORLD is group and isinstance(group, dist.ProcessGroup)
    other = dist.new_group([0])
    assert dist.get_rank(other) == 0 and dist.get_world_size(other) == 1 and dist.get_global_rank(other, 0) == 0
    dist.destroy_process_group(other)
    assert dist.is_initialized()


REFUSED = {
    "another group": lambda: dist.new_group([0, 1]),
    "another root": lambda: dist.broadcast(X, 1),
    "another target": lambda: dist.reduce(X, 1),
    "another source": lambda: dist.scatter(nothing(), [X], 1),
    "no list": lambda: dist.gather(X),
    "a longer list": lambda: dist.all_gather([nothing(), nothing()], X),
    "sending": lambda: dist.send(X, 1),
    "receiving": lambda: dist.recv(X, 1),
    "a second time": lambda: dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_needs_another_process_is_refused(group, call):
    with pytest.raises(ValueError, match=r"process|twice|must be specified|list of one element"):
        call()
    with pytest.raises(TypeError, match="expected a tensor"):
        dist.all_reduce([X])


WITHOUT = [dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(X), dist.destroy_process_group]


@pytest.mark.parametrize("call", WITHOUT)
def test_nothing_is_done_without_a_group(call):
    assert not dist.is_initialized() and not dist.is_available()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        call()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedDataParallel(wg.nn.Linear(2, 2))


def test_several_processes_are_refused_with_the_reason():
    for options in (
        {"store": dist.HashStore(), "rank": 0, "world_size": 2},
        {"init_method": "tcp://127.0.0.1:1?rank=0&world_size=2"},
        {"init_method": "file:///x", "rank": 1, "world_size": 2},
    ):
        with pytest.raises(RuntimeError, match="wengert computes in one process"):
            dist.init_process_group("gloo", **options)
    with pytest.raises(RuntimeError, match="wengert computes in one process"):
        dist.FileStore("x", 2)
    with pytest.raises(RuntimeError, match="doesn't have NCCL built in"):
        dist.init_process_group("nccl", rank=0, world_size=1, store=dist.HashStore())
    with pytest.raises(ValueError, match="unknown backend 'foo'"):
        dist.init_process_group("foo", rank=0, world_size=1, store=dist.HashStore())


def test_the_group_is_found_in_the_environment(monkeypatch):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        dist.init_process_group()
    monkeypatch.setenv("RANK", "0")
    with pytest.raises(ValueError, match="environment variable WORLD_SIZE expected, but not set"):
        dist.init_process_group()
    monkeypatch.setenv("WORLD_SIZE", "1")
    dist.init_process_group()
    dist.destroy_process_group()
    with pytest.raises(ValueError, match="rank parameter missing"):
        dist.init_process_group(init_method="file:///x")
    with pytest.raises(AssertionError, match="both init_method and store"):
        dist.init_process_group(init_method="env://", store=dist.HashStore())


def test_a_module_over_one_process_is_the_module(group):
    layer = wg.nn.Linear(2, 2)
    module = DistributedDataParallel(layer)
    assert module.module is layer and list(module.state_dict()) == ["module.weight", "module.bias"]
    with module.no_sync():
        assert not module.require_backward_grad_sync
    assert module.require_backward_grad_sync
    module(x := wg.ones(2)).sum().backward()
    assert wg.equal(module(x), layer(x)) and wg.equal(layer.weight.grad, wg.ones(2, 2))
    with pytest.raises(RuntimeError, match="doesn't have any parameter that requires a gradient"):
        DistributedDataParallel(wg.nn.ReLU())


STORES = {
    "HashStore": dist.HashStore,
    "FileStore": lambda: dist.FileStore("somewhere", 1),
    "PrefixStore": lambda: dist.PrefixStore("p", dist.HashStore()),
}


@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
def test_stores_keep_bytes_by_key(make):
    store = make()
    store.set("a", "b")
    assert store.get("a") == b"b" and store.add("n", 2) == 2 and store.add("n", 3) == 5 and store.get("n") == b"5"
    assert store.check(["a", "n"]) and not store.check(["a", "z"]) and store.num_keys() == 2
    assert store.delete_key("a") and not store.delete_key("a") and store.num_keys() == 1
    assert store.compare_set("q", "", "v") == b"v" and store.compare_set("q", "v", "w") == b"w"
    assert store.compare_set("q", "other", "x") == b"w" and store.get("q") == b"w"
    store.append("q", "!")
    assert store.get("q") == b"w!"
    store.set_timeout(timedelta(milliseconds=5))
    for call in (lambda: store.get("z"), lambda: store.wait(["q", "z"])):
        with pytest.raises(dist.DistStoreError, match="Wait timeout"):
            call()


@pytest.mark.parametrize("make", STORES.values(), ids=STORES)
def test_a_store_waits_for_other_threads(make):
    store = make()

    def later():
        time.sleep(0.05)
        store.set("key", "value")

    thread = threading.Thread(target=later)
    thread.start()
    store.wait(["key"], timedelta(seconds=10))
    assert store.get("key") == b"value"
    thread.join()


def test_prefixes_keep_stores_apart():
    whole = dist.HashStore()
    one, other = dist.PrefixStore("one", whole), dist.PrefixStore("other", whole)
    one.set("key", "1")
    assert not other.check(["key"]) and whole.get("one/key") == b"1" and other.num_keys() == 0
