// Images and signals resampled to another size, dimension by dimension, and the transpose. For the dispatcher only.
#include "binding/memory_order.hpp"
#include "base/memory_limits.hpp"

#include <algorithm>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

enum Mode { NEAREST, NEAREST_EXACT, LINEAR, CUBIC, UNKNOWN };
// The mode of images with so many dimensions behind the first two.
Mode as_mode(PyObject* name, int count) {
    if (is_text(name, "nearest")) return NEAREST;
    if (is_text(name, "nearest-exact")) return NEAREST_EXACT;
    const char* linear = "trilinear";
    if (count == 1) linear = "linear";
    if (count == 2) linear = "bilinear";
    if (is_text(name, linear)) return LINEAR;
    return count == 2 && is_text(name, "bicubic") ? CUBIC : UNKNOWN;
}

// For each new position along an axis the `taps` old ones that it is computed from, and their weights.
template <class T> struct Plan {
    npy_intp length, count;
    int taps = 1;
    std::vector<npy_intp> positions;
    std::vector<T> weights;

    npy_intp inside(npy_intp position) const { return std::min(std::max<npy_intp>(position, 0), length - 1); }
    void add(npy_intp position, double weight) {
        positions.push_back(inside(position));
        weights.push_back(static_cast<T>(weight));
    }
};

// The weights of the four neighbours of a point at `fraction` between the second and the third, by the cubic kernel.
template <class T> void add_cubic(Plan<T>& plan, npy_intp first, double fraction) {
    constexpr double free = -0.75;
    const auto inner = [](double away) { return ((free + 2) * away - (free + 3)) * away * away + 1; };
    const auto outer = [](double away) { return ((free * away - 5 * free) * away + 8 * free) * away - 4 * free; };
    const double weights[4] = {outer(fraction + 1), inner(fraction), inner(1 - fraction), outer(2 - fraction)};
    for (int tap = 0; tap < 4; ++tap) plan.add(first - 1 + tap, weights[tap]);
}

// `scale` is 0 where none is given.
template <class T> Plan<T> plan_of(npy_intp length, npy_intp count, Mode mode, bool align, double scale) {
    Plan<T> plan;
    plan.length = length, plan.count = count;
    if (mode == LINEAR) plan.taps = 2;
    if (mode == CUBIC) plan.taps = 4;
    const auto wide = [](npy_intp number) { return static_cast<double>(number); };
    double pace = scale > 0 ? 1 / scale : wide(length) / wide(count);
    if (align) pace = count > 1 ? wide(length - 1) / wide(count - 1) : 0;
    const bool stays = length == count && (mode == NEAREST || mode == LINEAR);
    if (stays) plan.taps = 1;
    plan.positions.reserve(static_cast<size_t>(count * plan.taps));
    plan.weights.reserve(static_cast<size_t>(count * plan.taps));
    for (npy_intp at = 0; at < count; ++at) {
        if (stays || (mode == NEAREST && count == 2 * length)) {
            plan.add(stays ? at : at / 2, 1);
        } else if (mode == NEAREST || mode == NEAREST_EXACT) {
            const float middle = mode == NEAREST ? 0.0f : 0.5f;
            const float position = std::floor((static_cast<float>(at) + middle) * static_cast<float>(pace));
            plan.add(position < static_cast<float>(length) ? static_cast<npy_intp>(position) : length - 1, 1);
        } else {
            const T step = static_cast<T>(pace), half = static_cast<T>(0.5);
            T source = align ? static_cast<T>(at) * step : (static_cast<T>(at) + half) * step - half;
            source = std::min(source, static_cast<T>(length));  // so that it is an index
            if (mode == LINEAR) source = std::max(source, T(0));
            const npy_intp below = static_cast<npy_intp>(std::floor(source)),
                           first = mode == LINEAR ? plan.inside(below) : below;
            const double fraction = static_cast<double>(source) - wide(first);
            if (mode == CUBIC) {
                add_cubic(plan, first, fraction);
            } else {
                const T last = static_cast<T>(std::min(fraction, 1.0));
                plan.add(first, static_cast<double>(T(1) - last));
                plan.add(first + 1, static_cast<double>(last));
            }
        }
    }
    return plan;
}

