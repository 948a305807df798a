// The windows of pooling: their sizes, and the greatest element of each.
#pragma once

#include <climits>
#include <limits>

#include "binding/common.hpp"
#include "base/frames.hpp"

namespace wengert {

struct Window {
    npy_intp kernel[2], stride[2], padding[2] = {0, 0}, dilation[2] = {1, 1};
    npy_intp input[2], output[2];
    bool ceil_mode = false;
    npy_intp planes = 1;
};

inline npy_intp pooled_size(const Window& w, int a) {
    const npy_intp last = w.input[a] + 2 * w.padding[a] - w.dilation[a] * (w.kernel[a] - 1) - 1;
    const npy_intp spread = last + (w.ceil_mode ? w.stride[a] - 1 : 0);
    if (last < 0) return 0;
    npy_intp count = spread / w.stride[a] + 1;
    if (w.ceil_mode && (count - 1) * w.stride[a] >= w.input[a] + w.padding[a]) --count;
    return count;
}

// The elements of a window along one axis that lie inside the plane: [begin, end) of its `kernel`.
struct Taps {
    npy_intp begin, end;
};
inline Taps taps_inside(npy_intp start, npy_intp kernel, npy_intp dilation, npy_intp length) {
    Taps t = {start < 0 ? (dilation - 1 - start) / dilation : 0, 0};
    if (start < length) t.end = (length - start + dilation - 1) / dilation;
    if (t.end > kernel) t.end = kernel;
    return t;
}

// Sizes from the shape of the input; false for what the twin shall handle. Options are numbers of torch's `int`: what
// is computed from them and from the lengths of an array then fits 64 bits.
inline bool complete(Window& w, const npy_intp* shape, int ndim) {
    if (ndim < 3 || ndim > 4) return false;
    for (int i = 0; i < ndim - 2; ++i) w.planes *= shape[i];
    for (int a = 0; a < 2; ++a) {
        w.input[a] = shape[ndim - 2 + a];
        if (w.kernel[a] < 1 || w.stride[a] < 1 || w.padding[a] < 0 || w.dilation[a] < 1) return false;
        if (w.kernel[a] > INT_MAX || w.stride[a] > INT_MAX || w.padding[a] > INT_MAX || w.dilation[a] > INT_MAX)
            return false;
        if (w.input[a] < 1 || 2 * w.padding[a] > w.kernel[a]) return false;
        w.output[a] = pooled_size(w, a);
        if (w.output[a] < 1) return false;
    }
    return w.planes > 0;
}

// Of one plane, in additions.
inline npy_intp window_cost(const Window& w) {
    Size cost = Size(w.output[0]) * w.output[1];
    for (int a = 0; a < 2; ++a) cost = cost * (w.kernel[a] < w.input[a] ? w.kernel[a] : w.input[a]);
    return cost.value_or_most();
}

template <class T> inline bool better(T candidate, T best) { return candidate > best || candidate != candidate; }

template <class T>
void max_window(const T* x, const Window& w, npy_intp top, npy_intp left, T* value, int64_t* position) {
    const npy_intp height = w.input[0], width = w.input[1];
    const Taps down = taps_inside(top, w.kernel[0], w.dilation[0], height);
    const Taps along = taps_inside(left, w.kernel[1], w.dilation[1], width);
    T best = -std::numeric_limits<T>::infinity();
    npy_intp at = (top + down.begin * w.dilation[0]) * width + left + along.begin * w.dilation[1];
    for (npy_intp i = down.begin; i < down.end; ++i) {
        const npy_intp row = top + i * w.dilation[0];
        for (npy_intp j = along.begin; j < along.end; ++j) {
            const npy_intp column = left + j * w.dilation[1];
            const T candidate = x[row * width + column];
            if (better(candidate, best)) {
                best = candidate;
                at = row * width + column;
            }
        }
    }
    *value = best;
    *position = at;
}

// The frame in which no window extends beyond an edge: elements outside of the plane are minus infinity.
struct PoolFrame {
    Frame frame;
    Cover cover;
    Indices taps, positions;  // of a window's elements: in the frame, and in the plane
};
inline bool make_frame(const Window& w, npy_intp lanes, PoolFrame& result) {
    const npy_intp extent[2] = {w.dilation[0] * (w.kernel[0] - 1), w.dilation[1] * (w.kernel[1] - 1)};
    Frame& f = result.frame;
    f.phases = w.stride[1] < extent[1] + 1 ? w.stride[1] : extent[1] + 1;
    f.height = (w.output[0] - 1) * w.stride[0] + extent[0] + 1;
    f.width = w.output[1] + extent[1] / w.stride[1];
    f.first[0] = w.padding[0], f.first[1] = w.padding[1], f.step[1] = w.stride[1];
    const Size plane = Size(f.height) * f.phases * f.width;
    // Not worth it, or not to be counted, for kernels that reach far beyond the plane.
    if (!plane.fits() || plane.value() / 8 > w.input[0] * w.input[1] + 64 || w.kernel[0] * w.kernel[1] > 1 << 20)
        return false;
    result.cover = cover_rows(w.output[0], w.output[1], w.stride[0] * f.pitch(), lanes);
    for (npy_intp i = 0; i < w.kernel[0]; ++i)
        for (npy_intp j = 0; j < w.kernel[1]; ++j) {
            const npy_intp column = j * w.dilation[1];
            result.taps.push_back(i * w.dilation[0] * f.pitch() + column % w.stride[1] * f.width +
                                  column / w.stride[1]);
            result.positions.push_back(i * w.dilation[0] * w.input[1] + column);
        }
    return true;
}

template <class T>
void max_framed(const T* x, const Window& w, const PoolFrame& p, T* memory, typename SameSize<T>::Type* chosen,
                T* value, int64_t* position) {
    T* best = memory + p.frame.plane() + loops<T>().lanes;
    frame_plane(x, w.input[0], w.input[1], p.frame, memory, -std::numeric_limits<T>::infinity());
    loops<T>().greatest_of_plane(memory, p.cover.from.data(), p.cover.vectors(), p.taps.data(),
                                 w.kernel[0] * w.kernel[1], best, chosen, p.cover.to.data());
    for (npy_intp r = 0; r < w.output[0]; ++r) {
        const npy_intp top = r * w.stride[0] - w.padding[0];
        const auto* numbers = chosen + r * p.cover.pitch;
        std::memcpy(value + r * w.output[1], best + r * p.cover.pitch, static_cast<size_t>(w.output[1]) * sizeof(T));
        for (npy_intp c = 0; c < w.output[1]; ++c) {
            const npy_intp left = c * w.stride[1] - w.padding[1];
            if (numbers[c] >= 0)
                position[r * w.output[1] + c] = top * w.input[1] + left + p.positions[static_cast<size_t>(numbers[c])];
            else
                max_window(x, w, top, left, value + r * w.output[1] + c, position + r * w.output[1] + c);
        }
    }
}

// Planes [begin, end).
template <class T>
void max_planes(const T* x, const Window& w, npy_intp begin, npy_intp end, T* value, int64_t* position) {
    const npy_intp area = w.input[0] * w.input[1], pooled = w.output[0] * w.output[1];
    PoolFrame framed;
    std::unique_ptr<T[]> memory;
    std::unique_ptr<typename SameSize<T>::Type[]> chosen;
    if (make_frame(w, loops<T>().lanes, framed)) {
        memory = plane_memory<T>(framed.frame, framed.cover.size());
        chosen.reset(new typename SameSize<T>::Type[static_cast<size_t>(framed.cover.size())]);
    }
    for (npy_intp p = begin; p < end; ++p) {
        if (memory)
            max_framed(x + p * area, w, framed, memory.get(), chosen.get(), value + p * pooled, position + p * pooled);
        else
            for (npy_intp o = 0; o < pooled; ++o)
                max_window(x + p * area, w, o / w.output[1] * w.stride[0] - w.padding[0],
                           o % w.output[1] * w.stride[1] - w.padding[1], value + p * pooled + o,
                           position + p * pooled + o);
    }
}

}  // namespace wengert
