// conv2d and its gradients as products of matrices that nobody writes down (`packed.hpp`): what the kernels see at each place
// is read where it lies in framed images.
#include "common.hpp"
#include "conv_core.hpp"
#include "conv_input.hpp"
#include "conv_single.hpp"
#include "packed.hpp"

namespace wengert {
namespace {

Twin conv_twin("conv2d"), input_twin("conv2d_backward_input"), weight_twin("conv2d_backward_weight");
Twin bias_twin("conv2d_backward_bias");

bool read_settings(PyObject** slots, Geometry& g) {
    return as_pair(slots[0], g.stride) && as_pair(slots[1], g.padding) && as_pair(slots[2], g.dilation) && as_index(slots[3], g.groups);
}

template <class T>
void forward_run(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    const index_t outputs = g.group_kernels(), depth = g.depth(), places = g.places();
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.height, g.width, places);
    const Indices at = input_places(g, seen.frame, seen.images, seen.image_size()), taps = input_taps(g, seen.frame);
    const Indices to = grid(seen.images, g.kernels * places, 1, 0, places, 1);
    const Indices along = grid(1, 0, 1, 0, depth, 1), across = grid(1, 0, 1, 0, outputs, depth);
    std::vector<Packed<T>> kernels;
    for (index_t group = 0; group < g.groups; ++group) {
        kernels.emplace_back(outputs, depth);
        kernels.back().fill({weight + group * outputs * depth, along.data(), across.data(), outputs * depth});
    }
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(x + first * g.channels * g.height * g.width, images);
        for (index_t group = 0; group < g.groups; ++group) {
            const index_t skipped = group * g.depth_channels * seen.frame.plane();
            const Spread<T> input = {seen.data + skipped, taps.data(), at.data(), seen.size(images) - skipped};
            T* results = out + (first * g.kernels + group * outputs) * places;
            multiply_packed(kernels[static_cast<size_t>(group)], input, images * places,
                            {results, places, to.data(), bias ? bias + group * outputs : nullptr, false});
        }
    }
}

template <class T>
void backward_input_run(const Geometry& g, const T* grad, const T* weight, T* out) {
    const Phases down = phases_along(g, 0), right = phases_along(g, 1);
    const index_t outputs = g.group_kernels(), inputs = g.depth_channels, area = g.height * g.width, taps = g.rows * g.columns;
    Framed<T> seen = framed_images<T>(gradient_frame(down, right), g.images, g.kernels, g.out_height, g.out_width, area);
    const std::vector<Part> parts = parts_of(g, down, right, seen.frame);
    const Indices across = grid(1, 0, 1, 0, inputs, taps);
    for (const Part& part : parts)
        if (part.seen.empty()) {  // places that no element of a kernel reaches
            std::memset(out, 0, static_cast<size_t>(g.images * g.channels * area) * sizeof(T));
            break;
        }
    std::vector<Packed<T>> kernels;
    for (const Part& part : parts)
        for (index_t group = 0; group < g.groups; ++group) {
            kernels.emplace_back(inputs, static_cast<index_t>(part.seen.size()));
            const index_t skipped = group * outputs * g.depth();
            kernels.back().fill({weight + skipped, part.weights.data(), across.data(), g.kernels * g.depth() - skipped});
        }
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(grad + first * g.kernels * g.places(), images);
        auto packed = kernels.begin();
        for (const Part& part : parts) {
            const Phase &row = *part.down, &column = *part.right;
            const Indices at = grid(images, seen.image_size(), row.count, seen.frame.pitch(), column.count, 1);
            const Indices to = grid(images, g.channels * area, row.count, g.stride[0] * g.width, column.count, g.stride[1]);
            for (index_t group = 0; group < g.groups; ++group, ++packed) {
                const index_t skipped = group * outputs * seen.frame.plane();
                const Spread<T> slopes = {seen.data + skipped, part.seen.data(), at.data(), seen.size(images) - skipped};
                T* results = out + (first * g.channels + group * inputs) * area + part.origin;
                multiply_packed(*packed, slopes, static_cast<index_t>(at.size()), {results, area, to.data(), nullptr, false});
            }
        }
    }
}