// The last axis of (outer, length) resampled; `taps` are those of the plan.
template <int taps, class T> void along_lines(const Plan<T>& plan, npy_intp outer, const T* from, T* to) {
    parallel_for(outer, plan.count * taps, [=, &plan](npy_intp begin, npy_intp end) {
        for (npy_intp line = begin; line < end; ++line) {
            const T* source = from + line * plan.length;
            T* target = to + line * plan.count;
            const npy_intp* positions = plan.positions.data();
            const T* weights = plan.weights.data();
            for (npy_intp at = 0; at < plan.count; ++at, positions += taps, weights += taps) {
                T total = source[positions[0]];
                if (taps > 1) total *= weights[0];
#pragma GCC unroll 4
                for (int tap = 1; tap < taps; ++tap) total += source[positions[tap]] * weights[tap];
                target[at] = total;
            }
        }
    });
}
// One axis of (outer, length, inner) resampled.
template <class T> void along(const Plan<T>& plan, npy_intp outer, npy_intp inner, const T* from, T* to) {
    if (inner == 1) {
        const auto lines = plan.taps == 1 ? along_lines<1, T> : plan.taps == 2 ? along_lines<2, T> : along_lines<4, T>;
        return lines(plan, outer, from, to);
    }
    parallel_for(outer * plan.count, inner * plan.taps, [=, &plan](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row) {
            const npy_intp at = row % plan.count, block = row / plan.count * plan.length;
            const npy_intp* positions = plan.positions.data() + at * plan.taps;
            const T* weights = plan.weights.data() + at * plan.taps;
            T* target = to + row * inner;
            if (plan.taps == 1) {
                std::copy_n(from + (block + positions[0]) * inner, inner, target);
                continue;
            }
            const T* first = from + (block + positions[0]) * inner;
            for (npy_intp j = 0; j < inner; ++j) target[j] = first[j] * weights[0];
            for (int tap = 1; tap < plan.taps; ++tap) {
                const T *source = from + (block + positions[tap]) * inner, weight = weights[tap];
                for (npy_intp j = 0; j < inner; ++j) target[j] += source[j] * weight;
            }
        }
    });
}
// Its transpose.
template <class T> void transposed_along(const Plan<T>& plan, npy_intp outer, npy_intp inner, const T* from, T* to) {
    parallel_for(
        outer, (Size(plan.count) * inner * plan.taps).value_or_most(), [=, &plan](npy_intp begin, npy_intp end) {
            for (npy_intp block = begin; block < end; ++block) {
                std::fill_n(to + block * plan.length * inner, plan.length * inner, T(0));
                for (npy_intp at = 0; at < plan.count; ++at)
                    for (int tap = 0; tap < plan.taps; ++tap) {
                        const T *source = from + (block * plan.count + at) * inner,
                                weight = plan.weights[static_cast<size_t>(at * plan.taps + tap)];
                        T* target =
                            to +
                            (block * plan.length + plan.positions[static_cast<size_t>(at * plan.taps + tap)]) * inner;
                        for (npy_intp j = 0; j < inner; ++j) target[j] += source[j] * weight;
                    }
            }
        });
}

// The shapes of both sides, mode and options.
struct Request {
    int ndim;
    npy_intp small[5], large[5];  // the shapes of what is resampled and of what it becomes
    Mode mode;
    bool align = false;
    double scales[3] = {0, 0, 0};

    // Whether there may be memory for the result, and for the tables of its places.
    bool has_room(npy_intp itemsize) const {
        npy_intp bytes = itemsize;
        for (int i = 0; i < ndim; ++i) bytes *= large[i];
        for (int i = 2; i < ndim; ++i) bytes += 32 * large[i];
        return machine_has(static_cast<size_t>(bytes));
    }

