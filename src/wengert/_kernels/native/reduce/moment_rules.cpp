// Rules of variances, logsumexp, products and norms: the gradient of the input from that of the result, from arrays.
// Functions for the dispatcher only.
#include "binding/block.hpp"
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace wengert {
namespace {

using Call = PyObject* const*;

// The elements that became one of the result: `count` of them, `step` apart, and where their gradients go.
template <class T> struct Series {
    const T* from;
    T* to;
    npy_intp count, step, number;  // number: of the result's element

    Series part(npy_intp begin, npy_intp end) const {
        return {from + begin * step, to + begin * step, end - begin, step, number};
    }
};

// The gradients of the elements of each series: write(part of it, prepare(it, the gradient of its result)), parts short
// enough for the caches; null if `write` returns false. Series whose elements are not contiguous must be few.
template <class T, class Prepare, class Write>
PyObject* by_series(PyArrayObject* x, PyObject* grad_object, const Block& block, npy_intp cost, Prepare prepare,
                    Write write) {
    constexpr npy_intp some = 4096, few = 4;
    Operand grad;
    const npy_intp inner = block.inner, length = block.reduced, size = PyArray_SIZE(x), many = block.outer * inner;
    if (size == 0 || (inner != 1 && size >= thread_threshold)) return nullptr;
    if (!read_gradient(grad_object, PyArray_DESCR(x), grad) || PyArray_SIZE(grad.array) != many) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad.array), *input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp step = grad.repeated ? 0 : 1;
    std::atomic<bool> known{true};
    const auto series_at = [=](npy_intp at) {
        const npy_intp first = at / inner * length * inner + at % inner;
        return Series<T>{input + first, out + first, length, inner, at};
    };
    const auto write_all = [=, &known](const Series<T>& series, auto prepared) {
        for (npy_intp at = 0; at < series.count; at += some)
            if (!write(series.part(at, std::min(at + some, series.count)), prepared)) known.store(false);
    };
    {
        ReleaseGil unlocked(size >= thread_threshold);
        if (many < few) {
            for (npy_intp at = 0; at < many; ++at) {
                const Series<T> series = series_at(at);
                const auto prepared = prepare(series, grads[at * step]);
                parallel_for(length, cost,
                             [=](npy_intp begin, npy_intp end) { write_all(series.part(begin, end), prepared); });
            }
        } else {
            parallel_for(many, length * cost, [=](npy_intp begin, npy_intp end) {
                for (npy_intp at = begin; at < end; ++at)
                    write_all(series_at(at), prepare(series_at(at), grads[at * step]));
            });
        }
    }
    return known.load() ? result.give() : nullptr;
}
// One operation on each of `numbers`, where a part is read or where it was written, and a number; the results go where
// it is written.
template <class T>
void apply(Binary operation, const Series<T>& part, const T* numbers, T number, bool number_first = false) {
    const auto loop = loops<T>().binary[operation];
    const npy_intp runs = part.step == 1 ? 1 : part.count, count = part.step == 1 ? part.count : 1;
    for (npy_intp at = 0; at < runs; ++at) {
        T* to = part.to + at * part.step;
        const T* from = numbers + at * part.step;
        number_first ? loop(&number, 0, from, 1, to, count) : loop(from, 1, &number, 0, to, count);
    }
}

// The array, and what was reduced of it, if a rule knows its dtype: compute(a zero of it, array, block).
template <class Compute> PyObject* reduced(PyObject* object, PyObject* dim, PyObject* keepdim, Compute compute) {
    PyArrayObject* x = plain(object);
    Block block;
    if (!x || !find_dims(x, dim, keepdim, block)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return compute(float(), x, block);
    return PyArray_DESCR(x) == double_descr ? compute(double(), x, block) : nullptr;
}
// The result, one element for each series.
template <class T> const T* results(PyObject* object, const Block& block) {
    PyArrayObject* array = plain(object, descr_of<T>());
    return array && PyArray_SIZE(array) == block.outer * block.inner ? data_of<T>(array) : nullptr;
}

// ---- variances -----------------------------------------------------------------------------------------------------
// (x - centre) * factor
template <class T> struct Distances { T centre, factor; };
// The number that is subtracted from the number of elements, from either of two arguments.
bool read_correction(PyObject* unbiased, PyObject* option, double& correction) {
    bool flag = true;
    correction = 1;
    if (unbiased == Py_None) return option == Py_None || as_number(option, correction);
    if (option != Py_None || !as_flag(unbiased, flag)) return false;
    correction = flag ? 1 : 0;
    return true;
}
// `out` is null for a variance, otherwise the standard deviation; where that is 0 the gradient is 0.
PyObject* spread_rule(PyObject* grad, PyObject* self, PyObject* out, Call spread) {
    double correction;
    if (!read_correction(spread[1], spread[3], correction)) return nullptr;
    return reduced(self, spread[0], spread[2], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        const double freedom = static_cast<double>(block.reduced) - correction;
        const T* deviations = out ? results<T>(out, block) : nullptr;
        if (!(freedom > 0) || (out && !deviations)) return nullptr;
        const T factor = static_cast<T>(2 / freedom);
        const auto prepare = [=](const Series<T>& series, T element_grad) {
            if (deviations) {
                const T deviation = deviations[series.number];
                element_grad = deviation == 0 ? T(0) : element_grad / (deviation * 2);
            }
            return Distances<T>{
                static_cast<T>(sum_of(series.from, series.count, series.step) / static_cast<double>(series.count)),
                element_grad * factor};
        };
        return by_series<T>(x, grad, block, 4, prepare, [](const Series<T>& part, const Distances<T>& distances) {
            apply(SUBTRACT, part, part.from, distances.centre);
            apply(MULTIPLY, part, static_cast<const T*>(part.to), distances.factor);
            return true;
        });
    });
}
// (grad, self, dim, unbiased, keepdim, correction)
PyObject* var_rule(Call args) { return spread_rule(args[0], args[1], nullptr, args + 2); }
// (grad, self, out, dim, unbiased, keepdim, correction)
PyObject* std_rule(Call args) { return spread_rule(args[0], args[1], args[2], args + 3); }

// ---- logsumexp, products, norms ------------------------------------------------------------------------------------
// An element of the result, and its gradient.
template <class T> struct ResultAndGrad { T result, grad; };
// write(part, the number and its gradient) for each series, of operators that give one number for it.
template <class T, class Write>
PyObject* by_results(PyArrayObject* x, PyObject* out, PyObject* grad, const Block& block, npy_intp cost, Write write) {
    const T* result_data = results<T>(out, block);
    if (!result_data) return nullptr;
    return by_series<T>(
        x, grad, block, cost,
        [=](const Series<T>& series, T element_grad) {
            return ResultAndGrad<T>{result_data[series.number], element_grad};
        },
        write);
}
// For adjacent columns, in an array without gaps of any order.
template <class T> PyObject* logsumexp_columns(PyArrayObject* x, Call args, const Block& block) {
    Operand grad;
    const T* result_data = results<T>(args[2], block);
    if (!result_data || !read_gradient(args[0], descr_of<T>(), grad) ||
        PyArray_SIZE(grad.array) != block.outer * block.inner)
        return nullptr;
    Owned result(new_dense(x));
    if (!result) return nullptr;
    const T *input = data_of<T>(x), *grads = data_of<T>(grad.array);
    T* out = data_of<T>(result.get());
    const npy_intp rows = block.reduced, inner = block.inner, step = grad.repeated ? 0 : 1;
    const auto subtract = loops<T>().binary[SUBTRACT], multiply = loops<T>().binary[MULTIPLY];
    const auto exponential = loops<T>().unary[EXP];
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer * rows, inner * 6, [=](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row) {
            const npy_intp at = row / rows * inner;
            T* to = out + row * inner;
            subtract(input + row * inner, 1, result_data + at, 1, to, inner);
            exponential(to, to, inner);
            multiply(to, 1, grads + at * step, step, to, inner);
        }
    });
    return result.give();
}
PyObject* logsumexp_columns_rule(Call args) {
    constexpr npy_intp least = 8;  // columns, for which rows are worth their calls
    Block block;
    PyArrayObject* x = args[3] == Py_None ? nullptr : reduced_along(args[1], args[3], args[4], block);
    if (!x || PyArray_SIZE(x) == 0 || block.inner < least) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return logsumexp_columns<float>(x, args, block);
    return PyArray_DESCR(x) == double_descr ? logsumexp_columns<double>(x, args, block) : nullptr;
}
// (grad, self, out, dim, keepdim)
PyObject* logsumexp_rule(Call args) {
    PyObject* result = logsumexp_columns_rule(args);
    if (result || PyErr_Occurred()) return result;
    return reduced(args[1], args[3], args[4], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        const UnaryLoop<T> exponential = loops<T>().unary[EXP];
        return by_results<T>(x, args[2], args[0], block, 6, [=](const Series<T>& part, const ResultAndGrad<T>& saved) {
            apply(SUBTRACT, part, part.from, saved.result);
            if (part.step == 1)
                exponential(part.to, part.to, part.count);
            else
                for (npy_intp i = 0; i < part.count; ++i) part.to[i * part.step] = std::exp(part.to[i * part.step]);
            apply(MULTIPLY, part, static_cast<const T*>(part.to), saved.grad);
            return true;
        });
    });
}
// (grad, self, out, dim, keepdim): of products that are normal numbers
PyObject* prod_rule(Call args) {
    if (args[3] != Py_None && !PyLong_CheckExact(args[3])) return nullptr;
    return reduced(args[1], args[3], args[4], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        if (PyArray_NDIM(x) == 0) return nullptr;
        return by_results<T>(x, args[2], args[0], block, 2, [](const Series<T>& part, const ResultAndGrad<T>& saved) {
            if (!std::isnormal(saved.result)) return false;
            apply(DIVIDE, part, part.from, saved.result, true);
            apply(MULTIPLY, part, static_cast<const T*>(part.to), saved.grad);
            return true;
        });
    });
}
// (grad, self, out, ord, dim, keepdim): of order 2 where no norm overflowed; the gradient is 0 where the norm is
PyObject* vector_norm_rule(Call args) {
    double order = 0;
    if (!as_number(args[3], order) || order != 2) return nullptr;
    return reduced(args[1], args[4], args[5], [=](auto zero, PyArrayObject* x, const Block& block) -> PyObject* {
        using T = decltype(zero);
        return by_results<T>(x, args[2], args[0], block, 2, [](const Series<T>& part, const ResultAndGrad<T>& saved) {
            if (!std::isfinite(saved.result)) return false;
            apply(DIVIDE, part, part.from, saved.result == 0 ? std::numeric_limits<T>::infinity() : saved.result);
            apply(MULTIPLY, part, static_cast<const T*>(part.to), saved.grad);
            return true;
        });
    });
}

Methods moment_methods({
    WENGERT_ENTRY(var_rule, "(grad, self, dim, unbiased, keepdim, correction)",
                  on_contiguous<direct<6, var_rule>, few_with_gaps>),
    WENGERT_ENTRY(std_rule, "(grad, self, out, dim, unbiased, keepdim, correction)",
                  on_contiguous<direct<7, std_rule>, few_with_gaps>),
    WENGERT_ENTRY(logsumexp_rule, "(grad, self, out, dim, keepdim)",
                  on_contiguous<direct<5, logsumexp_rule>, few_with_gaps>),
    WENGERT_ENTRY(vector_norm_rule, "(grad, self, out, ord, dim, keepdim)",
                  on_contiguous<direct<6, vector_norm_rule>, few_with_gaps>),
    WENGERT_ENTRY(prod_rule, "(grad, self, out, dim, keepdim)", on_contiguous<direct<5, prod_rule>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
