// Sizes and settings of convolutions, their images in frames, and the elements that a kernel meets at each position.
// Everything is written for volumes: a plane has depth 1, a signal is a plane of height 1.
//
// The gradient of the input is computed as correlations of stride 1, one for each phase: rows of the input that are a
// stride apart use the same elements of the kernel, at neighbouring rows of the gradient, and so do columns and planes.
// No zeros are multiplied for the positions that a stride leaves out. No Python here.
#pragma once

#include <memory>

#include "base/frames.hpp"
#include "base/scratch.hpp"
#include "base/threads.hpp"

namespace wengert {

constexpr int axes = 3;  // depth, height, width

struct Geometry {
    index_t images, channels, kernels, group_channels;
    index_t size[axes], taps[axes], out[axes];  // of the input, of a kernel, of what comes out
    index_t stride[axes] = {1, 1, 1}, padding[axes] = {0, 0, 0}, dilation[axes] = {1, 1, 1};
    index_t groups = 1;

    index_t volume() const { return size[0] * size[1] * size[2]; }
    index_t positions() const { return out[0] * out[1] * out[2]; }
    index_t area() const { return out[1] * out[2]; }  // the places of a plane
    index_t elements() const { return taps[0] * taps[1] * taps[2]; }
    index_t terms() const { return group_channels * elements(); }  // of the sum at a place
    index_t group_kernels() const { return kernels / groups; }
    bool single() const { return group_channels == 1 && group_kernels() == 1; }  // a kernel and a channel in each group
    // The number of elements that a kernel spans beyond its first one.
    index_t extent(int axis) const { return dilation[axis] * (taps[axis] - 1); }
    index_t work() const { return (Size(images) * kernels * positions() * terms()).value_or_most(); }
};

// Whether the sizes of all buffers below fit an index: frames hold the channels or the kernels of all images, in
// volumes of at most twice the padded input plus the extent of the kernel in every direction.
inline bool buffers_fit(const Geometry& g) {
    const Size bytes = Size(64);  // more than an element and its entry in a table of positions
    Size framed = Size(8), taps = Size(1), positions = Size(1);
    for (int a = 0; a < axes; ++a) {
        framed = framed * (Size(g.size[a]) + Size(2) * g.padding[a] + Size(g.dilation[a]) * g.taps[a]);
        taps = taps * g.taps[a];
        positions = positions * g.out[a];
    }
    const Size channels = (Size(g.channels) + g.kernels + 64) * bytes * g.images;
    const Size weights = Size(g.kernels + g.groups * 64) * (g.group_channels + 64) * taps * bytes;
    return (framed * channels).fits() && weights.fits() && (channels * positions).fits();
}

// `input` (N, C, depth, height, width) and `weight` (O, C / groups, ...) for the settings in `g`.
inline bool complete(Geometry& g, const index_t* input, const index_t* weight) {
    g.images = input[0], g.channels = input[1], g.kernels = weight[0], g.group_channels = weight[1];
    if (g.images < 1 || g.channels < 1 || g.kernels < 1 || g.groups < 1) return false;
    if (g.channels % g.groups || g.group_channels != g.channels / g.groups || g.kernels % g.groups) return false;
    for (int a = 0; a < axes; ++a) {
        g.size[a] = input[2 + a], g.taps[a] = weight[2 + a];
        if (g.stride[a] < 1 || g.padding[a] < 0 || g.dilation[a] < 1 || g.size[a] < 1 || g.taps[a] < 1) return false;
        const Size last = Size(g.size[a]) + Size(2) * g.padding[a] - Size(g.dilation[a]) * (g.taps[a] - 1) - 1;
        if (!last.fits() || last.value() < 0) return false;
        g.out[a] = last.value() / g.stride[a] + 1;
    }
    return buffers_fit(g);
}

// The volumes of some images in frames, or the images themselves where no frame is needed.
template <class T> struct Framed {
    VolumeFrame frame;
    index_t channels, volume[axes], images;  // at most so many images at a time
    Scratch<T> memory;
    const T* data = nullptr;

    index_t image_size() const { return channels * frame.volume(); }
    index_t pitch() const { return frame.plane.pitch(); }
    static index_t slack() { return 2 * loops<T>().lanes; }  // that may be read behind the last
    index_t size(index_t count) const { return count * image_size() + (memory ? slack() : 0); }
    void fill(const T* volumes, index_t count) {
        data = volumes;
        if (!memory) return;
        data = memory.get();
        const index_t plane = frame.plane.plane(), size = volume[0] * volume[1] * volume[2];
        parallel_for(count * channels * frame.depth, plane, [&](index_t begin, index_t end) {
            for (index_t p = begin; p < end; ++p)
                frame_slice(volumes + p / frame.depth * size, volume, frame, p % frame.depth, memory.get() + p * plane);
        });
        std::memset(memory.get() + count * image_size(), 0, static_cast<size_t>(slack()) * sizeof(T));
    }
};

// Frames for as many images at a time as caches hold, of `images` with `positions` places each.
template <class T>
Framed<T> framed_images(const VolumeFrame& f, index_t images, index_t channels, const index_t* size,
                        index_t positions) {
    constexpr index_t most_bytes = 4 << 20, most_positions = 1 << 14;
    Framed<T> framed = {f, channels, {size[0], size[1], size[2]}, most_positions / positions + 1, nullptr};
    const bool plain = f.is_plain(size);
    const index_t in_cache = most_bytes / (framed.image_size() * static_cast<index_t>(sizeof(T))) + 1;
    if (!plain && framed.images > in_cache) framed.images = in_cache;
    const index_t turns = (images + framed.images - 1) / framed.images;
    framed.images = (images + turns - 1) / turns;
    if (!plain) framed.memory = scratch<T>(framed.images * framed.image_size() + framed.slack());
    return framed;
}

// The frame of the input, and the steps between positions and the elements of a kernel in it. Where a kernel has one
// row, or one plane, the frame holds only the rows or planes that the stride selects.
inline VolumeFrame input_frame(const Geometry& g) {
    VolumeFrame f = {{(g.out[1] - 1) * g.stride[1] + g.extent(1) + 1, g.out[2] + g.extent(2) / g.stride[2]}};
    Frame& plane = f.plane;
    plane.first[0] = g.padding[1], plane.first[1] = g.padding[2];
    if (g.taps[1] == 1) plane.height = g.out[1], plane.step[0] = g.stride[1];
    plane.step[1] = g.stride[2];
    if (g.taps[2] > 1) plane.phases = g.stride[2] < g.extent(2) + 1 ? g.stride[2] : g.extent(2) + 1;
    f.depth = (g.out[0] - 1) * g.stride[0] + g.extent(0) + 1, f.before = g.padding[0];
    if (g.taps[0] == 1) f.depth = g.out[0], f.step = g.stride[0];
    return f;
}
// The steps between planes and between rows of positions.
inline index_t plane_step(const Geometry& g, const VolumeFrame& f) {
    return (g.taps[0] == 1 ? 1 : g.stride[0]) * f.plane.plane();
}
inline index_t row_step(const Geometry& g, const VolumeFrame& f) {
    return (g.taps[1] == 1 ? 1 : g.stride[1]) * f.plane.pitch();
}

inline Indices input_rows(const Geometry& g, const VolumeFrame& f) {
    return grid(1, 0, g.out[0], plane_step(g, f), g.out[1], row_step(g, f));
}
inline Indices input_taps(const Geometry& g, const VolumeFrame& f) {
    Indices columns;
    for (index_t j = 0; j < g.taps[2]; ++j) {
        const index_t column = j * g.dilation[2];
        columns.push_back(column % g.stride[2] * f.plane.width + column / g.stride[2]);
    }
    const Indices planes = grid(1, 0, g.group_channels, f.volume(), g.taps[0], g.dilation[0] * f.plane.plane());
    return sums(planes, sums(grid(1, 0, 1, 0, g.taps[1], g.dilation[1] * f.plane.pitch()), columns));
}

// ---- the phases of an input gradient --------------------------------------------------------------------------------
// Along one axis: the positions start, start + stride, ... of the input, `count` of them, and the taps of the kernel
// that contribute to them, each with the position of the gradient that contributes to the first.
struct Phase {
    index_t start, count;
    Indices taps, from;
};
struct Phases {
    std::vector<Phase> list;
    index_t low = 0, high = 0;  // the positions of the gradient that are read, which may lie outside it
    index_t span() const { return high - low + 1; }
};

inline Phases phases_along(const Geometry& g, int axis) {
    const index_t length = g.size[axis], stride = g.stride[axis];
    Phases result;
    bool any = false;
    for (index_t start = 0; start < length && start < stride; ++start) {
        Phase phase = {start, (length - 1 - start) / stride + 1, {}, {}};
        for (index_t tap = 0; tap < g.taps[axis]; ++tap) {
            const index_t offset = start + g.padding[axis] - tap * g.dilation[axis];
            if (offset % stride) continue;
            const index_t from = offset / stride, last = from + phase.count - 1;
            phase.taps.push_back(tap);
            phase.from.push_back(from);
            result.low = any && result.low < from ? result.low : from;
            result.high = any && result.high > last ? result.high : last;
            any = true;
        }
        result.list.push_back(phase);
    }
    return result;
}

// One phase of each axis: the offsets of the elements of the kernels in the weight and in the framed gradients, for the
// first channel of the first group, and the offset of its first position in a channel of the input.
struct Part {
    Indices weights, grads;
    index_t origin;
    const Phase* along[axes];