    // mode, align_corners, scales, antialias
    bool read(Call args, npy_intp itemsize) {
        bool smooth = false;
        if (!as_flag(args[1], align) || !as_flag(args[3], smooth) || smooth) return false;
        mode = as_mode(args[0], ndim - 2);
        if (mode == UNKNOWN) return false;
        Size room(32);
        for (int i = 0; i < ndim; ++i) {
            if (small[i] < 1 || large[i] < 1) return false;
            room = room * (Size(small[i]) + large[i]);
        }
        if (!room.fits() || !has_room(itemsize)) return false;
        if (args[2] == Py_None) return true;
        if (!PyTuple_CheckExact(args[2]) || PyTuple_GET_SIZE(args[2]) != ndim - 2) return false;
        for (int i = 0; i < ndim - 2; ++i) {
            PyObject* scale = PyTuple_GET_ITEM(args[2], i);
            if (!PyFloat_CheckExact(scale) || !std::isfinite(PyFloat_AS_DOUBLE(scale))) return false;
            scales[i] = PyFloat_AS_DOUBLE(scale);
        }
        return true;
    }
};

template <class T> PyObject* resampled(const Request& r, PyArrayObject* x, bool back) {
    const npy_intp *from_shape = back ? r.large : r.small, *to_shape = back ? r.small : r.large;
    Owned result(new_array(descr_of<T>(), r.ndim, to_shape));
    if (!result) return nullptr;
    std::vector<Plan<T>> plans;
    npy_intp most = 0, shape[5], outer = 1;
    std::copy_n(from_shape, r.ndim, shape);
    for (int axis = 2; axis < r.ndim; ++axis) {
        plans.push_back(plan_of<T>(r.small[axis], r.large[axis], r.mode, r.align, r.scales[axis - 2]));
        shape[axis] = to_shape[axis];
        npy_intp size = 1;
        for (int i = 0; i < r.ndim; ++i) size *= shape[i];
        if (axis < r.ndim - 1) most = std::max(most, size);
    }
    std::vector<T> memory[2] = {std::vector<T>(static_cast<size_t>(most)),
                                std::vector<T>(static_cast<size_t>(r.ndim > 4 ? most : 0))};
    const T* source = data_of<T>(x);
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold || PyArray_SIZE(result.get()) >= thread_threshold);
    outer = from_shape[0] * from_shape[1];
    for (int axis = 2; axis < r.ndim; ++axis) {
        npy_intp inner = 1;
        for (int i = axis + 1; i < r.ndim; ++i) inner *= from_shape[i];
        T* target = axis == r.ndim - 1 ? data_of<T>(result.get()) : memory[axis % 2].data();
        const Plan<T>& plan = plans[static_cast<size_t>(axis - 2)];
        back ? transposed_along(plan, outer, inner, source, target) : along(plan, outer, inner, source, target);
        source = target;
        outer *= to_shape[axis];
    }
    return result.give();
}

// resample(self, size, mode, align_corners, scales, antialias)
template <class T> PyObject* forward(Call args) {
    PyArrayObject* x = row_major_only(args[0], descr_of<T>());
    Request r;
    if (!x || PyArray_NDIM(x) < 3 || PyArray_NDIM(x) > 5) return nullptr;
    r.ndim = PyArray_NDIM(x);
    npy_intp size[most_dims];
    if (as_shape(args[1], size) != r.ndim - 2) return nullptr;
    for (int i = 0; i < r.ndim; ++i) r.small[i] = PyArray_DIM(x, i), r.large[i] = i < 2 ? r.small[i] : size[i - 2];
    if (!r.read(args + 2, sizeof(T))) return nullptr;
    return resampled<T>(r, x, false);
}

