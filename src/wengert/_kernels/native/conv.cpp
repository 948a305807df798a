// conv2d and its gradients without im2col. Each image is copied once into a padded buffer; with stride 1 the places of a
// plane, counted along the padded rows, then are neighbours in memory, and so are what the kernel's elements see of them. The
// places between the rows' ends are computed too and dropped. Larger strides first pick what the kernel sees (see `gathered`).
#include "common.hpp"
#include "conv_core.hpp"

namespace wengert {
namespace {

Twin conv_twin("conv2d"), input_twin("conv2d_backward_input"), weight_twin("conv2d_backward_weight");
Twin bias_twin("conv2d_backward_bias");

bool read_settings(PyObject** slots, Geometry& g) {
    return as_pair(slots[0], g.stride) && as_pair(slots[1], g.padding) && as_pair(slots[2], g.dilation) && as_index(slots[3], g.groups);
}

// What the kernel sees of one channel: (rows * columns, places), from its framed plane. For strides other than 1.
template <class T>
void gather_plane(const Geometry& g, const T* framed, npy_intp pitch, T* out) {
    for (npy_intp i = 0; i < g.rows; ++i)
        for (npy_intp j = 0; j < g.columns; ++j)
            for (npy_intp r = 0; r < g.out_height; ++r) {
                const T* row = framed + (r * g.stride[0] + i * g.dilation[0]) * pitch + j * g.dilation[1];
                for (npy_intp c = 0; c < g.out_width; ++c) *out++ = row[c * g.stride[1]];
            }
}

template <class T>
void forward_run(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    const Frame f = {g.height + 2 * g.padding[0], g.width + 2 * g.padding[1], g.padding[0], g.padding[1], 1, 1};
    const bool gathered = g.stride[0] != 1 || g.stride[1] != 1;
    Core<T> core;
    core.groups = g.groups, core.group_channels = g.depth_channels, core.group_kernels = g.kernels / g.groups;
    core.depth = g.depth(), core.out_height = g.out_height, core.out_width = g.out_width;
    const npy_intp places = g.out_height * g.out_width, taps = g.rows * g.columns;
    core.plane = gathered ? taps * places : f.height * f.width;
    core.pitch = gathered ? g.out_width : f.width;
    if (gathered)
        kernel_offsets(core, g.rows, g.columns, g.columns * places, places);
    else
        kernel_offsets(core, g.rows, g.columns, g.dilation[0] * f.width, g.dilation[1]);
    lay_out(core);
    pack_weights(core, [&](npy_intp o, npy_intp k) { return weight[o * core.depth + k]; });
    run_core(core, g.images, bias, out, [&](npy_intp n, T* image) {
        std::unique_ptr<T[]> framed(gathered ? new T[static_cast<size_t>(f.height * f.width)] : nullptr);
        for (npy_intp c = 0; c < g.channels; ++c) {
            const T* plane = x + (n * g.channels + c) * g.height * g.width;
            frame_plane(plane, g.height, g.width, f, gathered ? framed.get() : image + c * core.plane);
            if (gathered) gather_plane(g, framed.get(), f.width, image + c * core.plane);
        }
    });
}

// The gradient of the input is a correlation of the gradient, its elements `stride` apart in zeros, with the kernels turned
// round and their channels exchanged.
template <class T>
void backward_input_run(const Geometry& g, const T* grad, const T* weight, T* out) {
    const npy_intp reach_down = g.dilation[0] * (g.rows - 1), reach_right = g.dilation[1] * (g.columns - 1);
    const Frame f = {g.height + reach_down, g.width + reach_right, reach_down - g.padding[0], reach_right - g.padding[1],
                     g.stride[0], g.stride[1]};
    Core<T> core;
    const npy_intp group_kernels = g.kernels / g.groups, taps = g.rows * g.columns;
    core.groups = g.groups, core.group_channels = group_kernels, core.group_kernels = g.depth_channels;
    core.depth = group_kernels * taps, core.out_height = g.height, core.out_width = g.width;
    core.plane = f.height * f.width;
    core.pitch = f.width;
    kernel_offsets(core, g.rows, g.columns, g.dilation[0] * f.width, g.dilation[1]);
    lay_out(core);
    pack_weights(core, [&](npy_intp channel, npy_intp k) {
        const npy_intp group = channel / g.depth_channels, c = channel % g.depth_channels;
        const npy_intp o = group * group_kernels + k / taps, tap = taps - 1 - k % taps;
        return weight[(o * g.depth_channels + c) * taps + tap];
    });
    run_core(core, g.images, static_cast<const T*>(nullptr), out, [&](npy_intp n, T* image) {
        for (npy_intp o = 0; o < g.kernels; ++o)
            frame_plane(grad + (n * g.kernels + o) * g.out_height * g.out_width, g.out_height, g.out_width, f, image + o * core.plane);
    });
}

// Images side by side for the gradient of the kernels: inputs framed (or gathered), gradients with rows as long as the
// inputs', filled up with zeros. A zero times what lies there must be zero, hence the check for infinities and NaN.
template <class T>
struct Chunk {
    npy_intp input_plane, input_size, grad_plane, grad_size, vectors, images;
    std::unique_ptr<T[]> inputs, grads;
};

template <class T>
bool all_finite(const T* x, npy_intp count) {
    T check = 0;
    for (npy_intp i = 0; i < count; ++i) check += x[i] * T(0);
    return check == T(0);
}

template <class T>
void weight_tiles(const Geometry& g, const Chunk<T>& chunk, const npy_intp* offsets, npy_intp images, double* totals) {
    const npy_intp group_kernels = g.kernels / g.groups, depth = g.depth();
    const npy_intp down = (group_kernels + conv_rows - 1) / conv_rows, across = (depth + conv_columns - 1) / conv_columns;
    const npy_intp cost = images * chunk.vectors * conv_rows * conv_columns;
    parallel_for(g.groups * down * across, cost, [&](npy_intp begin, npy_intp end) {
        for (npy_intp item = begin; item < end; ++item) {
            const npy_intp group = item / (down * across), o = item / across % down * conv_rows, k = item % across * conv_columns;
            const T *slopes[conv_rows], *places[conv_columns];
            double sums[conv_rows * conv_columns] = {};
            for (npy_intp r = 0; r < conv_rows; ++r) {
                const npy_intp kernel = o + r < group_kernels ? o + r : o;
                slopes[r] = chunk.grads.get() + (group * group_kernels + kernel) * chunk.grad_plane;
            }
            for (npy_intp c = 0; c < conv_columns; ++c)
                places[c] = chunk.inputs.get() + group * g.depth_channels * chunk.input_plane + offsets[k + c < depth ? k + c : k];
            loops<T>().conv_weight_tile(slopes, chunk.grad_size, places, chunk.input_size, images, chunk.vectors, sums);
            for (npy_intp r = 0; r < conv_rows && o + r < group_kernels; ++r)
                for (npy_intp c = 0; c < conv_columns && k + c < depth; ++c)
                    totals[(group * group_kernels + o + r) * depth + k + c] += sums[r * conv_columns + c];
        }
    });
}

// Copies images [first, first + images) and their gradients into the chunk.
template <class T>
void fill_chunk(const Geometry& g, const Frame& f, bool gathered, npy_intp pitch, const T* grad, const T* x, npy_intp first,
                npy_intp images, Chunk<T>& chunk) {
    const npy_intp places = g.out_height * g.out_width;
    parallel_for(images, chunk.input_size + chunk.grad_size, [&](npy_intp begin, npy_intp end) {
        std::unique_ptr<T[]> framed(gathered ? new T[static_cast<size_t>(f.height * f.width)] : nullptr);
        for (npy_intp n = begin; n < end; ++n) {
            for (npy_intp c = 0; c < g.channels; ++c) {
                const T* plane = x + ((first + n) * g.channels + c) * g.height * g.width;
                T* target = chunk.inputs.get() + n * chunk.input_size + c * chunk.input_plane;
                frame_plane(plane, g.height, g.width, f, gathered ? framed.get() : target);
                if (gathered) gather_plane(g, framed.get(), f.width, target);
            }
            for (npy_intp o = 0; o < g.kernels; ++o) {
                const T* plane = grad + ((first + n) * g.kernels + o) * places;
                T* target = chunk.grads.get() + n * chunk.grad_size + o * chunk.grad_plane;
                for (npy_intp r = 0; r < g.out_height; ++r)
                    std::memcpy(target + r * pitch, plane + r * g.out_width, static_cast<size_t>(g.out_width) * sizeof(T));
            }
        }
    });
}

template <class T>
void backward_weight_run(const Geometry& g, const T* grad, const T* x, T* out) {
    const Frame f = {g.height + 2 * g.padding[0], g.width + 2 * g.padding[1], g.padding[0], g.padding[1], 1, 1};
    const bool gathered = g.stride[0] != 1 || g.stride[1] != 1;
    const npy_intp lanes = loops<T>().lanes, places = g.out_height * g.out_width, taps = g.rows * g.columns;
    const npy_intp pitch = gathered ? g.out_width : f.width;
    Chunk<T> chunk;
    chunk.vectors = ((g.out_height - 1) * pitch + g.out_width + lanes - 1) / lanes;
    chunk.grad_plane = chunk.vectors * lanes;
    chunk.grad_size = g.kernels * chunk.grad_plane;
    chunk.input_plane = gathered ? taps * places : f.height * f.width;
    chunk.input_size = g.channels * chunk.input_plane;
    constexpr npy_intp chunk_bytes = 1 << 20;  // what a processor's second cache holds
    chunk.images = chunk_bytes / ((chunk.input_size + chunk.grad_size) * static_cast<npy_intp>(sizeof(T))) + 1;
    if (chunk.images > g.images) chunk.images = g.images;
    chunk.inputs.reset(new T[static_cast<size_t>(chunk.images * chunk.input_size + 4 * lanes)]());
    chunk.grads.reset(new T[static_cast<size_t>(chunk.images * chunk.grad_size)]());
    Core<T> core;
    core.group_channels = g.depth_channels, core.plane = chunk.input_plane;
    if (gathered)
        kernel_offsets(core, g.rows, g.columns, g.columns * places, places);
    else
        kernel_offsets(core, g.rows, g.columns, g.dilation[0] * f.width, g.dilation[1]);
    std::vector<double> totals(static_cast<size_t>(g.kernels * g.depth()), 0.0);
    for (npy_intp first = 0; first < g.images; first += chunk.images) {
        const npy_intp images = g.images - first < chunk.images ? g.images - first : chunk.images;
        fill_chunk(g, f, gathered, pitch, grad, x, first, images, chunk);
        weight_tiles(g, chunk, core.offsets.data(), images, totals.data());
    }
    for (size_t i = 0; i < totals.size(); ++i) out[i] = static_cast<T>(totals[i]);
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
    unlocked_if_large(g.work(), [&] { backward_input_run(g, slope, kernels, out); });
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
    if (!all_finite(input, PyArray_SIZE(x))) return nullptr;
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { backward_weight_run(g, slope, input, out); });
    return result.give();
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
                for (npy_intp n = 0; n < images; ++n) total += loops<T>().row_sum(slope + (n * kernels + o) * places, places);
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
