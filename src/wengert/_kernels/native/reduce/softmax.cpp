// softmax and log_softmax along the last axis or another one, and their backward forms.
#include "binding/halved.hpp"
#include "binding/work.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wengert {
namespace {

Twin softmax_twin("softmax"), log_softmax_twin("log_softmax");
Twin causal_softmax_twin("causal_softmax");
Twin softmax_backward_twin("softmax_backward"), log_softmax_backward_twin("log_softmax_backward");

// Whether `axis` is the last one of `x`, which then has rows of `width` elements.
bool last_axis(PyArrayObject* x, PyObject* axis_object, npy_intp& width) {
    npy_intp axis = 0;
    const int ndim = PyArray_NDIM(x);
    if (ndim == 0 || !axis_object || !as_index(axis_object, axis)) return false;
    width = PyArray_DIM(x, ndim - 1);
    return (axis == ndim - 1 || axis == -1) && width > 0;
}

constexpr npy_intp exponential_cost = 4;  // in additions

template <class T> PyObject* forward(PyArrayObject* x, npy_intp width, bool logarithm) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* output = data_of<T>(result.get());
    const npy_intp rows = PyArray_SIZE(x) / width;
    const auto work = [=] {
        parallel_for(rows, width * exponential_cost, [=](npy_intp begin, npy_intp end) {
            if (logarithm)
                return loops<T>().log_softmax_rows(input + begin * width, output + begin * width, end - begin, width);
            for (npy_intp i = begin; i < end; ++i) loops<T>().softmax_row(input + i * width, output + i * width, width);
        });
    };
    perform(rows * width, work, {input, output});
    return result.give();
}

template <class T> PyObject* backward(PyArrayObject* grad, PyArrayObject* value, npy_intp width, bool logarithm) {
    Owned result(new_array(PyArray_DESCR(grad), PyArray_NDIM(grad), PyArray_DIMS(grad)));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad), *input = data_of<T>(value);
    T* output = data_of<T>(result.get());
    const npy_intp rows = PyArray_SIZE(grad) / width;
    const auto work = [=] {
        parallel_for(rows, width * 2, [=](npy_intp begin, npy_intp end) {
            const npy_intp first = begin * width;
            if (logarithm)
                return loops<T>().log_softmax_backward_rows(grads + first, input + first, output + first, end - begin,
                                                            width);
            for (npy_intp at = first; at < end * width; at += width)
                loops<T>().softmax_backward_row(grads + at, input + at, output + at, width);
        });
    };
    perform(rows * width, work, {grads, input, output});
    return result.give();
}

// Matrices of which row i has i + 1 elements; the rest is not read, and zero in the result.
template <class T> PyObject* causal(PyArrayObject* x) {
    const npy_intp width = PyArray_DIM(x, PyArray_NDIM(x) - 1), height = PyArray_DIM(x, PyArray_NDIM(x) - 2);
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* output = data_of<T>(result.get());
    const npy_intp rows = PyArray_SIZE(x) / width;
    {
        ReleaseGil unlocked(rows * width >= thread_threshold);
        parallel_for(rows, width * exponential_cost / 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                const npy_intp visible = i % height + 1 < width ? i % height + 1 : width;
                loops<T>().softmax_row(input + i * width, output + i * width, visible);
                std::fill(output + i * width + visible, output + (i + 1) * width, T(0));
            }
        });
    }
    return result.give();
}
PyObject* compute_causal(PyObject* const* slots) {
    PyArrayObject* x = plain(slots[0]);
    if (!x || PyArray_NDIM(x) < 2 || PyArray_SIZE(x) == 0) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return causal<float>(x);
    return PyArray_DESCR(x) == double_descr ? causal<double>(x) : nullptr;
}

