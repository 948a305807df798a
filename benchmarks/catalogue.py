"""The operators that `--operators` measures, as texts, and the operands that they name.

A text is one expression. Texts that come back with the same operands stand in one family.
"""

from __future__ import annotations

import numpy as np

from benchmarks.cases import draw


def listed(text: str) -> tuple[str, ...]:
    """The expressions of a text, which are set apart by " ; "."""
    return tuple(stripped for stripped in (part.strip() for part in text.replace("\n", " ").split(" ; ")) if stripped)


DIFFERENTIABLE = {
    "pointwise": listed("""
        x.exp() ; q.log() ; x.tanh() ; x.sigmoid() ; x.relu() ; q.sqrt() ; q.rsqrt() ; x * 2.5 ; x + 1 ; 1 - x ;
        x**2 ; x**3 ; q**1.5 ; q**r ; x.clamp(-1, 1) ; x.clamp(min=0.0) ; x.clone() ; x + y ; x - y ; x * y ;
        x / q ; x.maximum(y) ; x.minimum(y) ; x.neg() ; -x ; x.abs() ; x.square() ; x.reciprocal() ; 2 / q ;
        x.sin() ; x.cos() ; u.tan() ; u.asin() ; u.acos() ; x.atan() ; x.sinh() ; x.cosh() ; x.asinh() ;
        (q + 1).acosh() ; u.atanh() ; x.atan2(y) ; x.exp2() ; x.expm1() ; q.log1p() ; q.log2() ; q.log10() ;
        x.erf() ; x.erfc() ; u.erfinv() ; q.lgamma() ; q.digamma() ; lib.polygamma(1, q) ; q.mvlgamma(1) ;
        p.logit() ; x.sinc() ; x.sign() ; x.floor() ; x.ceil() ; x.trunc() ; x.round() ; x.frac() ; x.fmod(0.7) ;
        x.remainder(0.7) ; x.remainder(q) ; x.hypot(y) ; x.copysign(y) ; x.logaddexp(y) ; x.logaddexp2(y) ;
        x.xlogy(q) ; x.lerp(y, 0.3) ; x.lerp(y, p) ; x.addcmul(y, z, value=0.5) ; x.addcdiv(y, q) ;
        x.add(y, alpha=0.5) ; x.sub(y, alpha=0.5) ; x.nan_to_num() ; x.deg2rad() ; x.rad2deg() ; x.float_power(2) ;
        x.ldexp(y) ; x.fmax(y) ; x.fmin(y) ; x.where(b, y) ; lib.where(b, x, 0.0) ; x.masked_fill(b, 0.5) ;
        x.to(lib.float64) ; x.double() ; x.half().float() ; x.bfloat16().float() ; x.i0() ; x.true_divide(3.0) ;
        F.threshold(x, 0.1, 0.0)
    """),
    "special": listed("""
        lib.special.entr(q) ; lib.special.ndtr(x) ; lib.special.ndtri(p) ; lib.special.log_ndtr(x) ;
        lib.special.xlog1py(x, q) ; lib.special.expit(x) ; lib.special.i0e(x) ; lib.special.i1(x) ;
        lib.special.i1e(x) ; lib.special.erfcx(x) ; lib.special.psi(q) ; lib.special.gammaln(q)
    """),
    "activations": listed("""
        F.gelu(x) ; F.gelu(x, approximate="tanh") ; F.silu(x) ; F.mish(x) ; F.elu(x) ; F.celu(x) ; F.selu(x) ;
        F.leaky_relu(x) ; F.relu6(x) ; F.hardtanh(x) ; F.hardsigmoid(x) ; F.hardswish(x) ; F.softplus(x) ;
        F.softsign(x) ; F.logsigmoid(x) ; F.tanhshrink(x) ; F.softshrink(x) ; F.hardshrink(x) ; F.prelu(x, one) ;
        F.glu(even) ; F.softmin(m, 1)
    """),
    "reductions": listed("""
        x.sum() ; x.mean() ; x.prod() ; x.var() ; x.std() ; x.norm() ; x.norm(1) ; x.amax() ; x.amin() ; x.max() ;
        x.min() ; x.median() ; x.logsumexp(0) ; x.nansum() ; x.nanmean() ; lib.aminmax(x)[0] ;
        lib.linalg.vector_norm(x, 3) ; m.sum(0) ; m.sum(1) ; m.mean(0) ; m.mean(1, keepdim=True) ; m.prod(1) ;
        m.var(1) ; m.std(0) ; m.norm(dim=1) ; m.amax(1) ; m.amin(0) ; m.max(1) ; m.min(0) ; m.logsumexp(1) ;
        m.softmax(1) ; m.softmax(0) ; m.log_softmax(1) ; lib.var_mean(m, 1)[0] ; lib.std_mean(m, 1)[0] ;
        m.quantile(0.3, 1) ; m.nanmedian(1) ; dm.mode(1) ; m.kthvalue(1, 1) ; m.cumsum(1) ; m.cumsum(0) ;
        m.cumprod(1) ; m.logcumsumexp(1) ; m.cummax(1) ; m.cummin(0) ; m.dist(o) ; m.diff() ; lib.trapezoid(m) ;
        lib.cumulative_trapezoid(m) ; lib.gradient(m)[0] ; dm.sort(1) ; dx.sort() ; dm.msort() ; m.topk(2, 1) ;
        m.cov() ; m.corrcoef()
    """),
    "shapes": listed("""
        m.t() ; m.t().contiguous() ; m.reshape(-1) ; m.flatten() ; m.unsqueeze(0) ; m.permute(1, 0) ; m[1:] ; m[0] ;
        m[:, 0] ; m[i] ; m[:, i] ; m[b2] ; m.flip(0) ; m.roll(1, 1) ; lib.rot90(m) ; m.tril() ; m.triu(1) ;
        m.diagonal() ; x[:side].diag() ; lib.diag_embed(x[:side]) ; m.repeat(2, 1) ; m.tile(2) ;
        m.repeat_interleave(2, 0) ; m.expand(1, -1, -1) ; m.unbind(0) ; m.chunk(2) ; m.split(2) ;
        lib.tensor_split(m, 2) ; lib.hsplit(even2, 2) ; lib.cat([m, o]) ; lib.cat([m, o], 1) ; lib.stack([m, o]) ;
        lib.stack([m, o], -1) ; lib.hstack([m, o]) ; lib.block_diag(m, o) ; lib.cartesian_prod(x[:side], y[:side]) ;
        lib.meshgrid(x[:side], y[:side], indexing="ij") ; m.gather(1, places) ; m.scatter(1, places, o) ;
        m.scatter_add(1, places, o) ; m.scatter_reduce(1, places, o, "amax") ; m.take(places) ;
        m.take_along_dim(places, 1) ; m.index_select(0, i) ; m.index_add(0, i, o) ; m.index_copy(0, i, o) ;
        m.index_fill(0, i, 0.5) ; m.index_put((i,), o) ; m.masked_select(b2) ; m.masked_scatter(b2, o) ;
        m.diagonal_scatter(x[:side]) ; m.select_scatter(o[0], 0, 1) ; m.slice_scatter(o[1:], 0, 1) ;
        m.unfold(0, 2, 1) ; F.pad(m, (1, 1, 1, 1)) ; F.pad(image, (1, 1, 1, 1), mode="reflect") ;
        F.pad(image, (1, 1, 1, 1), mode="replicate") ; F.pad(image, (1, 1, 1, 1), mode="circular") ;
        m.view(-1).unflatten(0, (side, side)) ; m.movedim(0, 1) ; m.as_strided((2, 2), (1, 2)) ; m.squeeze() ;
        m.narrow(0, 0, 2) ; m.swapaxes(0, 1) ; m.renorm(2, 0, 1.0) ; F.embedding(i, o) ;
        F.pixel_shuffle(shuffled, 2) ; F.pixel_unshuffle(even4, 2) ; F.unfold(image, 2) ; lib.column_stack([x, y])
    """),
    "products": listed("""
        m @ o ; m @ o.t() ; m @ x[:side] ; m.mm(o) ; m.mv(x[:side]) ; x.dot(y) ; lib.outer(x[:side], y[:side]) ;
        batch.bmm(batch) ; lib.baddbmm(batch, batch, batch) ; lib.addmm(m, m, o) ;
        lib.addmv(x[:side], m, y[:side]) ; lib.addr(m, x[:side], y[:side]) ; F.linear(m, o, x[:side]) ;
        lib.einsum("ij,jk->ik", m, o) ; lib.einsum("bij,bjk->bik", batch, batch) ; lib.tensordot(m, o, 1) ;
        lib.kron(x[:side], y[:side]) ; lib.linalg.multi_dot([m, o, m]) ; lib.linalg.vecdot(m, o) ;
        lib.cross(triples, triples.flip(0), dim=1) ; lib.cdist(m, o) ; F.pairwise_distance(m, o) ;
        F.cosine_similarity(m, o) ; F.normalize(m) ; m.trace() ; lib.pdist(m[:30]) ; m.matrix_power(2)
    """),
    "linear algebra": listed("""
        lib.linalg.inv(square) ; lib.linalg.solve(square, batch) ; lib.linalg.det(square) ;
        lib.linalg.slogdet(square)[1] ; lib.logdet(definite) ; lib.linalg.cholesky(definite) ;
        lib.linalg.svdvals(square) ; lib.linalg.eigvalsh(definite) ; lib.linalg.qr(square)[1].abs() ;
        lib.linalg.pinv(square) ; lib.linalg.matrix_norm(square) ; lib.linalg.norm(square) ;
        lib.linalg.solve_triangular(definite.tril(), square, upper=False) ;
        lib.cholesky_solve(square, definite.tril()) ; lib.linalg.lu_factor(square)[0] ;
        lib.linalg.matrix_exp(square * 0.1) ; lib.linalg.lstsq(square, batch)[0]
    """),
    "transforms": listed("""
        lib.fft.fft(x).abs() ; lib.fft.rfft(x).abs() ; lib.fft.irfft(lib.fft.rfft(even)) ; lib.fft.fft2(m).abs() ;
        lib.fft.ifft(x).abs() ; lib.fft.fftshift(x) ; c.abs() ; (c * d).real ; (c + d).imag ; c.angle() ;
        c.exp().real ; lib.view_as_real(c) ; lib.complex(x, y).abs() ; lib.polar(q, x).real
    """),
    "losses": listed("""
        F.mse_loss(m, o) ; F.l1_loss(m, o) ; F.smooth_l1_loss(m, o) ; F.huber_loss(m, o) ; F.cross_entropy(m, i) ;
        F.nll_loss(m, i) ; F.binary_cross_entropy(p, p2) ; F.binary_cross_entropy_with_logits(x, p2) ;
        F.kl_div(m, o.abs(), reduction="batchmean") ; F.poisson_nll_loss(x, q) ; F.gaussian_nll_loss(x, y, q) ;
        F.hinge_embedding_loss(x, signs) ; F.margin_ranking_loss(x, y, signs) ; F.soft_margin_loss(x, signs) ;
        F.triplet_margin_loss(m, o, m.flip(0)) ; F.cosine_embedding_loss(m, o, signs[:side]) ;
        F.multi_margin_loss(m, i) ; F.multilabel_soft_margin_loss(m, b2.float())
    """),
    "norms": listed("""
        F.layer_norm(m, (side,)) ; F.layer_norm(m, (side,), x[:side], y[:side]) ; F.rms_norm(m, (side,)) ;
        F.group_norm(image, 1) ; F.instance_norm(image) ; F.batch_norm(image, None, None, training=True) ;
        F.local_response_norm(image, 2)
    """),
    "images": listed("""
        F.conv2d(image, kernel) ; F.conv2d(image, kernel, padding=1) ; F.conv1d(signal, kernel1) ;
        F.conv_transpose2d(image, kernel) ; F.max_pool2d(image, 2) ; F.avg_pool2d(image, 2) ;
        F.max_pool1d(signal, 2) ; F.avg_pool1d(signal, 2) ; F.adaptive_avg_pool2d(image, 2) ;
        F.adaptive_max_pool2d(image, 2) ; F.lp_pool2d(image, 2.0, 2) ; F.interpolate(image, scale_factor=2.0) ;
        F.interpolate(image, scale_factor=2.0, mode="bilinear") ;
        F.interpolate(image, scale_factor=2.0, mode="bicubic") ; F.grid_sample(image, grid, align_corners=False) ;
        F.scaled_dot_product_attention(heads, heads, heads)
    """),
}
"""What has a derivative, by family."""