template <class T>
void backward_weight_run(const Geometry& g, const T* grad, const T* x, T* out) {
    const index_t outputs = g.group_kernels(), depth = g.depth(), places = g.places();
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.height, g.width, places);
    const Indices at = input_places(g, seen.frame, seen.images, seen.image_size()), taps = input_taps(g, seen.frame);
    const Indices along = grid(seen.images, g.kernels * places, 1, 0, places, 1), across = grid(1, 0, 1, 0, outputs, places);
    const Indices to = grid(1, 0, 1, 0, depth, 1);
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(x + first * g.channels * g.height * g.width, images);
        Packed<T> slopes(outputs, images * places);
        for (index_t group = 0; group < g.groups; ++group) {
            const index_t skipped = group * g.depth_channels * seen.frame.plane(), before = (first * g.kernels + group * outputs) * places;
            slopes.fill({grad + before, along.data(), across.data(), g.images * g.kernels * places - before});
            const Spread<T> input = {seen.data + skipped, at.data(), taps.data(), seen.size(images) - skipped};
            multiply_packed(slopes, input, depth, {out + group * outputs * depth, depth, to.data(), nullptr, first > 0});
        }
    }
}

template <class T>
bool all_finite(const T* x, npy_intp count) {
    int strange = 0;
#pragma omp simd reduction(| : strange)
    for (npy_intp i = 0; i < count; ++i) strange |= x[i] - x[i] != T(0);
    return !strange;
}

template <class Run>
void unlocked_if_large(npy_intp work, const Run& run) {
    ReleaseGil unlocked(work >= thread_threshold);
    run();
}

template <class T>
PyObject* forward(PyObject** slots) {
    PyArrayObject *x = plain(slots[0], descr_of<T>()), *weight = plain(slots[1], descr_of<T>());
    Geometry g;
    const T* bias;
    if (!x || !weight || PyArray_NDIM(x) != 4 || PyArray_NDIM(weight) != 4 || !read_settings(slots + 3, g)) return nullptr;
    if (!complete(g, PyArray_DIMS(x), PyArray_DIMS(weight)) || !optional_data(slots[2], g.kernels, bias)) return nullptr;
    const npy_intp shape[4] = {g.images, g.kernels, g.out_height, g.out_width};
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    const T *input = data_of<T>(x), *kernels = data_of<T>(weight);
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { g.single() ? single_forward(g, input, kernels, bias, out) : forward_run(g, input, kernels, bias, out); });
    return result.give();
}

bool as_shape(PyObject* object, npy_intp* shape) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 4) return false;
    for (int i = 0; i < 4; ++i)
        if (!as_index(PyTuple_GET_ITEM(object, i), shape[i]) || shape[i] < 1) return false;
    return true;
}
bool fits(PyArrayObject* grad, const Geometry& g) {
    const npy_intp* shape = PyArray_DIMS(grad);
    return PyArray_NDIM(grad) == 4 && shape[0] == g.images && shape[1] == g.kernels && shape[2] == g.out_height && shape[3] == g.out_width;
}

template <class T>
PyObject* backward_input(PyObject** slots) {
    PyArrayObject *grad = plain(slots[0], descr_of<T>()), *weight = plain(slots[1], descr_of<T>());
    Geometry g;
    npy_intp shape[4];
    if (!grad || !weight || PyArray_NDIM(weight) != 4 || !as_shape(slots[2], shape) || !read_settings(slots + 3, g)) return nullptr;
    if (!complete(g, shape, PyArray_DIMS(weight)) || !fits(grad, g)) return nullptr;
    const T *slope = data_of<T>(grad), *kernels = data_of<T>(weight);
    if (!all_finite(kernels, PyArray_SIZE(weight))) return nullptr;  // they meet zeros that are no elements of grad
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { g.single() ? single_backward_input(g, slope, kernels, out) : backward_input_run(g, slope, kernels, out); });
    return result.give();
}