PyObject* compute_forward(PyObject* const* slots, bool logarithm) {
    PyArrayObject* x = plain(slots[0]);
    npy_intp width;
    if (!x || !last_axis(x, slots[1], width)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return forward<float>(x, width, logarithm);
    return PyArray_DESCR(x) == double_descr ? forward<double>(x, width, logarithm) : nullptr;
}
PyObject* compute_backward(PyObject* const* slots, bool logarithm) {
    PyArrayObject* grad = plain(slots[0]);
    npy_intp width;
    if (!grad || !last_axis(grad, slots[2], width)) return nullptr;
    PyArrayObject* value = plain(slots[1], PyArray_DESCR(grad));
    if (!value || !same_shape(grad, value)) return nullptr;
    if (PyArray_DESCR(grad) == float_descr) return backward<float>(grad, value, width, logarithm);
    return PyArray_DESCR(grad) == double_descr ? backward<double>(grad, value, width, logarithm) : nullptr;
}

const char* const forward_names[] = {"x", "axis"};
const char* const backward_names[] = {"grad", "result", "axis"};

PyObject* softmax(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<2>(softmax_twin, forward_names, 2, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_forward(slots, false); });
}
PyObject* log_softmax(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<2>(log_softmax_twin, forward_names, 2, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_forward(slots, true); });
}
PyObject* causal_softmax(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<1>(causal_softmax_twin, forward_names, 1, args, nargs, kwnames, compute_causal);
}
PyObject* softmax_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(softmax_backward_twin, backward_names, 3, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_backward(slots, false); });
}
PyObject* log_softmax_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(log_softmax_backward_twin, backward_names, 3, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_backward(slots, true); });
}

// ---- along other axes ----------------------------------------------------------------------------------------------
// Several columns at a time, as many as a cache holds; in each step row by row or all rows of a column.
struct Strip {
    npy_intp inner, length, width;  // from row to row, rows, columns
};
template <class T, class Body> void by_strips(const Line& line, npy_intp cost, const Body& body) {
    constexpr npy_intp held = 65536;
    const npy_intp most = std::clamp<npy_intp>(held / line.length / 16 * 16, 16, 512);
    const npy_intp strips = (line.inner + most - 1) / most;
    parallel_for(
        line.outer * strips, line.length * (line.inner < most ? line.inner : most) * cost,
        [&](npy_intp begin, npy_intp end) {
            std::vector<T> row(static_cast<size_t>(most));
            for (npy_intp s = begin; s < end; ++s) {
                const npy_intp first = s % strips * most, width = line.inner - first < most ? line.inner - first : most;
                body(s / strips * line.length * line.inner + first, Strip{line.inner, line.length, width}, row.data());
            }
        });
}

// Where one element of a column has nearly all the weight, the sum of the other weights is more accurate than 1 less
// its weight.
constexpr double nearly_all = 1 - 1.0 / 64;
// Whether weights add up to 1, but for the rounding of halves: of others the difference from 1 says nothing.
bool is_whole(double total) { return total > nearly_all && total < 2 - nearly_all; }
template <class T, class Mend>
void by_heavy_columns(const T* values, const Strip& strip, const T* largest, double bound, const Mend& mend) {
    for (npy_intp j = 0; j < strip.width; ++j) {
        if (!(static_cast<double>(largest[j]) > bound)) continue;
        npy_intp position = 0;
        while (position < strip.length - 1 && values[position * strip.inner + j] != largest[j]) ++position;
        mend(j, position);
    }
}

