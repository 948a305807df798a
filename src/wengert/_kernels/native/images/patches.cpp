// Patches of images as columns and back, channels as pixels and back, channels in another order: for the dispatcher
// only.
#include "binding/elements.hpp"
#include "binding/memory_order.hpp"
#include "binding/moves.hpp"

#include <limits>

namespace wengert {
namespace {

using Call = PyObject* const*;

// One number for rows and columns, or a pair.
bool as_sizes(PyObject* object, npy_intp* value) {
    if (!PyLong_CheckExact(object)) return as_pair(object, value);
    if (!as_index(object, value[0])) return false;
    value[1] = value[0];
    return true;
}

// The geometry of patches in planes (N, C, H, W).
struct Patches {
    npy_intp images = 1, channels, plane[2], kernel[2], dilation[2], padding[2], stride[2], count[2];

    bool read(Call args) {  // kernel_size, dilation, padding, stride
        return as_sizes(args[0], kernel) && as_sizes(args[1], dilation) && as_sizes(args[2], padding) &&
               as_sizes(args[3], stride);
    }
    bool complete() {
        Size room = Size(images) * channels * 16;
        for (int a = 0; a < 2; ++a) {
            if (kernel[a] < 1 || dilation[a] < 1 || padding[a] < 0 || stride[a] < 1 || plane[a] < 1) return false;
            const Size last = Size(plane[a]) + Size(2) * padding[a] - Size(dilation[a]) * (kernel[a] - 1) - 1;
            if (!last.fits() || last.value() < 0) return false;
            count[a] = last.value() / stride[a] + 1;
            room = room * kernel[a] * (Size(count[a]) + plane[a]);
        }
        return room.fits();
    }
    npy_intp rows() const { return channels * kernel[0] * kernel[1]; }
    npy_intp positions() const { return count[0] * count[1]; }

    // visit(element of the image, element of the columns) for each pair that lies in the plane; of both the flat
    // places.
    template <class Visit> void walk(npy_intp first, npy_intp last, const Visit& visit) const {
        for (npy_intp row = first; row < last; ++row) {  // of all images
            const npy_intp tap = row % (kernel[0] * kernel[1]), channel = row / (kernel[0] * kernel[1]);
            const npy_intp down = tap / kernel[1] * dilation[0] - padding[0],
                           along = tap % kernel[1] * dilation[1] - padding[1];
            for (npy_intp i = 0; i < count[0]; ++i) {
                const npy_intp y = i * stride[0] + down;
                if (y < 0 || y >= plane[0]) continue;
                for (npy_intp j = 0; j < count[1]; ++j) {
                    const npy_intp x = j * stride[1] + along;
                    if (x < 0 || x >= plane[1]) continue;
                    visit((channel * plane[0] + y) * plane[1] + x, (row * count[0] + i) * count[1] + j);
                }
            }
        }
    }
};

// im2col(input, kernel_size, dilation, padding, stride)
template <class T> PyObject* to_columns(Call args) {
    PyArrayObject* x = plain(args[0], descr_of<T>());
    Patches p;
    if (!x || PyArray_NDIM(x) < 3 || PyArray_NDIM(x) > 4 || PyArray_SIZE(x) == 0 || !p.read(args + 1)) return nullptr;
    const int ndim = PyArray_NDIM(x);
    const npy_intp* shape = PyArray_DIMS(x);
    if (ndim == 4) p.images = shape[0];
    p.channels = shape[ndim - 3], p.plane[0] = shape[ndim - 2], p.plane[1] = shape[ndim - 1];
    if (!p.complete() || p.images * p.rows() * p.positions() > most_elements) return nullptr;
    const npy_intp result_shape[3] = {p.images, p.rows(), p.positions()};
    Owned result(new_zeros(descr_of<T>(), ndim - 1, result_shape + (4 - ndim)));
    if (!result) return nullptr;
    const T* image = data_of<T>(x);
    T* columns = data_of<T>(result.get());
    const npy_intp size = p.images * p.rows() * p.positions();
    ReleaseGil unlocked(size >= thread_threshold);
    parallel_for(p.images * p.rows(), p.positions(), [&](npy_intp first, npy_intp last) {
        p.walk(first, last, [=](npy_intp element, npy_intp column) { columns[column] = image[element]; });
    });
    return result.give();
}

// col2im(input, output_size, kernel_size, dilation, padding, stride)
template <class T> PyObject* from_columns(Call args) {
    PyArrayObject* x = plain(args[0], descr_of<T>());
    Patches p;
    if (!x || PyArray_NDIM(x) < 2 || PyArray_NDIM(x) > 3 || PyArray_SIZE(x) == 0) return nullptr;
    if (!as_sizes(args[1], p.plane) || !p.read(args + 2)) return nullptr;
    const int ndim = PyArray_NDIM(x);
    const npy_intp rows = PyArray_DIM(x, ndim - 2);
    if (ndim == 3) p.images = PyArray_DIM(x, 0);
    if (p.kernel[0] < 1 || p.kernel[1] < 1 || !(Size(p.kernel[0]) * p.kernel[1]).fits() ||
        rows % (p.kernel[0] * p.kernel[1]))
        return nullptr;
    p.channels = rows / (p.kernel[0] * p.kernel[1]);
    if (!p.complete() || p.positions() != PyArray_DIM(x, ndim - 1)) return nullptr;
    const npy_intp shape[4] = {p.images, p.channels, p.plane[0], p.plane[1]};
    Owned result(new_zeros(descr_of<T>(), ndim + 1, shape + (3 - ndim)));
    if (!result) return nullptr;
    const T* columns = data_of<T>(x);
    T* image = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    const npy_intp taps = p.kernel[0] * p.kernel[1];
    parallel_for(p.images * p.channels, (Size(taps) * p.positions()).value_or_most(),
                 [&](npy_intp first, npy_intp last) {
                     p.walk(first * taps, last * taps,
                            [=](npy_intp element, npy_intp column) { image[element] += columns[column]; });
                 });
    return result.give();
}

// ---- permuted copies ------------------------------------------------------------------------------------------------
// The elements of an array, its dimensions cut into `ndim` of these lengths and strides.
PyObject* permuted(PyArrayObject* x, int ndim, const npy_intp* lengths, const npy_intp* strides,
                   const npy_intp* shape) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), shape));
    if (!result) return nullptr;
    const npy_intp bytes = PyArray_ITEMSIZE(x);
    npy_intp rows[most_dims], step = bytes;
    for (int i = ndim - 1; i >= 0; --i) rows[i] = step, step *= lengths[i];
    move_elements(ndim, lengths, PyArray_BYTES(result.get()), rows, PyArray_BYTES(x), strides, bytes);
    return result.give();
}

