// Variances and standard deviations, alone and together with the mean: for the dispatcher only.
#include "binding/block.hpp"
#include "binding/memory_order.hpp"

#include <cmath>

namespace wengert {
namespace {

using Call = PyObject* const*;

enum Spread { VARIANCE, DEVIATION };

// The mean of `count` elements that lie `step` apart, and the sum of the squares of their distances from it.
template <class T> double square_distances(const T* x, npy_intp count, npy_intp step, double& centre) {
    centre = sum_of(x, count, step) / static_cast<double>(count);
    if (step == 1)
        return in_pieces(
            count, [=](npy_intp at, npy_intp some) { return loops<T>().row_square_distance(x + at, some, centre); });
    double squares = 0;
    for (npy_intp i = 0; i < count; ++i) {
        const double distance = static_cast<double>(x[i * step]) - centre;
        squares += distance * distance;
    }
    return squares;
}

// Over the last axes, or of few elements over any that are neighbours; with the mean a tuple.
template <class T>
PyObject* typed_spread(PyArrayObject* x, const Block& block, double correction, Spread spread, bool with_mean) {
    const npy_intp count = block.reduced, inner = block.inner;
    const double freedom = static_cast<double>(count) - correction;
    if (!(freedom > 0) || count == 0 || (inner != 1 && PyArray_SIZE(x) >= thread_threshold)) return nullptr;
    Owned results[2] = {Owned(new_array(PyArray_DESCR(x), block.ndim, block.shape)),
                        Owned(with_mean ? new_array(PyArray_DESCR(x), block.ndim, block.shape) : nullptr)};
    if (!results[0] || (with_mean && !results[1])) return nullptr;
    const T* input = data_of<T>(x);
    T *out = data_of<T>(results[0].get()), *means = with_mean ? data_of<T>(results[1].get()) : nullptr;
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(block.outer * inner, count * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp at = begin; at < end; ++at) {
                double centre;
                const double squares =
                    square_distances(input + at / inner * count * inner + at % inner, count, inner, centre);
                const double variance = squares / freedom;  // may be out of range where its root is not
                out[at] = static_cast<T>(spread == DEVIATION ? std::sqrt(variance) : variance);
                if (means) means[at] = static_cast<T>(centre);
            }
        });
    }
    return with_mean ? give_tuple(results, 2) : results[0].give();
}

// (self, dim, unbiased, keepdim, correction)
template <Spread spread, bool with_mean> PyObject* of_card(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* x = nargs == 5 ? plain(args[0]) : nullptr;
        bool unbiased = true;
        double correction = 1;
        Block block;
        if (!x || (args[2] != Py_None && (!as_flag(args[2], unbiased) || args[4] != Py_None))) return nullptr;
        if (args[2] != Py_None) correction = unbiased ? 1 : 0;
        if ((args[4] != Py_None && !as_number(args[4], correction)) || !find_dims(x, args[1], args[3], block))
            return nullptr;
        if (PyArray_DESCR(x) == float_descr) return typed_spread<float>(x, block, correction, spread, with_mean);
        return PyArray_DESCR(x) == double_descr ? typed_spread<double>(x, block, correction, spread, with_mean)
                                                : nullptr;
    });
}

Methods spread_methods({
    WENGERT_ENTRY(var, "(self, dim, unbiased, keepdim, correction)", on_contiguous<of_card<VARIANCE, false>>),
    WENGERT_ENTRY(std, "(self, dim, unbiased, keepdim, correction)", on_contiguous<of_card<DEVIATION, false>>),
    WENGERT_ENTRY(var_mean, "(self, dim, unbiased, keepdim, correction)", on_contiguous<of_card<VARIANCE, true>>),
    WENGERT_ENTRY(std_mean, "(self, dim, unbiased, keepdim, correction)", on_contiguous<of_card<DEVIATION, true>>),
});

}  // namespace
}  // namespace wengert
