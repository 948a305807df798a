// Images sampled at positions between their elements, and the rules: for the dispatcher only.
#include "binding/memory_order.hpp"

#include <algorithm>
#include <atomic>

namespace wengert {
namespace {

using Call = PyObject* const*;

enum Mode { BILINEAR, NEAREST, BICUBIC, NO_MODE };
enum Padding { ZEROS, BORDER, REFLECTION, NO_PADDING };

// Images (N, C, H, W) and a grid (N, rows, columns, 2) of places in them.
struct Sampling {
    npy_intp images, channels, lengths[2], rows,
        columns;  // `lengths` as coordinates have them: columns of the image first
    Mode mode;
    Padding padding;
    bool align = false;

    npy_intp area() const { return lengths[0] * lengths[1]; }
    npy_intp positions() const { return rows * columns; }
    npy_intp cost() const { return (Size(positions()) * (channels + 8) * (mode == BICUBIC ? 16 : 4)).value_or_most(); }
    bool large() const { return (Size(images) * cost()).value_or_most() >= 4 * thread_threshold; }

    bool read(Call args) {  // mode, padding, align_corners
        mode = static_cast<Mode>(number_of_text(args[0], {"bilinear", "nearest", "bicubic"}));
        padding = static_cast<Padding>(number_of_text(args[1], {"zeros", "border", "reflection"}));
        return mode != NO_MODE && padding != NO_PADDING && as_flag(args[2], align);
    }
    bool of(const npy_intp* image, const npy_intp* grid) {
        images = image[0], channels = image[1], lengths[0] = image[3], lengths[1] = image[2];
        rows = grid[1], columns = grid[2];
        const bool full = images > 0 && channels > 0 && lengths[0] > 0 && lengths[1] > 0 && rows > 0 && columns > 0;
        const bool fits =
            ((Size(rows) * columns + Size(lengths[0]) * lengths[1]) * images * (Size(channels) + 2) * 16).fits();
        const bool short_enough =
            (Size(lengths[0]) * lengths[1]).value_or_most() < (npy_intp(1) << 31);  // places of 32 bits
        return full && fits && short_enough && grid[0] == images && grid[3] == 2;
    }
};

// An element along one dimension: its index, its weight, and the derivative of the weight by the coordinate.
template <class T> struct Tap {
    npy_intp index;
    T weight, derivative;
};
template <class T> struct Taps {
    int count;
    Tap<T> tap[4];
};

// A coordinate reflected at the ends; `sign` is the derivative by the original coordinate.
template <class T> T mirrored(T at, T length, bool align, T& sign) {
    const T low = align ? T(0) : T(-0.5), span = align ? length - 1 : length;
    if (span == 0) {
        sign = 0;
        return at * 0;
    }
    const T away = std::fabs(at - low), side = at - low < 0 ? T(-1) : T(1);
    const T turns = std::floor(away / span), rest = away - turns * span;
    const bool odd = std::fmod(turns, T(2)) == 1;
    sign = odd ? -side : side;
    return (odd ? span - rest : rest) + low;
}
// A coordinate after padding; `sign` is the derivative by the original coordinate.
template <class T> T inside(T at, T length, const Sampling& s, T& sign) {
    sign = 1;
    if (s.padding == ZEROS) return at;
    if (s.padding == REFLECTION) at = mirrored(at, length, s.align, sign);
    sign = at > 0 && at < length - 1 ? sign : T(0);
    return std::min(std::max(at, T(0)), length - 1);
}

// The greatest whole number that is not above a place; `of` and `near_enough` see to it that it is an integer of 62
// bits.
template <class T> T floor_of(T at) {
    const T cut = static_cast<T>(static_cast<npy_intp>(at));
    return cut > at ? cut - 1 : cut;
}

// The neighbours of a coordinate: where, weight, and derivative of that.
template <class T> int neighbours(T at, Mode mode, T* where, T* weight, T* derivative) {
    if (mode == NEAREST) {
        where[0] = std::nearbyint(at), weight[0] = 1, derivative[0] = 0;
        return 1;
    }
    const T low = floor_of(at), fraction = at - low;
    if (mode == BILINEAR) {
        where[0] = low, weight[0] = 1 - fraction, derivative[0] = -1;
        where[1] = low + 1, weight[1] = fraction, derivative[1] = 1;
        return 2;
    }
    constexpr T free = T(-0.75);
    const T away[4] = {fraction + 1, fraction, 1 - fraction, 2 - fraction};
    for (int k = 0; k < 4; ++k) {
        const T x = away[k];
        const bool outer = k == 0 || k == 3;
        where[k] = low + static_cast<T>(k - 1);
        weight[k] =
            outer ? ((free * x - 5 * free) * x + 8 * free) * x - 4 * free : ((free + 2) * x - (free + 3)) * x * x + 1;
        derivative[k] = outer ? (3 * free * x - 10 * free) * x + 8 * free : (3 * (free + 2) * x - 2 * (free + 3)) * x;
        if (k > 1) derivative[k] = -derivative[k];
    }
    return 4;
}

// The elements around a coordinate between -1 and 1. Their indices are always inside the image.
template <class T> Taps<T> taps_of(T coordinate, npy_intp count, const Sampling& s) {
    const T length = static_cast<T>(count), scale = s.align ? (length - 1) / 2 : length / 2;
    T at = (coordinate + 1) * scale - (s.align ? T(0) : T(0.5)), sign = 1, ignored, where[4], weight[4], derivative[4];
    if (s.mode != BICUBIC) at = inside(at, length, s, sign);
    Taps<T> taps;
    taps.count = neighbours(at, s.mode, where, weight, derivative);
    for (int k = 0; k < taps.count; ++k) {
        const T position = s.mode == BICUBIC ? inside(where[k], length, s, ignored) : where[k];
        const bool is_inside = position >= 0 && position <= length - 1;
        const T kept = is_inside ? T(1) : T(0);
        // Outside of the image the nearest element, with weight 0; a length that T rounds up is not an index.
        npy_intp index = position > 0 ? count - 1 : 0;
        if (is_inside) index = std::min(static_cast<npy_intp>(position), count - 1);
        taps.tap[k] = {index, weight[k] * kept, derivative[k] * sign * kept * scale};
    }
    return taps;
}

// visit(image, place, taps along, taps down) for all places of some images.
template <class T, class Visit>
void over_positions(const Sampling& s, const T* grid, npy_intp first, npy_intp last, const Visit& visit) {
    for (npy_intp n = first; n < last; ++n)
        for (npy_intp p = 0; p < s.positions(); ++p) {
            const T* at = grid + (n * s.positions() + p) * 2;
            visit(n, p, taps_of(at[0], s.lengths[0], s), taps_of(at[1], s.lengths[1], s));
        }
}

// A grid whose coordinates are numbers of moderate size; others are left to the body.
template <class T> bool near_enough(PyArrayObject* grid) {
    const T *at = data_of<T>(grid), limit = static_cast<T>(2147483648.0);
    return std::all_of(at, at + PyArray_SIZE(grid), [=](T coordinate) { return std::fabs(coordinate) < limit; });
}
template <class T> PyArrayObject* as_grid(PyObject* object) {
    PyArrayObject* grid = plain(object, descr_of<T>());
    return grid && PyArray_NDIM(grid) == 4 && near_enough<T>(grid) ? grid : nullptr;
}

// Elements outside of an image are multiplied by 0: if a result is NaN the body determines which elements these are.
template <class T> bool has_nan(const T* x, npy_intp count) {
    int strange = 0;
#pragma omp simd reduction(| : strange)
    for (npy_intp i = 0; i < count; ++i) strange |= x[i] != x[i];
    return strange != 0;
}
template <class T> PyObject* unless_nan(Owned& result) {
    return has_nan(data_of<T>(result.get()), PyArray_SIZE(result.get())) ? nullptr : result.give();
}

constexpr npy_intp strip = 64;  // places at a time

// The elements around places and their weights, neighbour by neighbour; how many neighbours a place has.
template <class T>
npy_intp general_taps(const Sampling& s, const T* grid, npy_intp positions, int32_t* index, T* weight) {
    npy_intp count = 0;
    for (npy_intp p = 0; p < positions; ++p) {
        const Taps<T> along = taps_of(grid[2 * p], s.lengths[0], s), down = taps_of(grid[2 * p + 1], s.lengths[1], s);
        count = along.count * down.count;
        npy_intp k = p;
        for (int i = 0; i < along.count; ++i)
            for (int j = 0; j < down.count; ++j, k += positions) {
                index[k] = static_cast<int32_t>(down.tap[j].index * s.lengths[0] + along.tap[i].index);
                weight[k] = along.tap[i].weight * down.tap[j].weight;
            }
    }
    return count;
}
// The two neighbours of every second coordinate along a dimension, and their weights, without a branch. A neighbour
// outside of the image has weight 0.
template <class T> struct Pairs {
    int32_t position[2][strip];
    T weight[2][strip];

    void find(const Sampling& s, int dimension, const T* coordinates, npy_intp positions) {
        const T length = static_cast<T>(s.lengths[dimension]), scale = s.align ? (length - 1) / 2 : length / 2;
        const T shift = s.align ? T(0) : T(0.5), edge = s.padding == BORDER ? T(0) : T(2), least = -edge,
                most = length - 1 + edge;
        const int32_t last = static_cast<int32_t>(s.lengths[dimension] - 1);
        for (npy_intp p = 0; p < positions; ++p) {
            T at = (coordinates[2 * p] + 1) * scale - shift;
            at = at < least ? least : at;
            at = at > most ? most : at;
            const int32_t cut = static_cast<int32_t>(at), low = cut - (static_cast<T>(cut) > at ? 1 : 0),
                          high = low + 1;
            const T fraction = at - static_cast<T>(low);
            weight[0][p] = (low >= 0) & (low <= last) ? 1 - fraction : T(0);
            weight[1][p] = (high >= 0) & (high <= last) ? fraction : T(0);
            const int32_t up = low < 0 ? 0 : low, next = high < 0 ? 0 : high;
            position[0][p] = up > last ? last : up;
            position[1][p] = next > last ? last : next;
        }
    }
};
template <class T>
npy_intp bilinear_taps(const Sampling& s, const T* grid, npy_intp positions, int32_t* index, T* weight) {
    const int32_t width = static_cast<int32_t>(s.lengths[0]);
    Pairs<T> along, down;
    along.find(s, 0, grid, positions), down.find(s, 1, grid + 1, positions);
    for (int k = 0; k < 4; ++k, index += positions, weight += positions)
        for (npy_intp p = 0; p < positions; ++p) {
            index[p] = down.position[k % 2][p] * width + along.position[k / 2][p];
            weight[p] = along.weight[k / 2][p] * down.weight[k % 2][p];
        }
    return 4;
}

// All channels of one image, for some places; whether NaN came out.
template <class T> bool sample_strip(const Sampling& s, const T* image, const T* grid, npy_intp positions, T* out) {
    constexpr npy_intp longest = npy_intp(1) << 22;  // up to which T holds the last element's place
    int32_t index[16 * strip];
    T weight[16 * strip];
    const bool simple =
        s.mode == BILINEAR && s.padding != REFLECTION && std::max(s.lengths[0], s.lengths[1]) <= longest;
    const npy_intp count =
        simple ? bilinear_taps(s, grid, positions, index, weight) : general_taps(s, grid, positions, index, weight);
    bool strange = false;
    for (npy_intp c = 0; c < s.channels; ++c, out += s.positions()) {
        loops<T>().weighed_elements(image + c * s.area(), index, weight, count, positions, out);
        strange |= has_nan(out, positions);
    }
    return strange;
}

// grid_sample(input, grid, mode, padding, align_corners)
template <class T> PyObject* forward(Call args) {
    PyArrayObject *x = row_major_only(args[0], descr_of<T>()), *grid = x ? as_grid<T>(args[1]) : nullptr;
    Sampling s;
    if (!grid || PyArray_NDIM(x) != 4 || !s.read(args + 2) || !s.of(PyArray_DIMS(x), PyArray_DIMS(grid)))
        return nullptr;
    const npy_intp shape[4] = {s.images, s.channels, s.rows, s.columns};
    Owned result(new_array(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    const T *image = data_of<T>(x), *positions = data_of<T>(grid);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(s.large());
    const npy_intp strips = (s.positions() + strip - 1) / strip;
    std::atomic<bool> strange{false};
    parallel_for(s.images * strips, s.cost() / strips, [=, &s, &strange](npy_intp first, npy_intp last) {
        for (npy_intp at = first; at < last; ++at) {
            const npy_intp n = at / strips, begin = at % strips * strip, count = std::min(strip, s.positions() - begin);
            const T *planes = image + n * s.channels * s.area(), *wanted = positions + (n * s.positions() + begin) * 2;
            if (sample_strip(s, planes, wanted, count, out + n * s.channels * s.positions() + begin)) strange = true;
        }
    });
    return strange ? nullptr : result.give();
}

// Its rule for the images: (grad, input_shape, grid, mode, padding, align_corners)
template <class T> PyObject* input_rule(Call args) {
    Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    PyArrayObject* grid = as_grid<T>(args[2]);
    npy_intp shape[most_dims];
    Sampling s;
    if (!grad || !grid || as_shape(args[1], shape) != 4 || !s.read(args + 3) || !s.of(shape, PyArray_DIMS(grid)))
        return nullptr;
    const npy_intp wanted[4] = {s.images, s.channels, s.rows, s.columns};
    if (PyArray_NDIM(grad.get()) != 4 || !std::equal(wanted, wanted + 4, PyArray_DIMS(grad.get()))) return nullptr;
    Owned result(new_zeros(descr_of<T>(), 4, shape));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad.get()), *positions = data_of<T>(grid);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(s.large());
    parallel_for(s.images, s.cost(), [=, &s](npy_intp first, npy_intp last) {
        over_positions(s, positions, first, last,
                       [=, &s](npy_intp n, npy_intp p, const Taps<T>& along, const Taps<T>& down) {
                           for (npy_intp c = 0; c < s.channels; ++c) {
                               T* plane = out + (n * s.channels + c) * s.area();
                               const T position_grad = grads[(n * s.channels + c) * s.positions() + p];
                               for (int i = 0; i < along.count; ++i)
                                   for (int j = 0; j < down.count; ++j)
                                       plane[down.tap[j].index * s.lengths[0] + along.tap[i].index] +=
                                           position_grad * (along.tap[i].weight * down.tap[j].weight);
                           }
                       });
    });
    return unless_nan<T>(result);
}

// Its rule for the grid: (grad, input, grid, grid_shape, mode, padding, align_corners)
template <class T> PyObject* grid_rule(Call args) {
    Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    PyArrayObject *x = plain(args[1], descr_of<T>()), *grid = as_grid<T>(args[2]);
    Sampling s;
    if (!grad || !x || !grid || PyArray_NDIM(x) != 4 || !s.read(args + 4) || !s.of(PyArray_DIMS(x), PyArray_DIMS(grid)))
        return nullptr;
    const npy_intp wanted[4] = {s.images, s.channels, s.rows, s.columns};
    if (PyArray_NDIM(grad.get()) != 4 || !std::equal(wanted, wanted + 4, PyArray_DIMS(grad.get()))) return nullptr;
    Owned result(new_zeros(descr_of<T>(), 4, PyArray_DIMS(grid)));
    if (!result) return nullptr;
    const T *grads = data_of<T>(grad.get()), *image = data_of<T>(x), *positions = data_of<T>(grid);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(s.large());
    parallel_for(s.images, s.cost(), [=, &s](npy_intp first, npy_intp last) {
        over_positions(s, positions, first, last,
                       [=, &s](npy_intp n, npy_intp p, const Taps<T>& along, const Taps<T>& down) {
                           T* target = out + (n * s.positions() + p) * 2;
                           for (int i = 0; i < along.count; ++i)
                               for (int j = 0; j < down.count; ++j) {
                                   const npy_intp element = down.tap[j].index * s.lengths[0] + along.tap[i].index;
                                   T product = 0;
                                   for (npy_intp c = n * s.channels; c < (n + 1) * s.channels; ++c)
                                       product += image[c * s.area() + element] * grads[c * s.positions() + p];
                                   target[0] += product * (along.tap[i].derivative * down.tap[j].weight);
                                   target[1] += product * (along.tap[i].weight * down.tap[j].derivative);
                               }
                       });
    });
    return unless_nan<T>(result);
}

Methods grid_methods({
    WENGERT_ENTRY(grid_sample, "(input, grid, mode, padding, align_corners)",
                  on_contiguous<direct<5, by_element<forward<float>, forward<double>>>, few_with_gaps>),
    direct_method("direct_grid_sample_input_rule",
                  on_contiguous<direct<6, by_element<input_rule<float>, input_rule<double>>>, few_with_gaps>,
                  "its rule (grad, input_shape, grid, mode, padding, align_corners), or NotImplemented"),
    direct_method("direct_grid_sample_grid_rule",
                  on_contiguous<direct<7, by_element<grid_rule<float>, grid_rule<double>>>, few_with_gaps>,
                  "its rule (grad, input, grid, grid_shape, mode, padding, align_corners), or NotImplemented"),
});

}  // namespace
}  // namespace wengert
