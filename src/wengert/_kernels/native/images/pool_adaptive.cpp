// Pooling over windows that divide planes into so many rows and columns: for the dispatcher only.
#include "binding/memory_order.hpp"
#include "base/memory_limits.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

// Planes of images (N, C, H, W) or (C, H, W), and how many windows divide each.
struct Division {
    int ndim;
    npy_intp planes = 1, input[2], output[2], shape[4];

    npy_intp begin(int axis, npy_intp at) const { return at * input[axis] / output[axis]; }
    npy_intp end(int axis, npy_intp at) const { return ((at + 1) * input[axis] + output[axis] - 1) / output[axis]; }
    npy_intp area() const { return input[0] * input[1]; }
    npy_intp windows() const { return output[0] * output[1]; }
    // Of one plane, in additions: windows overlap by less than an element on each side.
    npy_intp cost() const {
        return ((Size(input[0]) + 2 * Size(output[0])) * (Size(input[1]) + 2 * Size(output[1]))).value_or_most();
    }
};

bool divide(PyArrayObject* x, PyObject* sizes, Division& d) {
    if (!x || PyArray_NDIM(x) < 3 || PyArray_NDIM(x) > 4 || PyArray_SIZE(x) == 0) return false;
    d.ndim = PyArray_NDIM(x);
    if (PyLong_CheckExact(sizes)) {
        if (!as_index(sizes, d.output[0])) return false;
        d.output[1] = d.output[0];
    } else if (!as_pair(sizes, d.output)) {
        return false;
    }
    Size room(16);
    for (int i = 0; i < d.ndim; ++i) {
        d.shape[i] = PyArray_DIM(x, i);
        if (i < d.ndim - 2) d.planes *= d.shape[i];
    }
    for (int a = 0; a < 2; ++a) {
        d.input[a] = d.shape[d.ndim - 2 + a];
        if (d.output[a] < 1 || !((Size(d.output[a]) + 1) * d.input[a] + d.output[a]).fits()) return false;
        d.shape[d.ndim - 2 + a] = d.output[a];
    }
    for (int i = 0; i < d.ndim; ++i) room = room * d.shape[i];
    return room.fits() && machine_has(static_cast<size_t>(room.value()) / 4);
}

// body(plane, window, Box) of each window of some planes.
struct Box {
    npy_intp top, bottom, left, right;
};
template <class Body> void over_windows(const Division& d, const Body& body) {
    ReleaseGil unlocked(d.planes * d.windows() >= thread_threshold || d.planes * d.area() >= thread_threshold);
    parallel_for(d.planes, d.cost(), [&](npy_intp first, npy_intp last) {
        for (npy_intp p = first; p < last; ++p)
            for (npy_intp i = 0; i < d.output[0]; ++i)
                for (npy_intp j = 0; j < d.output[1]; ++j)
                    body(p, i * d.output[1] + j, Box{d.begin(0, i), d.end(0, i), d.begin(1, j), d.end(1, j)});
    });
}

// adaptive_average(self, output_size)
template <class T> PyObject* average(Call args) {
    PyArrayObject* x = row_major_only(args[0], descr_of<T>());
    Division d;
    if (!divide(x, args[1], d) || d.windows() == 1) return nullptr;  // of one window `mean` is asked
    Owned result(new_array(descr_of<T>(), d.ndim, d.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    over_windows(d, [&](npy_intp plane, npy_intp window, const Box& box) {
        const T* plane_values = input + plane * d.area();
        T total = 0;
        for (npy_intp i = box.top; i < box.bottom; ++i)
            for (npy_intp j = box.left; j < box.right; ++j) total += plane_values[i * d.input[1] + j];
        out[plane * d.windows() + window] = total / static_cast<T>((box.bottom - box.top) * (box.right - box.left));
    });
    return result.give();
}

// adaptive_average_backward(grad, shape)
template <class T> PyObject* spread(PyArrayObject* grad, const npy_intp* shape, int ndim) {
    Division d;
    Owned result(new_zeros(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    PyObject* sizes = Py_BuildValue("(nn)", PyArray_DIM(grad, ndim - 2), PyArray_DIM(grad, ndim - 1));
    if (!sizes) return nullptr;
    const bool known = divide(result.get(), sizes, d);
    Py_DECREF(sizes);
    if (!known) return nullptr;
    const T* grads = data_of<T>(grad);
    T* out = data_of<T>(result.get());
    over_windows(d, [&](npy_intp plane, npy_intp window, const Box& box) {
        T* plane_values = out + plane * d.area();
        const T window_grad =
            grads[plane * d.windows() + window] / static_cast<T>((box.bottom - box.top) * (box.right - box.left));
        for (npy_intp i = box.top; i < box.bottom; ++i)
            for (npy_intp j = box.left; j < box.right; ++j) plane_values[i * d.input[1] + j] += window_grad;
    });
    return result.give();
}
template <class T> PyObject* average_backward(Call args) {
    Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    npy_intp shape[most_dims];
    const int ndim = as_shape(args[1], shape);
    if (!grad || ndim < 3 || ndim > 4 || PyArray_NDIM(grad.get()) != ndim) return nullptr;
    for (int i = 0; i < ndim; ++i)
        if (i < ndim - 2 ? shape[i] != PyArray_DIM(grad.get(), i) : shape[i] < 1) return nullptr;
    // The products of the body meet infinities and NaN in every place.
    if (!all_finite(data_of<T>(grad.get()), PyArray_SIZE(grad.get()))) return nullptr;
    return spread<T>(grad.get(), shape, ndim);
}

// adaptive_maximum(self, output_size): the first of equals, but the last NaN
template <class T> PyObject* maximum(Call args) {
    PyArrayObject* x = row_major_only(args[0], descr_of<T>());
    Division d;
    if (!divide(x, args[1], d)) return nullptr;
    Owned results[2] = {Owned(new_array(descr_of<T>(), d.ndim, d.shape)),
                        Owned(new_array(int64_descr, d.ndim, d.shape))};
    if (!results[0] || !results[1]) return nullptr;
    const T* input = data_of<T>(x);
    T* values = data_of<T>(results[0].get());
    int64_t* positions = data_of<int64_t>(results[1].get());
    over_windows(d, [&](npy_intp plane, npy_intp window, const Box& box) {
        const T* plane_values = input + plane * d.area();
        npy_intp position = box.top * d.input[1] + box.left;
        T best = plane_values[position];
        for (npy_intp i = box.top; i < box.bottom; ++i)
            for (npy_intp j = box.left; j < box.right; ++j) {
                const T value = plane_values[i * d.input[1] + j];
                if (value > best || value != value) best = value, position = i * d.input[1] + j;
            }
        values[plane * d.windows() + window] = best;
        positions[plane * d.windows() + window] = position;
    });
    return give_tuple(results, 2);
}

Methods adaptive_methods({
    WENGERT_ENTRY(adaptive_average, "(self, output_size)",
                  on_contiguous<direct<2, by_element<average<float>, average<double>>>, few_with_gaps>),
    WENGERT_ENTRY(
        adaptive_average_backward, "(grad, shape)",
        on_contiguous<direct<2, by_element<average_backward<float>, average_backward<double>>>, few_with_gaps>),
    WENGERT_ENTRY(adaptive_maximum, "(self, output_size)",
                  on_contiguous<direct<2, by_element<maximum<float>, maximum<double>>>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
