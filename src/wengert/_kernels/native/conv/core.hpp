// What the convolutions have in common: their sizes, their images in frames, and the places that a kernel sees. All is
// said of volumes: a plane is one of depth 1, a signal a plane of height 1. No Python here.
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
    index_t places() const { return out[0] * out[1] * out[2]; }
    index_t area() const { return out[1] * out[2]; }  // the places of a plane
    index_t elements() const { return taps[0] * taps[1] * taps[2]; }
    index_t terms() const { return group_channels * elements(); }  // of the sum at a place
    index_t group_kernels() const { return kernels / groups; }
    bool single() const { return group_channels == 1 && group_kernels() == 1; }  // a kernel and a channel in each group
    // How far a kernel reaches behind the element that it begins with.
    index_t reach(int axis) const { return dilation[axis] * (taps[axis] - 1); }
    index_t work() const { return (Size(images) * kernels * places() * terms()).value_or_most(); }
};

// Whether the numbers of elements that the functions below ask for can be counted: frames hold the channels or the
// kernels of all images, in volumes of at most twice the input's with its padding and the kernel's reach in every
// direction.
inline bool buffers_fit(const Geometry& g) {
    const Size bytes = Size(64);  // more than those of an element and of its place in a table
    Size framed = Size(8), taps = Size(1), places = Size(1);
    for (int a = 0; a < axes; ++a) {
        framed = framed * (Size(g.size[a]) + Size(2) * g.padding[a] + Size(g.dilation[a]) * g.taps[a]);
        taps = taps * g.taps[a];
        places = places * g.out[a];
    }
    const Size channels = (Size(g.channels) + g.kernels + 64) * bytes * g.images;
    const Size weights = Size(g.kernels + g.groups * 64) * (g.group_channels + 64) * taps * bytes;
    return (framed * channels).fits() && weights.fits() && (channels * places).fits();
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

// The volumes of some images in frames, or as they are where they need none.
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
        const index_t plane = frame.plane.plane(), each = volume[0] * volume[1] * volume[2];
        parallel_for(count * channels * frame.depth, plane, [&](index_t begin, index_t end) {
            for (index_t p = begin; p < end; ++p)
                frame_slice(volumes + p / frame.depth * each, volume, frame, p % frame.depth, memory.get() + p * plane);
        });
        std::memset(memory.get() + count * image_size(), 0, static_cast<size_t>(slack()) * sizeof(T));
    }
};

// Frames for as many images at a time as caches hold, of `images` with `places` places each.
template <class T>
Framed<T> framed_images(const VolumeFrame& f, index_t images, index_t channels, const index_t* size, index_t places) {
    constexpr index_t most_bytes = 4 << 20, most_places = 1 << 14;
    Framed<T> framed = {f, channels, {size[0], size[1], size[2]}, most_places / places + 1, nullptr};
    const bool plain = f.is_plain(size);
    const index_t in_cache = most_bytes / (framed.image_size() * static_cast<index_t>(sizeof(T))) + 1;
    if (!plain && framed.images > in_cache) framed.images = in_cache;
    const index_t turns = (images + framed.images - 1) / framed.images;
    framed.images = (images + turns - 1) / turns;
    if (!plain) framed.memory = scratch<T>(framed.images * framed.image_size() + framed.slack());
    return framed;
}

// What the kernels see of the input: its frame, and in it the steps from place to place and the elements of a kernel.
// Where a kernel has one row, or one plane, only those that it meets are in the frame.
inline VolumeFrame input_frame(const Geometry& g) {
    VolumeFrame f = {{(g.out[1] - 1) * g.stride[1] + g.reach(1) + 1, g.out[2] + g.reach(2) / g.stride[2]}};
    Frame& plane = f.plane;
    plane.first[0] = g.padding[1], plane.first[1] = g.padding[2];
    if (g.taps[1] == 1) plane.height = g.out[1], plane.step[0] = g.stride[1];
    plane.step[1] = g.stride[2];
    if (g.taps[2] > 1) plane.phases = g.stride[2] < g.reach(2) + 1 ? g.stride[2] : g.reach(2) + 1;
    f.depth = (g.out[0] - 1) * g.stride[0] + g.reach(0) + 1, f.before = g.padding[0];
    if (g.taps[0] == 1) f.depth = g.out[0], f.step = g.stride[0];
    return f;
}
// From plane to plane of places, and from row to row of them.
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

}  // namespace wengert