    index_t rows() const { return along[0]->count * along[1]->count; }
    index_t columns() const { return along[2]->count; }
    index_t depth() const { return static_cast<index_t>(grads.size()); }  // elements of kernels that reach a place
};

// All parts, and the frame of the gradient with the zeros that they read.
class Parts {
public:
    explicit Parts(const Geometry& g) : phases_{phases_along(g, 0), phases_along(g, 1), phases_along(g, 2)} {
        frame.plane = {phases_[1].span(), phases_[2].span()};
        frame.plane.first[0] = -phases_[1].low, frame.plane.first[1] = -phases_[2].low;
        frame.depth = phases_[0].span(), frame.before = -phases_[0].low;
        for (const Phase& plane : phases_[0].list)
            for (const Phase& row : phases_[1].list)
                for (const Phase& column : phases_[2].list) list.push_back(part_of(g, plane, row, column));
    }
    Parts(const Parts&) = delete;
    // Whether every position of the input gets a contribution.
    bool all_reached() const {
        for (const Part& part : list)
            if (part.depth() == 0) return false;
        return true;
    }
    // Where rows of a part begin in a frame, and in the input.
    Indices framed_rows(const Part& part) const {
        return grid(1, 0, part.along[0]->count, frame.plane.plane(), part.along[1]->count, frame.plane.pitch());
    }
    static Indices result_rows(const Geometry& g, const Part& part) {
        return grid(1, 0, part.along[0]->count, g.stride[0] * g.size[1] * g.size[2], part.along[1]->count,
                    g.stride[1] * g.size[2]);
    }

    VolumeFrame frame;
    std::vector<Part> list;

private:
    Part part_of(const Geometry& g, const Phase& plane, const Phase& row, const Phase& column) const {
        Part part = {{}, {}, (plane.start * g.size[1] + row.start) * g.size[2] + column.start, {&plane, &row, &column}};
        Indices elements, positions;
        for (size_t d = 0; d < plane.taps.size(); ++d)
            for (size_t i = 0; i < row.taps.size(); ++i)
                for (size_t j = 0; j < column.taps.size(); ++j) {
                    elements.push_back((plane.taps[d] * g.taps[1] + row.taps[i]) * g.taps[2] + column.taps[j]);
                    positions.push_back((plane.from[d] - phases_[0].low) * frame.plane.plane() +
                                        (row.from[i] - phases_[1].low) * frame.plane.pitch() + column.from[j] -
                                        phases_[2].low);
                }
        part.weights = sums(grid(1, 0, 1, 0, g.group_kernels(), g.terms()), elements);
        part.grads = sums(grid(1, 0, 1, 0, g.group_kernels(), frame.volume()), positions);
        return part;
    }
    Phases phases_[axes];
};

}  // namespace wengert
