// Rules of variances, logsumexp and products: the gradient of the input from that of the result, from arrays. Functions for
// the dispatcher only.
#include "block.hpp"
#include "broadcast.hpp"
#include "laid.hpp"

#include <atomic>
#include <cmath>

namespace wengert {
namespace {

using Call = PyObject* const*;

// The elements that became one of the result: `count` of them, `step` apart, and where their gradients go.
template <class T>
struct Series {
    const T* from;
    T* to;
    npy_intp count, step, number;  // number: of the result's element
};

// rule(series, its gradient) for each element of the result; false if one of them is not for this rule. Those of series
// that do not lie together are few.
template <class T, class Rule>
PyObject* by_series(PyArrayObject* x, PyObject* grad_object, const Block& block, npy_intp cost, Rule rule) {
    Operand grad;
    const npy_intp inner = block.inner, length = block.reduced, size = PyArray_SIZE(x);
    if (size == 0 || (inner != 1 && size >= thread_threshold)) return nullptr;
    if (!read_gradient(grad_object, PyArray_DESCR(x), grad) || PyArray_SIZE(grad.array) != block.outer * inner) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *given = data_of<T>(grad.array), *input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp step = grad.repeated ? 0 : 1;
    std::atomic<bool> known{true};
    {
        ReleaseGil unlocked(size >= thread_threshold);
        parallel_for(block.outer * inner, length * cost, [=, &known](npy_intp begin, npy_intp end) {
            for (npy_intp at = begin; at < end; ++at) {
                const npy_intp first = at / inner * length * inner + at % inner;
                if (!rule(Series<T>{input + first, out + first, length, inner, at}, given[at * step])) known.store(false);
            }
        });
    }
    return known.load() ? result.give() : nullptr;
}

// The array, and what was reduced of it, if a rule knows its dtype: compute(a zero of it, array, block).
template <class Compute>
PyObject* reduced(PyObject* object, PyObject* dim, PyObject* keepdim, Compute compute) {
    PyArrayObject* x = plain(object);
    Block block;
    if (!x || !find_dims(x, dim, keepdim, block)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return compute(float(), x, block);
    return PyArray_DESCR(x) == double_descr ? compute(double(), x, block) : nullptr;
}
// The result, one element for each series.
template <class T>
const T* results(PyObject* object, const Block& block) {
    PyArrayObject* array = plain(object, descr_of<T>());
    return array && PyArray_SIZE(array) == block.outer * block.inner ? data_of<T>(array) : nullptr;
}

// ---- variances -----------------------------------------------------------------------------------------------------
// (x - mean) * factor
template <class T>
void write_distances(const Series<T>& series, T factor) {
    double sum = 0;
    for (npy_intp i = 0; i < series.count; ++i) sum += static_cast<double>(series.from[i * series.step]);
    const T centre = static_cast<T>(sum / static_cast<double>(series.count));
    for (npy_intp i = 0; i < series.count; ++i) series.to[i * series.step] = factor * (series.from[i * series.step] - centre);
}
// What is subtracted from the number of elements, from the two ways to say it.
bool read_correction(PyObject* unbiased, PyObject* given, double& correction) {
    bool flag = true;
    correction = 1;
    if (unbiased == Py_None) return given == Py_None || as_number(given, correction);
    if (given != Py_None || !as_flag(unbiased, flag)) return false;
    correction = flag ? 1 : 0;
    return true;
}
// `out` is null for a variance, otherwise the deviation, where whose own slope, 1 / (2 * out), is 0 the gradient is 0.
PyObject* spread_rule(PyObject* grad, PyObject* self, PyObject* out, Call spread) {
    double correction;
    if (!read_correction(spread[1], spread[3], correction)) return nullptr;
    return reduced(self, spread[0], spread[2], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        const double freedom = static_cast<double>(block.reduced) - correction;
        const T* deviations = out ? results<T>(out, block) : nullptr;
        if (!(freedom > 0) || (out && !deviations)) return nullptr;
        const T factor = static_cast<T>(2 / freedom);
        return by_series<T>(x, grad, block, 4, [=](const Series<T>& series, T given) {
            if (deviations) {
                const T deviation = deviations[series.number];
                given = deviation == 0 ? T(0) : given / (deviation * 2);
            }
            write_distances(series, given * factor);
            return true;
        });
    });
}
// (grad, self, dim, unbiased, keepdim, correction)
PyObject* var_rule(Call args) { return spread_rule(args[0], args[1], nullptr, args + 2); }
// (grad, self, out, dim, unbiased, keepdim, correction)
PyObject* std_rule(Call args) { return spread_rule(args[0], args[1], args[2], args + 3); }

// ---- logsumexp, products -------------------------------------------------------------------------------------------
// (grad, self, out, dim, keepdim)
PyObject* logsumexp_rule(Call args) {
    return reduced(args[1], args[3], args[4], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        const T* found = results<T>(args[2], block);
        const UnaryLoop<T> exponential = loops<T>().unary[EXP];
        if (!found) return nullptr;
        return by_series<T>(x, args[0], block, 6, [=](const Series<T>& series, T grad) {
            const T whole = found[series.number];
            const npy_intp count = series.count, step = series.step;
            for (npy_intp i = 0; i < count; ++i) series.to[i * step] = series.from[i * step] - whole;
            if (step == 1)
                exponential(series.to, series.to, count);
            else
                for (npy_intp i = 0; i < count; ++i) series.to[i * step] = std::exp(series.to[i * step]);
            for (npy_intp i = 0; i < count; ++i) series.to[i * step] *= grad;
            return true;
        });
    });
}
// (grad, self, out, dim, keepdim): of what is nowhere 0
PyObject* prod_rule(Call args) {
    if (args[3] != Py_None && !PyLong_CheckExact(args[3])) return nullptr;
    return reduced(args[1], args[3], args[4], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        const T* found = results<T>(args[2], block);
        if (!found || PyArray_NDIM(x) == 0) return nullptr;
        return by_series<T>(x, args[0], block, 1, [=](const Series<T>& series, T grad) {
            bool known = true;
            for (npy_intp i = 0; i < series.count; ++i) {
                const T value = series.from[i * series.step];
                known &= value != 0;
                series.to[i * series.step] = grad * (found[series.number] / value);
            }
            return known;
        });
    });
}

PyMethodDef moment_methods[] = {
    direct_method("direct_var_rule", laid<direct<6, var_rule>, few_with_gaps>, "(grad, self, dim, unbiased, keepdim, correction), or NotImplemented"),
    direct_method("direct_std_rule", laid<direct<7, std_rule>, few_with_gaps>, "(grad, self, out, dim, unbiased, keepdim, correction), or NotImplemented"),
    direct_method("direct_logsumexp_rule", laid<direct<5, logsumexp_rule>, few_with_gaps>, "(grad, self, out, dim, keepdim), or NotImplemented"),
    direct_method("direct_prod_rule", laid<direct<5, prod_rule>, few_with_gaps>, "(grad, self, out, dim, keepdim), or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList moment_list(moment_methods);

}  // namespace
}  // namespace wengert