// Numbers in at least three dimensions, and a factor of at least 1.
PyArrayObject* planes(Call args, npy_intp& factor) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    auto* x = reinterpret_cast<PyArrayObject*>(args[0]);
    const npy_intp size = PyArray_SIZE(x);
    if (!holds_numbers(x) || PyArray_NDIM(x) < 3 || PyArray_NDIM(x) > most_dims - 4 || size == 0) return nullptr;
    return PyLong_CheckExact(args[1]) && as_index(args[1], factor) && factor >= 1 && factor <= size ? x : nullptr;
}
struct Cut {
    int ndim = 0;
    npy_intp lengths[most_dims], strides[most_dims];
    void add(npy_intp length, npy_intp stride) { lengths[ndim] = length, strides[ndim++] = stride; }
};
Cut leading(PyArrayObject* x, int count) {
    Cut cut;
    for (int i = 0; i < count; ++i) cut.add(PyArray_DIM(x, i), PyArray_STRIDE(x, i));
    return cut;
}

// pixel_shuffle(input, upscale_factor)
PyObject* pixel_shuffle(Call args) {
    npy_intp r = 0, shape[most_dims];
    PyArrayObject* x = planes(args, r);
    if (!x || r > std::numeric_limits<int32_t>::max()) return nullptr;
    const int at = PyArray_NDIM(x) - 3;
    const npy_intp *dims = PyArray_DIMS(x), *strides = PyArray_STRIDES(x);
    if (dims[at] % (r * r)) return nullptr;
    std::copy(dims, dims + at, shape);
    shape[at] = dims[at] / (r * r), shape[at + 1] = dims[at + 1] * r, shape[at + 2] = dims[at + 2] * r;
    Cut cut = leading(x, at);
    cut.add(shape[at], strides[at] * r * r);
    cut.add(dims[at + 1], strides[at + 1]);
    cut.add(r, strides[at] * r);
    cut.add(dims[at + 2], strides[at + 2]);
    cut.add(r, strides[at]);
    return permuted(x, cut.ndim, cut.lengths, cut.strides, shape);
}

// pixel_unshuffle(input, downscale_factor)
PyObject* pixel_unshuffle(Call args) {
    npy_intp r = 0, shape[most_dims];
    PyArrayObject* x = planes(args, r);
    if (!x) return nullptr;
    const int at = PyArray_NDIM(x) - 3;
    const npy_intp *dims = PyArray_DIMS(x), *strides = PyArray_STRIDES(x);
    if (dims[at + 1] % r || dims[at + 2] % r) return nullptr;
    std::copy(dims, dims + at, shape);
    shape[at] = dims[at] * r * r, shape[at + 1] = dims[at + 1] / r, shape[at + 2] = dims[at + 2] / r;
    Cut cut = leading(x, at + 1);
    cut.add(r, strides[at + 1]);
    cut.add(r, strides[at + 2]);
    cut.add(shape[at + 1], strides[at + 1] * r);
    cut.add(shape[at + 2], strides[at + 2] * r);
    return permuted(x, cut.ndim, cut.lengths, cut.strides, shape);
}

// channel_shuffle(self, groups)
PyObject* channel_shuffle(Call args) {
    npy_intp groups = 0;
    PyArrayObject* x = planes(args, groups);
    if (!x || !is_row_major(x) || PyArray_DIM(x, 1) % groups) return nullptr;
    const npy_intp stride = PyArray_STRIDE(x, 1), inside = PyArray_DIM(x, 1) / groups;
    Cut cut = leading(x, 1);
    cut.add(inside, stride);
    cut.add(groups, stride * inside);
    for (int i = 2; i < PyArray_NDIM(x); ++i) cut.add(PyArray_DIM(x, i), PyArray_STRIDE(x, i));
    return permuted(x, cut.ndim, cut.lengths, cut.strides, PyArray_DIMS(x));
}

Methods patches_methods({
    WENGERT_ENTRY(im2col, "(input, kernel_size, dilation, padding, stride)",
                  on_contiguous<direct<5, by_element<to_columns<float>, to_columns<double>>>, few_with_gaps>),
    WENGERT_ENTRY(col2im, "(input, output_size, kernel_size, dilation, padding, stride)",
                  on_contiguous<direct<6, by_element<from_columns<float>, from_columns<double>>>, few_with_gaps>),
    WENGERT_ENTRY(pixel_shuffle, "(input, upscale_factor)", on_contiguous<direct<2, pixel_shuffle>, few_with_gaps>),
    WENGERT_ENTRY(pixel_unshuffle, "(input, downscale_factor)",
                  on_contiguous<direct<2, pixel_unshuffle>, few_with_gaps>),
    WENGERT_ENTRY(channel_shuffle, "(self, groups)", on_contiguous<direct<2, channel_shuffle>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