template <class T> void forward_strip(const T* x, T* out, const Strip& strip, T* row, bool logarithm) {
    const Loops<T>& table = loops<T>();
    const auto for_each_row = [&strip](const auto& step) {
        for (npy_intp i = 0; i < strip.length; ++i) step(i * strip.inner);
    };
    table.column_extreme[MAXIMAL](x, strip.inner, strip.length, strip.width, row, nullptr);
    std::vector<T> largest(row, row + strip.width);
    for_each_row([&](npy_intp at) {
        table.binary[SUBTRACT](x + at, 1, largest.data(), 1, out + at, strip.width);
        table.unary[EXP](out + at, out + at, strip.width);
    });
    table.column_sum[OF_VALUES](out, strip.inner, strip.length, strip.width, row);
    if (!logarithm) {
        for_each_row([&](npy_intp at) { table.binary[DIVIDE](out + at, 1, row, 1, out + at, strip.width); });
        return;
    }
    std::vector<double> others(static_cast<size_t>(strip.width), -1);
    for (npy_intp j = 0; j < strip.width; ++j) {
        if (!(row[j] >= 1 && static_cast<double>(row[j]) < 1 / nearly_all)) continue;
        double weight = 0;
        bool found_largest = false;
        for (npy_intp i = 0; i < strip.length; ++i) {
            const bool first = !found_largest && x[i * strip.inner + j] == largest[static_cast<size_t>(j)];
            found_largest = found_largest || first;
            if (!first) weight += static_cast<double>(out[i * strip.inner + j]);
        }
        others[static_cast<size_t>(j)] = weight;
    }
    table.unary[LOG](row, row, strip.width);
    for (npy_intp j = 0; j < strip.width; ++j)
        if (others[static_cast<size_t>(j)] >= 0) row[j] = static_cast<T>(std::log1p(others[static_cast<size_t>(j)]));
    for_each_row([&](npy_intp at) {
        table.binary[SUBTRACT](x + at, 1, largest.data(), 1, out + at, strip.width);
        table.binary[SUBTRACT](out + at, 1, row, 1, out + at, strip.width);
    });
}
// The gradient of the element of column j that weighs nearly all.
template <class T>
void mend_weight(const T* grad, const T* value, T* out, const Strip& strip, npy_intp j, npy_intp position) {
    const npy_intp greatest = position * strip.inner + j;
    double weight = 0, total = 0;
    for (npy_intp i = 0, at = j; i < strip.length; ++i, at += strip.inner) {
        if (i == position) continue;
        weight += static_cast<double>(value[at]);
        total += static_cast<double>(value[at]) * (static_cast<double>(grad[greatest]) - static_cast<double>(grad[at]));
    }
    if (is_whole(static_cast<double>(value[greatest]) + weight))
        out[greatest] = static_cast<T>(static_cast<double>(value[greatest]) * total);
}
// The same where values are logarithms.
template <class T>
void mend_logarithm(const T* grad, const T* value, T* out, const Strip& strip, npy_intp j, npy_intp position) {
    const npy_intp greatest = position * strip.inner + j;
    double weight = 0, others = 0;
    for (npy_intp i = 0, at = j; i < strip.length; ++i, at += strip.inner) {
        if (i == position) continue;
        weight += std::exp(static_cast<double>(value[at]));
        others += static_cast<double>(grad[at]);
    }
    const double greatest_weight = std::exp(static_cast<double>(value[greatest]));
    if (is_whole(greatest_weight + weight))
        out[greatest] = static_cast<T>(static_cast<double>(grad[greatest]) * weight - greatest_weight * others);
}
template <class T>
void backward_strip(const T* grad, const T* value, T* out, const Strip& strip, T* row, bool logarithm) {
    const Loops<T>& table = loops<T>();
    const auto for_each_row = [&strip](const auto& step) {
        for (npy_intp i = 0; i < strip.length; ++i) step(i * strip.inner);
    };
    if (logarithm) {
        table.column_sum[OF_VALUES](grad, strip.inner, strip.length, strip.width, row);
        for_each_row([&](npy_intp at) {
            table.unary[EXP](value + at, out + at, strip.width);
            table.binary[MULTIPLY](out + at, 1, row, 1, out + at, strip.width);
            table.binary[SUBTRACT](grad + at, 1, out + at, 1, out + at, strip.width);
        });
        table.column_extreme[MAXIMAL](value, strip.inner, strip.length, strip.width, row, nullptr);
        by_heavy_columns(value, strip, row, nearly_all - 1,
                         [&](npy_intp j, npy_intp position) { mend_logarithm(grad, value, out, strip, j, position); });
        return;
    }
    for_each_row([&](npy_intp at) { table.binary[MULTIPLY](grad + at, 1, value + at, 1, out + at, strip.width); });
    table.column_sum[OF_VALUES](out, strip.inner, strip.length, strip.width, row);
    for_each_row([&](npy_intp at) {
        table.binary[SUBTRACT](grad + at, 1, row, 1, out + at, strip.width);
        table.binary[MULTIPLY](out + at, 1, value + at, 1, out + at, strip.width);
    });
    table.column_extreme[MAXIMAL](value, strip.inner, strip.length, strip.width, row, nullptr);
    by_heavy_columns(value, strip, row, nearly_all,
                     [&](npy_intp j, npy_intp position) { mend_weight(grad, value, out, strip, j, position); });
}

