// conv2d and its gradients as products of matrices that nobody writes down (`packed.hpp`): what the kernels see at each place
// is read where it lies in framed images.
#include "direct.hpp"
#include "conv_core.hpp"
#include "conv_input.hpp"
#include "conv_single.hpp"
#include "conv_weight.hpp"
#include "packed.hpp"
#include "winograd.hpp"
#include "winograd_weight.hpp"

namespace wengert {
namespace {

Twin conv_twin("conv2d"), input_twin("conv2d_backward_input"), weight_twin("conv2d_backward_weight");
Twin bias_twin("conv2d_backward_bias");

bool read_settings(PyObject** slots, Geometry& g) {
    return as_pair(slots[0], g.stride) && as_pair(slots[1], g.padding) && as_pair(slots[2], g.dilation) && as_index(slots[3], g.groups);
}

template <class T>
void forward_panels(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
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
void backward_input_panels(const Geometry& g, const T* grad, const T* weight, T* out) {
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
void backward_weight_panels(const Geometry& g, const T* grad, const T* x, T* out) {
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
void forward_run(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    if (g.single())
        single_forward(g, x, weight, bias, out);
    else if (!correlated_by_tiles(g, forward_correlation(g), x, weight, bias, out))
        forward_panels(g, x, weight, bias, out);
}
template <class T>
void backward_input_run(const Geometry& g, const T* grad, const T* weight, T* out) {
    if (g.single())
        single_backward_input(g, grad, weight, out);
    else if (!correlated_by_tiles<T>(g, backward_correlation(g), grad, weight, nullptr, out))
        backward_input_panels(g, grad, weight, out);
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
    unlocked_if_large(g.work(), [&] { forward_run(g, input, kernels, bias, out); });
    return result.give();
}

bool as_image_shape(PyObject* object, npy_intp* shape) {
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
    if (!grad || !weight || PyArray_NDIM(weight) != 4 || !as_image_shape(slots[2], shape) || !read_settings(slots + 3, g)) return nullptr;
    if (!complete(g, shape, PyArray_DIMS(weight)) || !fits(grad, g)) return nullptr;
    const T *slope = data_of<T>(grad), *kernels = data_of<T>(weight);
    if (!all_finite(kernels, PyArray_SIZE(weight))) return nullptr;  // they meet zeros that are no elements of grad
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { backward_input_run(g, slope, kernels, out); });
    return result.give();
}

template <class T>
PyObject* backward_weight(PyObject** slots) {
    PyArrayObject *grad = plain(slots[0], descr_of<T>()), *x = plain(slots[1], descr_of<T>());
    Geometry g;
    npy_intp shape[4];
    if (!grad || !x || PyArray_NDIM(x) != 4 || !as_image_shape(slots[2], shape) || !read_settings(slots + 3, g)) return nullptr;
    if (!complete(g, PyArray_DIMS(x), shape) || !fits(grad, g)) return nullptr;
    const T *slope = data_of<T>(grad), *input = data_of<T>(x);
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    bool numbers = true;
    unlocked_if_large(g.work(), [&] {
        if (g.single())
            numbers = single_backward_weight(g, slope, input, out);
        else if (!slopes_by_tiles(g, forward_correlation(g), slope, input, out) &&
                 !(has_plane_lines<T>(g) && lines_backward_weight(g, slope, input, out)))
            backward_weight_panels(g, slope, input, out);
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

// ---- for the dispatcher ---------------------------------------------------------------------------------------------
// A number for each of `count` dimensions, as those of planes: a signal is one row, where `other` is the number.
bool as_options(PyObject* object, int count, index_t other, index_t* value) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != count) return false;
    value[0] = other;
    for (int i = 0; i < count; ++i)
        if (!PyLong_CheckExact(PyTuple_GET_ITEM(object, i)) || !as_index(PyTuple_GET_ITEM(object, i), value[2 - count + i])) return false;
    return true;
}
void as_planes(PyArrayObject* array, index_t* shape) {
    const int ndim = PyArray_NDIM(array);
    shape[0] = PyArray_DIM(array, 0), shape[1] = PyArray_DIM(array, 1);
    shape[2] = ndim == 4 ? PyArray_DIM(array, 2) : 1, shape[3] = PyArray_DIM(array, ndim - 1);
}

// What a call of `convolution` asks for, in one dimension or two.
template <class T>
struct Asked {
    PyArrayObject *x, *weight;
    const T* bias = nullptr;
    int count = 0;
    bool transposed = false;
    index_t input[4], kernels[4], further[2];
    Geometry g;

    bool read(PyObject* const* args) {
        x = rows_only(args[0], descr_of<T>()), weight = rows_only(args[1], descr_of<T>());
        if (!x || !weight || PyArray_NDIM(x) < 3 || PyArray_NDIM(x) > 4 || PyArray_NDIM(weight) != PyArray_NDIM(x)) return false;
        count = PyArray_NDIM(x) - 2;
        as_planes(x, input);
        as_planes(weight, kernels);
        if (!as_options(args[3], count, 1, g.stride) || !as_options(args[4], count, 0, g.padding) || !as_options(args[5], count, 1, g.dilation)) return false;
        if (!as_flag(args[6], transposed) || !as_options(args[7], count, 0, further) || !PyLong_CheckExact(args[8])) return false;
        if (!as_index(args[8], g.groups) || g.groups < 1) return false;
        const Size outputs = transposed ? Size(kernels[1]) * g.groups : Size(kernels[0]);
        if (!outputs.fits() || !optional_data(args[2], outputs.value(), bias)) return false;
        return !bias || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[2])) == 1;
    }
    PyArrayObject* made(index_t channels, index_t height, index_t width) const {
        const index_t shape[4] = {input[0], channels, height, width}, line[3] = {input[0], channels, width};
        return new_array(descr_of<T>(), count + 2, count == 2 ? shape : line);
    }
    // The lengths of a transposed convolution's result.
    bool lengthen(index_t* shape) const {
        shape[0] = input[0], shape[1] = kernels[1] * g.groups;
        for (int a = 0; a < 2; ++a) {
            if (g.stride[a] < 1 || g.padding[a] < 0 || g.dilation[a] < 1 || further[a] < 0) return false;
            if (further[a] > 0 && further[a] >= g.stride[a]) return false;
            const Size length = Size(input[2 + a] - 1) * g.stride[a] - Size(2) * g.padding[a] + Size(g.dilation[a]) * (kernels[2 + a] - 1) + further[a] + 1;
            if (!length.fits() || length.value() < 1) return false;
            shape[2 + a] = length.value();
        }
        return true;
    }
};

template <class T>
PyObject* transposed_convolution(Asked<T>& asked) {
    Geometry& g = asked.g;
    index_t shape[4];
    if (!asked.lengthen(shape) || !complete(g, shape, asked.kernels)) return nullptr;
    const index_t* input = asked.input;
    if (g.kernels != input[1] || g.out_height != input[2] || g.out_width != input[3]) return nullptr;
    const T *slope = data_of<T>(asked.x), *kernels = data_of<T>(asked.weight), *bias = asked.bias;
    if (!all_finite(kernels, PyArray_SIZE(asked.weight))) return nullptr;  // as for the gradient
    Owned result(asked.made(shape[1], shape[2], shape[3]));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] {
        backward_input_run(g, slope, kernels, out);
        const index_t area = shape[2] * shape[3];
        for (index_t plane = 0; bias && plane < shape[0] * shape[1]; ++plane)
            loops<T>().binary[ADD](out + plane * area, 1, bias + plane % shape[1], 0, out + plane * area, area);
    });
    return result.give();
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
template <class T>
PyObject* convolution(PyObject* const* args) {
    Asked<T> asked;
    if (!asked.read(args)) return nullptr;
    if (asked.transposed) return transposed_convolution(asked);
    Geometry& g = asked.g;
    if (asked.further[0] || asked.further[1] || !complete(g, asked.input, asked.kernels)) return nullptr;
    Owned result(asked.made(g.kernels, g.out_height, g.out_width));
    if (!result) return nullptr;
    const T *input = data_of<T>(asked.x), *kernels = data_of<T>(asked.weight), *bias = asked.bias;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { forward_run(g, input, kernels, bias, out); });
    return result.give();
}

// One number for all of `count` dimensions, or a tuple of so many; a new reference, or null without an error.
PyObject* spread_option(PyObject* given, int count) {
    if (PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == count) return Py_NewRef(given);
    if (!PyLong_CheckExact(given)) return nullptr;
    return count == 1 ? PyTuple_Pack(1, given) : PyTuple_Pack(2, given, given);
}

// The arguments of `convolution` for (input, weight, bias, then four options, of which three are of each dimension).
template <int count, bool transposed>
PyObject* convolution_arguments(PyObject* const* args) {
    PyArrayObject *x = plain(args[0]), *weight = plain(args[1]);
    if (!x || !weight || PyArray_NDIM(x) != count + 2 || PyArray_NDIM(weight) != count + 2) return nullptr;
    if (args[2] != Py_None && !PyArray_CheckExact(args[2])) return nullptr;
    PyObject* none = PyLong_FromLong(0);
    PyObject* stride = none ? spread_option(args[3], count) : nullptr;
    PyObject* padding = stride ? spread_option(args[4], count) : nullptr;
    PyObject* dilation = padding ? spread_option(args[transposed ? 7 : 5], count) : nullptr;
    PyObject* further = dilation ? spread_option(transposed ? args[5] : none, count) : nullptr;
    PyObject* found = nullptr;
    if (further)
        found = Py_BuildValue("OOOOOOOOO", Py_None, Py_None, Py_None, stride, padding, dilation, transposed ? Py_True : Py_False, further, args[6]);
    for (PyObject* each : {none, stride, padding, dilation, further}) Py_XDECREF(each);
    return found;
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
    direct_method("direct_convolution", direct<9, by_element<convolution<float>, convolution<double>>>,
                  "convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups), or NotImplemented"),
    direct_method("direct_conv1d_arguments", direct<7, convolution_arguments<1, false>>, "those of convolution, or NotImplemented"),
    direct_method("direct_conv2d_arguments", direct<7, convolution_arguments<2, false>>, "those of convolution, or NotImplemented"),
    direct_method("direct_conv_transpose1d_arguments", direct<8, convolution_arguments<1, true>>, "those of convolution, or NotImplemented"),
    direct_method("direct_conv_transpose2d_arguments", direct<8, convolution_arguments<2, true>>, "those of convolution, or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList conv_list(conv_methods);

}  // namespace
}  // namespace wengert
