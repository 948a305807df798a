"""SciPy and ml_dtypes are needed by what uses them, and by nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

BLOCKED = """
import importlib.abc, json, sys, warnings
warnings.simplefilter("ignore")

class Refusing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("scipy", "ml_dtypes"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusing())
import wengert as wg
from wengert import nn
F = nn.functional
"""


def run(code: str, **environment: str) -> str:
    """What a program prints where neither package can be imported."""
    command = [sys.executable, "-c", BLOCKED + textwrap.dedent(code)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


COMMON = """
import copy, io, numpy as np
x = wg.randn(4, 3, requires_grad=True)
for dtype in (wg.float16, wg.float32, wg.float64, wg.complex64, wg.int64, wg.uint8, wg.bool):
    made = wg.ones(2, dtype=dtype)
    assert made.to(wg.float32).sum() == 2 and repr(made) and made.clone().dtype is dtype
    assert wg.promote_types(dtype, wg.float32).is_floating_point or dtype.is_complex
assert wg.finfo(wg.float32).eps and wg.iinfo(wg.int8).max == 127
model = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 2))
for kind in (wg.optim.SGD, wg.optim.Adam, wg.optim.AdamW, wg.optim.RMSprop, wg.optim.LBFGS):
    optimiser = kind(model.parameters(), lr=1e-3)
    def closure():
        optimiser.zero_grad()
        loss = F.cross_entropy(model(x), wg.tensor([0, 1, 0, 1]))
        loss.backward()
        return loss
    optimiser.step(closure)
file = io.BytesIO()
wg.save(model.state_dict(), file)
file.seek(0)
model.load_state_dict(wg.load(file))
copy.deepcopy(model)
nn.LSTM(3, 4)(x.reshape(4, 1, 3))[0].sum().backward()
nn.MultiheadAttention(4, 2)(*[wg.rand(3, 1, 4)] * 3)
F.conv2d(wg.rand(1, 2, 5, 5), wg.rand(3, 2, 3, 3)).sum()
F.interpolate(wg.rand(1, 1, 4, 4), scale_factor=2, mode="bilinear")
a = wg.rand(3, 3) + 3 * wg.eye(3)
for name in ("inv", "det", "eigh", "svd", "qr", "cholesky_ex", "pinv", "matrix_exp", "norm", "slogdet"):
    getattr(wg.linalg, name)(a)
wg.linalg.solve(a, a)
wg.linalg.lstsq(a, a)
wg.fft.rfft(wg.rand(8))
wg.erf(x), wg.special.expit(x), wg.logsumexp(x, 0), wg.special.erfc(x), wg.sinc(x)
wg.func.jacrev(wg.func.grad(lambda v: (v * v).sum()))(wg.rand(3))
wg.func.vmap(wg.dot)(wg.rand(2, 3), wg.rand(2, 3))
wg.distributions.Normal(0.0, 1.0).rsample((3,))
wg.distributions.Categorical(wg.ones(3)).log_prob(wg.tensor(1))
wg.sparse_coo_tensor(wg.tensor([[0, 1], [1, 0]]), wg.ones(2)).matmul(wg.eye(2))
wg.multinomial(wg.ones(4), 2), wg.unique(wg.tensor([2, 1])), wg.sort(x), wg.topk(x, 2)
wg.einsum("ij,kj->ik", x, x)
wg.autograd.gradcheck(lambda v: v.sin(), wg.rand(3, dtype=wg.float64, requires_grad=True))
with wg.autocast("cpu", dtype=wg.float16):
    model(x)
next(iter(wg.utils.data.DataLoader(wg.utils.data.TensorDataset(x.detach()), batch_size=2)))
with wg.profiler.profile():
    (x @ x.T).sum().backward()
assert not {"scipy", "ml_dtypes"} & set(sys.modules)
"""


def test_common_things_work():
    run(COMMON)


NEEDING = {
    "scipy": [
        "wg.lgamma(wg.ones(2))",
        "wg.special.erfcx(wg.ones(2))",
        "wg.digamma(wg.ones(2))",
        "wg.linalg.lu_factor(wg.eye(2))",
        "wg.linalg.ldl_factor(wg.eye(2))",
        "wg.distributions.Gamma(1.0, 1.0).log_prob(wg.ones(()))",
        "wg.kaiser_window(4)",
    ],
    "ml_dtypes": ["wg.ones(2, dtype=wg.bfloat16)", "wg.ones(2).bfloat16()", "wg.ones(2).to(wg.bfloat16)"],
}


def test_what_needs_one_says_which_and_how_to_get_it():
    told = json.loads(
        run(
            f"""
            told = {{}}
            for call in {[call for calls in NEEDING.values() for call in calls]!r}:
                try:
                    eval(call)
                except ImportError as error:
                    told[call] = str(error)
            print(json.dumps(told))
            """,
            WENGERT_KERNELS="numpy",  # native ones have some of these functions themselves
        )
    )
    install = {"scipy": "SciPy: pip install 'wengert[full]'", "ml_dtypes": "ml_dtypes: pip install ml_dtypes"}
    wanted = {call: install[package] for package, calls in NEEDING.items() for call in calls}
    assert not {call: told.get(call) for call, words in wanted.items() if words not in told.get(call, "")}