PLAIN = {
    "asking": listed("""
        x > y ; x == y ; x < 0.5 ; x.eq(0) ; x.isnan() ; x.isfinite() ; x.isinf() ; x.signbit() ; b.logical_not() ;
        b & b ; b | b ; b ^ b ; ~b ; x.logical_and(y) ; x.isclose(y) ; x.allclose(y) ; x.equal(x) ; b.any() ;
        b.all() ; b2.any(1) ; b2.all(0) ; m.argmax(1) ; m.argmin(0) ; x.argmax() ; dm.argsort(1) ; b.nonzero() ;
        x.count_nonzero() ; k.bincount() ; k.unique() ; lib.searchsorted(ordered, x) ; lib.bucketize(x, ordered) ;
        lib.isin(k, k[:2]) ; x.histc(10) ; F.one_hot(k) ; lib.unique_consecutive(k)
    """),
    "integers": listed("""
        k + l ; k - l ; k * l ; k // l ; k % l ; k & l ; k | l ; k ^ l ; ~k ; k << 2 ; k >> 1 ; lib.gcd(k, l) ;
        lib.lcm(k, l) ; k.sum() ; k.max() ; k.cumsum(0) ; k.sort() ; k.abs() ; k.float() ; k.clamp(2, 7) ;
        x.floor_divide(0.7) ; x.nextafter(y) ; k.prod() ; x.heaviside(y) ; lib.special.zeta(q + 1.5, p) ;
        c.conj() * d
    """),
    "in place": listed("""
        z.add_(y) ; z.sub_(y) ; z.mul_(ones) ; z.div_(ones) ; z.copy_(y) ; z.fill_(1.0) ; z.zero_() ;
        z.exp_().zero_() ; z.relu_() ; z.clamp_(-1, 1) ; z.sigmoid_() ; z.tanh_() ; z.neg_() ; z.add_(1.0).zero_() ;
        z.add_(y, alpha=0.5) ; z.addcmul_(x, y, value=0.5) ; z.addcdiv_(x, q) ; z.lerp_(y, 0.5) ;
        z.masked_fill_(b, 0.5) ; F.relu_(z) ; zm.index_add_(0, i, o) ; zm.scatter_(1, places, o) ;
        zm.index_copy_(0, i, o) ; zm.t_().t_() ; zm.tril_()
    """),
    "making": listed("""
        lib.zeros(n) ; lib.ones(n) ; lib.full((n,), 2.0) ; lib.arange(n) ; lib.linspace(0, 1, n) ; lib.eye(side) ;
        lib.empty(n).shape ; lib.zeros_like(x) ; lib.ones_like(x) ; lib.full_like(x, 2.0) ; lib.rand(n).shape ;
        lib.randn(n).shape ; lib.randint(0, 10, (n,)).shape ; lib.randperm(n).shape ; lib.bernoulli(p).shape ;
        lib.normal(x, q).shape ; F.dropout(x, 0.5).shape ; lib.hann_window(n) ; lib.tril_indices(side, side) ;
        lib.logspace(0, 1, n)
    """),
}
"""What has none, or is measured without."""