// resample_backward(grad, shape, mode, align_corners, scales, antialias)
template <class T> PyObject* backward(Call args) {
    Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    Request r;
    npy_intp shape[most_dims];
    r.ndim = as_shape(args[1], shape);
    if (!grad || r.ndim < 3 || r.ndim > 5 || PyArray_NDIM(grad.get()) != r.ndim) return nullptr;
    for (int i = 0; i < r.ndim; ++i) r.small[i] = shape[i], r.large[i] = PyArray_DIM(grad.get(), i);
    if (r.small[0] != r.large[0] || r.small[1] != r.large[1] || !r.read(args + 2, sizeof(T))) return nullptr;
    // The products of the body meet infinities and NaN in every place.
    if (!all_finite(data_of<T>(grad.get()), PyArray_SIZE(grad.get()))) return nullptr;
    return resampled<T>(r, grad.get(), true);
}

// ---- interpolate ----------------------------------------------------------------------------------------------------
// One number, or one of each dimension in a tuple; the number of dimension `at`, borrowed, or null.
PyObject* number_at(PyObject* option, int at, int count) {
    if (!PyTuple_CheckExact(option)) return option;
    return PyTuple_GET_SIZE(option) == count ? PyTuple_GET_ITEM(option, at) : nullptr;
}

// The new lengths, and the factors that they follow from: tuples of `count`, the second None for a size.
bool read_target(PyArrayObject* x, PyObject* size, PyObject* factor, PyObject* lengths, PyObject* scales) {
    const int count = PyArray_NDIM(x) - 2;
    for (int i = 0; i < count; ++i) {
        PyObject* number = number_at(size == Py_None ? factor : size, i, count);
        npy_intp length = 0;
        double scale = 0;
        if (!number ||
            (size == Py_None ? !as_number(number, scale) : !PyLong_CheckExact(number) || !as_index(number, length)))
            return false;
        if (size == Py_None) {
            const double wanted = std::floor(static_cast<double>(PyArray_DIM(x, i + 2)) * scale);
            if (!(wanted >= 1 && wanted < 1e9)) return false;
            length = static_cast<npy_intp>(wanted);
            PyObject* scale_item = PyFloat_FromDouble(scale);
            if (!scale_item) return false;
            PyTuple_SET_ITEM(scales, i, scale_item);
        }
        PyObject* length_item = PyLong_FromSsize_t(length);
        if (!length_item) return false;
        PyTuple_SET_ITEM(lengths, i, length_item);
    }
    return true;
}

// interpolate_arguments(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias): those of
// `resample`
PyObject* interpolate_arguments(Call args) {
    PyArrayObject* x = plain(args[0]);
    if (!x || PyArray_NDIM(x) < 3 || PyArray_NDIM(x) > 5 || (args[1] == Py_None) == (args[2] == Py_None))
        return nullptr;
    const Mode mode = as_mode(args[3], PyArray_NDIM(x) - 2);
    bool align = false, again = false;
    if (mode == UNKNOWN || args[6] != Py_False || (args[5] != Py_None && !as_flag(args[5], again)) || again)
        return nullptr;
    if (args[4] != Py_None && (mode == NEAREST || mode == NEAREST_EXACT || !as_flag(args[4], align))) return nullptr;
    const int count = PyArray_NDIM(x) - 2;
    PyObject *lengths = PyTuple_New(count), *scales = PyTuple_New(count), *arguments = nullptr;
    if (lengths && scales && read_target(x, args[1], args[2], lengths, scales))
        arguments = Py_BuildValue("OOOOOO", Py_None, lengths, args[3], align ? Py_True : Py_False,
                                  args[1] == Py_None ? scales : Py_None, Py_False);
    Py_XDECREF(lengths);
    Py_XDECREF(scales);
    return arguments;
}

Methods resample_methods({
    WENGERT_ENTRY(resample, "(self, size, mode, align_corners, scales, antialias)",
                  on_contiguous<direct<6, by_element<forward<float>, forward<double>>>, few_with_gaps>),
    WENGERT_ENTRY(resample_backward, "(grad, shape, mode, align_corners, scales, antialias)",
                  on_contiguous<direct<6, by_element<backward<float>, backward<double>>>, few_with_gaps>),
    direct_method("direct_interpolate_arguments", direct<7, interpolate_arguments>,
                  "those of resample, or NotImplemented"),
});

}  // namespace
}  // namespace wengert