template <class T>
PyObject* backward_weight(PyObject** slots) {
    PyArrayObject *grad = plain(slots[0], descr_of<T>()), *x = plain(slots[1], descr_of<T>());
    Geometry g;
    npy_intp shape[4];
    if (!grad || !x || PyArray_NDIM(x) != 4 || !as_shape(slots[2], shape) || !read_settings(slots + 3, g)) return nullptr;
    if (!complete(g, PyArray_DIMS(x), shape) || !fits(grad, g)) return nullptr;
    const T *slope = data_of<T>(grad), *input = data_of<T>(x);
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    bool numbers = true;
    unlocked_if_large(g.work(), [&] {
        if (g.single())
            numbers = single_backward_weight(g, slope, input, out);
        else
            backward_weight_run(g, slope, input, out);
    });
    return numbers ? result.give() : nullptr;
}

template <class T>
PyObject* backward_bias(PyObject** slots) {
    PyArrayObject* grad = plain(slots[0], descr_of<T>());
    if (!grad || PyArray_NDIM(grad) != 4) return nullptr;
    const npy_intp images = PyArray_DIM(grad, 0), kernels = PyArray_DIM(grad, 1), places = PyArray_DIM(grad, 2) * PyArray_DIM(grad, 3);
    Owned result(new_array(descr_of<T>(), 1, &kernels));
    if (!result) return nullptr;
    const T* slope = data_of<T>(grad);
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(images * kernels * places >= thread_threshold);
        parallel_for(kernels, images * places, [=](npy_intp first, npy_intp last) {
            for (npy_intp o = first; o < last; ++o) {
                double total = 0;
                for (npy_intp n = 0; n < images; ++n) total += loops<T>().row_sum[OF_VALUES](slope + (n * kernels + o) * places, places);
                out[o] = static_cast<T>(total);
            }
        });
    }
    return result.give();
}

template <PyObject* (*for_float)(PyObject**), PyObject* (*for_double)(PyObject**)>
PyObject* by_dtype(PyObject** slots) {
    PyArrayObject* first = plain(slots[0]);
    if (!first) return nullptr;
    if (PyArray_DESCR(first) == float_descr) return for_float(slots);
    return PyArray_DESCR(first) == double_descr ? for_double(slots) : nullptr;
}

const char* const forward_names[] = {"x", "weight", "bias", "stride", "padding", "dilation", "groups"};
const char* const input_names[] = {"grad", "weight", "input_shape", "stride", "padding", "dilation", "groups"};
const char* const weight_names[] = {"grad", "x", "weight_shape", "stride", "padding", "dilation", "groups"};
const char* const bias_names[] = {"grad"};

PyObject* conv2d(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(conv_twin, forward_names, 2, args, nargs, kwnames, by_dtype<forward<float>, forward<double>>);
}
PyObject* conv2d_backward_input(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(input_twin, input_names, 7, args, nargs, kwnames, by_dtype<backward_input<float>, backward_input<double>>);
}
PyObject* conv2d_backward_weight(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(weight_twin, weight_names, 7, args, nargs, kwnames, by_dtype<backward_weight<float>, backward_weight<double>>);
}
PyObject* conv2d_backward_bias(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<1>(bias_twin, bias_names, 1, args, nargs, kwnames, by_dtype<backward_bias<float>, backward_bias<double>>);
}

PyMethodDef conv_methods[] = {
    fast_method("conv2d", conv2d, "conv2d(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1)"),
    fast_method("conv2d_backward_input", conv2d_backward_input,
                "conv2d_backward_input(grad, weight, input_shape, stride, padding, dilation, groups)"),
    fast_method("conv2d_backward_weight", conv2d_backward_weight,
                "conv2d_backward_weight(grad, x, weight_shape, stride, padding, dilation, groups)"),
    fast_method("conv2d_backward_bias", conv2d_backward_bias, "conv2d_backward_bias(grad)"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList conv_list(conv_methods);

}  // namespace
}  // namespace wengert