CONSTANT = ("signs",)
"""Operands that never require a gradient."""


def operands(length: int) -> dict[str, np.ndarray]:
    """What the texts stand on, with about `length` elements each."""
    side = max(int(length**0.5), 2)
    random = np.random.default_rng(0)
    flat = {name: draw(length, seed=at + 1) for at, name in enumerate("xyz")}
    uniform = {name: random.uniform(0.05, 0.95, length).astype(np.float32) for name in ("p", "p2", "r")}
    integers = {name: random.integers(1, 10, length) for name in "kl"}
    return {
        **flat,
        **uniform,
        **integers,
        "q": np.abs(draw(length, seed=4)) + np.float32(0.5),
        "u": draw(length, seed=5).clip(-0.95, 0.95) * np.float32(0.9),
        "one": np.full(1, 0.25, np.float32),
        "ones": np.ones(length, np.float32),
        "dx": different(length),
        "even": draw(length // 2 * 2, seed=6),
        "ordered": np.sort(draw(side, seed=7)),
        "b": draw(length, seed=8) > 0,
        "signs": np.sign(draw(length, seed=9)),
        "c": (draw(length, seed=10) + 1j * draw(length, seed=11)).astype(np.complex64),
        "d": (draw(length, seed=12) + 1j * draw(length, seed=13)).astype(np.complex64),
        **matrices(side),
        **batches(length),
        **images(length),
    }


def different(*shape: int) -> np.ndarray:
    """Numbers of which no two are equal, in any order: where equal ones stand after sorting is each library's own."""
    size = int(np.prod(shape))
    return (
        ((np.random.default_rng(3).permutation(size) - size // 2) / np.float32(size)).astype(np.float32).reshape(shape)
    )


def matrices(side: int) -> dict[str, np.ndarray]:
    """Matrices of a side, and what points into them."""
    return {
        **{name: draw(side, side, seed=20 + at) for at, name in enumerate(("m", "o", "zm"))},
        "b2": draw(side, side, seed=23) > 0,
        "i": np.random.default_rng(1).permutation(side),
        "places": np.argsort(draw(side, side, seed=24), 1),
        "even2": draw(side, side // 2 * 2, seed=25),
        "dm": different(side, side),
        "triples": draw(max(side * side // 3, 1), 3, seed=26),
    }


def batches(length: int) -> dict[str, np.ndarray]:
    """Batches of small matrices: what factorises takes its time by the cube of a side."""
    side = 3 if length < 1000 else 10
    count = max(length // side**2, 1)
    square = draw(count, side, side, seed=30) + np.float32(4) * np.eye(side, dtype=np.float32)
    return {
        "batch": draw(count, side, side, seed=31),
        "square": square,
        "definite": (square @ square.swapaxes(1, 2) / side).astype(np.float32),
    }


def images(length: int) -> dict[str, np.ndarray]:
    """Images, signals and kernels."""
    count, side = (1, 3) if length < 1000 else (16, int((length / 256) ** 0.5))
    signal = max(length // count**2, 3)
    grid = np.random.default_rng(2).uniform(-1, 1, (count, side, side, 2)).astype(np.float32)
    return {
        "image": draw(count, count, side, side, seed=40),
        "kernel": draw(count, count, 2, 2, seed=41, scale=0.1),
        "signal": draw(count, count, signal, seed=42),
        "kernel1": draw(count, count, 3, seed=43, scale=0.1),
        "grid": grid,
        "heads": draw(
            count, 1 if count == 1 else 4, *((3, 3) if count == 1 else (max(length // 2048, 4), 32)), seed=44
        ),
        "shuffled": draw(1, 4, 2, max(length // 8, 1), seed=45),
        "even4": draw(1, 1, 2, max(length // 4 * 2, 2), seed=46),
    }