template <class T> PyObject* forward_along(PyArrayObject* x, int axis, bool logarithm) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    const auto work = [=] {
        by_strips<T>(line, exponential_cost, [=](npy_intp at, const Strip& strip, T* row) {
            forward_strip(input + at, out + at, strip, row, logarithm);
        });
    };
    perform(PyArray_SIZE(x), work, {input, out});
    return result.give();
}
template <class T> PyObject* backward_along(PyArrayObject* grad, PyArrayObject* value, int axis, bool logarithm) {
    Owned result(new_array(PyArray_DESCR(grad), PyArray_NDIM(grad), PyArray_DIMS(grad)));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad), *input = data_of<T>(value);
    T* out = data_of<T>(result.get());
    const Line line = line_of(PyArray_DIMS(grad), PyArray_NDIM(grad), axis);
    const auto work = [=] {
        by_strips<T>(line, 2, [=](npy_intp at, const Strip& strip, T* row) {
            backward_strip(grads + at, input + at, out + at, strip, row, logarithm);
        });
    };
    perform(PyArray_SIZE(grad), work, {grads, input, out});
    return result.give();
}
// The axis, if it is not the last one.
bool other_axis(PyArrayObject* x, PyObject* object, int& axis) {
    return as_axis(object, PyArray_NDIM(x), axis) && axis < PyArray_NDIM(x) - 1;
}

// ---- beside cards and rules ----------------------------------------------------------------------------------------
// (self, dim)
template <bool logarithm> PyObject* of_card(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    int axis;
    if (!x || PyArray_SIZE(x) == 0) return nullptr;  // an empty one has no row-major strides
    if (!other_axis(x, args[1], axis)) return compute_forward(args, logarithm);
    if (PyArray_DESCR(x) == float_descr) return forward_along<float>(x, axis, logarithm);
    return PyArray_DESCR(x) == double_descr ? forward_along<double>(x, axis, logarithm) : nullptr;
}
// (grad, result, dim); the gradient may have any strides
template <bool logarithm> PyObject* rule(PyObject* const* args) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    Owned grad(as_contiguous(args[0], PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[0]))));
    if (!grad || PyArray_SIZE(grad.get()) == 0) return nullptr;
    PyObject* slots[3] = {reinterpret_cast<PyObject*>(grad.get()), args[1], args[2]};
    int axis;
    if (!other_axis(grad.get(), args[2], axis)) return compute_backward(slots, logarithm);
    PyArray_Descr* descr = PyArray_DESCR(grad.get());
    PyArrayObject* value = plain(args[1], descr);
    if (!value || !same_shape(grad.get(), value)) return nullptr;
    if (descr == float_descr) return backward_along<float>(grad.get(), value, axis, logarithm);
    return descr == double_descr ? backward_along<double>(grad.get(), value, axis, logarithm) : nullptr;
}

Methods softmax_methods({
    repeatable_method("direct_softmax", of_halves<on_contiguous<direct<2, of_card<false>>>>,
                  "softmax(self, dim), or NotImplemented"),
    repeatable_method("direct_log_softmax", of_halves<on_contiguous<direct<2, of_card<true>>>>,
                  "log_softmax(self, dim), or NotImplemented"),
    repeatable_method("direct_softmax_backward", of_halves<on_contiguous<direct<3, rule<false>>>>,
                  "softmax_backward(grad, result, dim), or NotImplemented"),
    repeatable_method("direct_log_softmax_backward", of_halves<on_contiguous<direct<3, rule<true>>>>,
                  "log_softmax_backward(grad, result, dim), or NotImplemented"),
    fast_method("softmax", softmax, "softmax(x, axis)"),
    fast_method("causal_softmax", causal_softmax, "causal_softmax(x)"),
    fast_method("log_softmax", log_softmax, "log_softmax(x, axis)"),
    fast_method("softmax_backward", softmax_backward, "softmax_backward(grad, result, axis)"),
    fast_method("log_softmax_backward", log_softmax_backward, "log_softmax_backward(grad, result, axis)"),
});

}  // namespace
}  // namespace wengert
