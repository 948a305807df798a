// Two-dimensional max and average pooling, forward and backward, plane by plane.
#include "binding/memory_order.hpp"
#include "images/windows.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

namespace wengert {
namespace {

Twin max_pool_twin("max_pool2d"), max_pool_backward_twin("max_pool2d_backward");
Twin avg_pool_twin("avg_pool2d"), avg_pool_backward_twin("avg_pool2d_backward");

// One number for both axes, or a pair; where there is none, `otherwise`.
bool as_sizes(PyObject* object, npy_intp* value, const npy_intp* otherwise = nullptr) {
    if (otherwise && object == Py_None) {
        value[0] = otherwise[0], value[1] = otherwise[1];
        return true;
    }
    if (!object || !PyLong_CheckExact(object)) return as_pair(object, value);
    if (!as_index(object, value[0])) return false;
    value[1] = value[0];
    return true;
}

// Whether every window has an element: with a dilation it may lie wholly in the padding.
bool filled(const Window& w) {
    for (int a = 0; a < 2; ++a)
        if (w.padding[a] > 0 && w.dilation[a] > w.input[a]) return false;
    return true;
}

template <class T> PyObject* max_forward(PyObject* const* slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    Window w;
    if (!x || !as_sizes(slots[1], w.kernel) || !as_sizes(slots[2], w.stride, w.kernel) ||
        !as_sizes(slots[3], w.padding))
        return nullptr;
    if (!as_sizes(slots[4], w.dilation) || !as_flag(slots[5], w.ceil_mode)) return nullptr;
    const int ndim = PyArray_NDIM(x);
    if (!complete(w, PyArray_DIMS(x), ndim) || !filled(w)) return nullptr;
    npy_intp shape[4] = {PyArray_DIM(x, 0), ndim == 4 ? PyArray_DIM(x, 1) : 0, 0, 0};
    shape[ndim - 2] = w.output[0];
    shape[ndim - 1] = w.output[1];
    Owned items[2] = {Owned(new_array(descr_of<T>(), ndim, shape)), Owned(new_array(int64_descr, ndim, shape))};
    if (!items[0] || !items[1]) return nullptr;
    const T* input = data_of<T>(x);
    T* value = data_of<T>(items[0].get());
    int64_t* position = data_of<int64_t>(items[1].get());
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(w.planes, window_cost(w),
                     [=](npy_intp begin, npy_intp end) { max_planes(input, w, begin, end, value, position); });
    }
    return give_tuple(items, 2);
}

// A shape of at most four lengths and at least one element.
bool as_plane_shape(PyObject* object, npy_intp* shape, int& ndim) {
    npy_intp lengths[most_dims];
    ndim = as_shape(object, lengths);
    if (ndim < 0 || ndim > 4) return false;
    std::copy(lengths, lengths + ndim, shape);
    return std::find(shape, shape + ndim, 0) == shape + ndim;
}

template <class T> PyObject* max_backward(PyObject* const* slots) {
    PyArrayObject* grad = plain(slots[0], descr_of<T>());
    PyArrayObject* indices = plain(slots[1], int64_descr);
    npy_intp shape[4];
    int ndim;
    if (!grad || !indices || !same_shape(grad, indices) || !as_plane_shape(slots[2], shape, ndim)) return nullptr;
    if (ndim < 3 || PyArray_NDIM(grad) != ndim || PyArray_SIZE(grad) == 0) return nullptr;
    npy_intp planes = 1;
    for (int i = 0; i < ndim - 2; ++i) {
        if (shape[i] != PyArray_DIM(grad, i)) return nullptr;
        planes *= shape[i];
    }
    const npy_intp area = shape[ndim - 2] * shape[ndim - 1], pooled = PyArray_SIZE(grad) / planes;
    const int64_t* positions = data_of<int64_t>(indices);
    std::atomic<bool> inside{true};
    Owned result(new_array(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    const T* grads = data_of<T>(grad);
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(planes * area >= thread_threshold);
        parallel_for(planes, area, [=, &inside](npy_intp begin, npy_intp end) {
            std::memset(out + begin * area, 0, static_cast<size_t>((end - begin) * area) * sizeof(T));
            for (npy_intp p = begin; p < end; ++p)
                for (npy_intp i = p * pooled; i < (p + 1) * pooled; ++i) {
                    const int64_t position = load_once(positions + i);
                    if (position < 0 || position >= area)  // the twin words the error
                        inside.store(false, std::memory_order_relaxed);
                    else
                        out[p * area + position] += grads[i];
                }
        });
    }
    return inside.load() ? result.give() : nullptr;
}

struct Divisor {
    bool include_pad = true;
    npy_intp override_value = 0;  // 0: none
};
bool read_average(PyObject* const* slots, Window& w,
                  Divisor& d) {  // kernel_size, stride, padding, ceil_mode, include_pad, override
    if (!as_sizes(slots[0], w.kernel) || !as_sizes(slots[1], w.stride, w.kernel) || !as_sizes(slots[2], w.padding))
        return false;
    if (!as_flag(slots[3], w.ceil_mode) || !as_flag(slots[4], d.include_pad)) return false;
    if (absent(slots[5])) return true;
    return as_index(slots[5], d.override_value) && d.override_value != 0;
}

// The extent of a window along one axis: [begin, end) inside the plane, and its number of positions with the padding.
struct Extent {
    npy_intp begin, end, positions;
};
std::vector<Extent> extents(const Window& w, int axis) {
    std::vector<Extent> all(static_cast<size_t>(w.output[axis]));
    for (npy_intp i = 0; i < w.output[axis]; ++i) {
        const npy_intp begin = i * w.stride[axis] - w.padding[axis];
        const npy_intp end = std::min(begin + w.kernel[axis], w.input[axis] + w.padding[axis]);
        all[static_cast<size_t>(i)] = {std::max<npy_intp>(begin, 0), std::min(end, w.input[axis]), end - begin};
    }
    return all;
}
// body(number of the window, its rows, its columns, its divisor) for each window of a plane.
struct Averages {
    std::vector<Extent> rows, columns;
    Divisor divisor;
    Averages(const Window& w, const Divisor& d) : rows(extents(w, 0)), columns(extents(w, 1)), divisor(d) {}

    template <class Body> void for_each_window(const Body& body) const {
        npy_intp number = 0;
        for (const Extent& row : rows)
            for (const Extent& column : columns) {
                const npy_intp inside = (row.end - row.begin) * (column.end - column.begin),
                               positions = row.positions * column.positions;
                const npy_intp counted = divisor.include_pad ? positions : inside;
                body(number++, row, column, divisor.override_value ? divisor.override_value : counted);
            }
    }
};

template <class T> PyObject* average_forward(PyObject* const* slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    Window w;
    Divisor d;
    if (!x || !read_average(slots + 1, w, d)) return nullptr;
    const int ndim = PyArray_NDIM(x);
    if (!complete(w, PyArray_DIMS(x), ndim)) return nullptr;
    npy_intp shape[4] = {PyArray_DIM(x, 0), ndim == 4 ? PyArray_DIM(x, 1) : 0, 0, 0};
    shape[ndim - 2] = w.output[0];
    shape[ndim - 1] = w.output[1];
    Owned result(new_array(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp width = w.input[1], area = w.input[0] * width, pooled = w.output[0] * w.output[1];
    const Averages windows(w, d);
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(w.planes, window_cost(w), [=, &windows](npy_intp begin, npy_intp end) {
            for (npy_intp p = begin; p < end; ++p) {
                const T* const plane = input + p * area;
                T* const to = out + p * pooled;
                windows.for_each_window(
                    [=](npy_intp number, const Extent& row, const Extent& column, npy_intp divisor) {
                        T total = 0;
                        for (npy_intp i = row.begin; i < row.end; ++i)
                            for (npy_intp j = column.begin; j < column.end; ++j) total += plane[i * width + j];
                        to[number] = total / static_cast<T>(divisor);
                    });
            }
        });
    }
    return result.give();
}

template <class T> PyObject* average_backward(PyObject* const* slots) {
    PyArrayObject* grad = plain(slots[0], descr_of<T>());
    Window w;
    Divisor d;
    npy_intp shape[4];
    int ndim;
    if (!grad || !as_plane_shape(slots[1], shape, ndim) || !read_average(slots + 2, w, d) || !complete(w, shape, ndim))
        return nullptr;
    if (PyArray_NDIM(grad) != ndim || PyArray_SIZE(grad) != w.planes * w.output[0] * w.output[1]) return nullptr;
    Owned result(new_array(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    const T* grads = data_of<T>(grad);
    T* out = data_of<T>(result.get());
    const npy_intp width = w.input[1], area = w.input[0] * width, pooled = w.output[0] * w.output[1];
    const Averages windows(w, d);
    {
        ReleaseGil unlocked(w.planes * area >= thread_threshold);
        parallel_for(w.planes, (Size(area) + window_cost(w)).value_or_most(),
                     [=, &windows](npy_intp begin, npy_intp end) {
                         std::memset(out + begin * area, 0, static_cast<size_t>((end - begin) * area) * sizeof(T));
                         for (npy_intp p = begin; p < end; ++p) {
                             const T* const from = grads + p * pooled;
                             T* const plane = out + p * area;
                             windows.for_each_window(
                                 [=](npy_intp number, const Extent& row, const Extent& column, npy_intp divisor) {
                                     const T window_grad = from[number] / static_cast<T>(divisor);
                                     for (npy_intp i = row.begin; i < row.end; ++i)
                                         for (npy_intp j = column.begin; j < column.end; ++j)
                                             plane[i * width + j] += window_grad;
                                 });
                         }
                     });
    }
    return result.give();
}

// ---- for the dispatcher ---------------------------------------------------------------------------------------------
// For images in row-major order: the results of others have another order of memory.
template <PyObject* (*for_float)(PyObject* const*), PyObject* (*for_double)(PyObject* const*)>
PyObject* of_rows(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    return x && is_row_major(x) ? by_element<for_float, for_double>(args) : nullptr;
}

// Whether windows along the last dimension of two or three fit it.
bool fit_line(PyArrayObject* x, const Window& w, npy_intp padding) {
    if (!x || PyArray_NDIM(x) < 2 || PyArray_NDIM(x) > 3 || !is_row_major(x) || padding < 0) return false;
    if (PyArray_DESCR(x) != float_descr && PyArray_DESCR(x) != double_descr) return false;
    npy_intp shape[4] = {1, 1, 1, PyArray_DIM(x, PyArray_NDIM(x) - 1)};
    Window wide = w;
    return PyArray_SIZE(x) > 0 && complete(wide, shape, 4);
}
bool read_line(PyObject* const* args, Window& w) {  // kernel_size, stride, padding
    w.kernel[0] = w.stride[0] = 1;
    const bool same = args[1] == Py_None;
    if (!PyLong_CheckExact(args[0]) || !PyLong_CheckExact(args[2]) || !(same || PyLong_CheckExact(args[1])))
        return false;
    return as_index(args[0], w.kernel[1]) && as_index(same ? args[0] : args[1], w.stride[1]) &&
           as_index(args[2], w.padding[1]);
}

// The greatest element of each window of a line, tap by tap.
template <class T> void max_line(const T* x, const Window& w, T* value) {
    const npy_intp count = w.output[1], step = w.stride[1], length = w.input[1];
    std::fill_n(value, count, -std::numeric_limits<T>::infinity());
    for (npy_intp tap = 0; tap < w.kernel[1]; ++tap) {
        const npy_intp start = tap * w.dilation[1] - w.padding[1];  // of window 0
        const npy_intp first = start < 0 ? (step - 1 - start) / step : 0;
        const npy_intp last = start < length ? std::min(count, (length - 1 - start) / step + 1) : 0;
        const T* const from = x + start;
        if (step == 1)
            for (npy_intp i = first; i < last; ++i) value[i] = better(from[i], value[i]) ? from[i] : value[i];
        else
            for (npy_intp i = first; i < last; ++i)
                value[i] = better(from[i * step], value[i]) ? from[i * step] : value[i];
    }
}

// max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
template <class T> PyObject* max_of_lines(PyObject* const* args) {
    Window w;
    PyArrayObject* x = plain(args[0], descr_of<T>());
    if (!read_line(args + 1, w) || !PyLong_CheckExact(args[4]) || !as_index(args[4], w.dilation[1]) ||
        !as_flag(args[5], w.ceil_mode))
        return nullptr;
    if (!fit_line(x, w, w.padding[1])) return nullptr;
    const int ndim = PyArray_NDIM(x);
    npy_intp shape[4] = {1, PyArray_SIZE(x) / PyArray_DIM(x, ndim - 1), 1, PyArray_DIM(x, ndim - 1)}, pooled_shape[3];
    if (!complete(w, shape, 4) || !filled(w)) return nullptr;
    std::copy_n(PyArray_DIMS(x), ndim, pooled_shape);
    pooled_shape[ndim - 1] = w.output[1];
    Owned values(new_array(descr_of<T>(), ndim, pooled_shape));
    if (!values) return nullptr;
    const T* input = data_of<T>(x);
    T* value = data_of<T>(values.get());
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(w.planes, window_cost(w), [=](npy_intp begin, npy_intp end) {
            for (npy_intp line = begin; line < end; ++line)
                max_line(input + line * w.input[1], w, value + line * w.output[1]);
        });
    }
    return values.give();
}
// avg_pool1d_arguments(input, kernel_size, stride, padding, ceil_mode, count_include_pad)
PyObject* average_line(PyObject* const* args) {
    Window w;
    bool include_pad = false;
    if (!read_line(args + 1, w) || !as_flag(args[4], w.ceil_mode) || !as_flag(args[5], include_pad)) return nullptr;
    if (!fit_line(plain(args[0]), w, w.padding[1])) return nullptr;
    return Py_BuildValue("O(in)(in)(in)OOO", Py_None, 1, w.kernel[1], 1, w.stride[1], 0, w.padding[1], args[4], args[5],
                         Py_None);
}

const char* const max_names[] = {"x", "kernel_size", "stride", "padding", "dilation", "ceil_mode"};
const char* const max_backward_names[] = {"grad", "indices", "input_shape"};
const char* const average_names[] = {"x",         "kernel_size",       "stride",          "padding",
                                     "ceil_mode", "count_include_pad", "divisor_override"};
const char* const average_backward_names[] = {"grad",    "input_shape", "kernel_size",       "stride",
                                              "padding", "ceil_mode",   "count_include_pad", "divisor_override"};


Methods pool_methods({
    WENGERT_FUNCTION(max_pool2d, "(x, kernel_size, stride, padding=(0, 0), dilation=(1, 1), ceil_mode=False)",
                     with_twin<max_pool_twin, 3, max_names, by_element<max_forward<float>, max_forward<double>>>),
    WENGERT_FUNCTION(max_pool2d_backward, "(grad, indices, input_shape)",
                     with_twin<max_pool_backward_twin, 3, max_backward_names,
                               by_element<max_backward<float>, max_backward<double>>>),
    WENGERT_FUNCTION(
        avg_pool2d,
        "(x, kernel_size, stride, padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None)",
        with_twin<avg_pool_twin, 3, average_names, by_element<average_forward<float>, average_forward<double>>>),
    WENGERT_FUNCTION(
        avg_pool2d_backward,
        "(grad, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)",
        with_twin<avg_pool_backward_twin, 8, average_backward_names,
                  by_element<average_backward<float>, average_backward<double>>>),
    WENGERT_ENTRY(max_pool2d_with_indices, "(self, kernel_size, stride, padding, dilation, ceil_mode)",
                  on_contiguous<direct<6, of_rows<max_forward<float>, max_forward<double>>>, few_with_gaps>),
    WENGERT_ENTRY(avg_pool2d, "(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)",
                  on_contiguous<direct<7, of_rows<average_forward<float>, average_forward<double>>>, few_with_gaps>),
    WENGERT_ENTRY(max_pool1d, "(input, kernel_size, stride, padding, dilation, ceil_mode)",
                  on_contiguous<direct<6, by_element<max_of_lines<float>, max_of_lines<double>>>, few_with_gaps>),
    direct_method("direct_avg_pool1d_arguments", direct<6, average_line>, "those of avg_pool2d, or NotImplemented"),
});

}  // namespace
}  // namespace wengert
