// What the convolutions have in common: their sizes, their images in frames, and the places that a kernel sees. No Python here.
#pragma once

#include <memory>

#include "frames.hpp"
#include "scratch.hpp"
#include "threads.hpp"

namespace wengert {

struct Geometry {
    index_t images, channels, height, width;  // of the input
    index_t kernels, depth_channels, rows, columns;  // of the weight
    index_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
    index_t groups = 1, out_height, out_width;

    index_t depth() const { return depth_channels * rows * columns; }
    index_t places() const { return out_height * out_width; }
    bool single() const { return depth_channels == 1 && group_kernels() == 1; }  // a kernel and a channel in each group
    index_t group_kernels() const { return kernels / groups; }
    index_t work() const { return (Size(images) * kernels * out_height * out_width * depth()).value_or_most(); }
};

// Whether the numbers of elements that the functions below ask for can be counted: frames hold the channels or the kernels of
// all images, in planes of at most twice the input's with its padding and the kernel's reach in both directions.
inline bool buffers_fit(const Geometry& g, Size framed_height, Size framed_width) {
    const Size taps = Size(g.rows) * g.columns, places = Size(g.out_height) * g.out_width;
    const Size bytes = Size(64);  // more than those of an element and of its place in a table
    const Size framed = (framed_height + Size(g.dilation[0]) * g.rows) * (framed_width + Size(g.dilation[1]) * g.columns) * 4;
    const Size channels = (Size(g.channels) + g.kernels + 64) * bytes * g.images;
    const Size weights = Size(g.kernels + g.groups * 64) * (g.depth_channels + 64) * taps * bytes;
    return (framed * channels).fits() && weights.fits() && (channels * places).fits();
}

inline bool complete(Geometry& g, const index_t* input, const index_t* weight) {
    g.images = input[0], g.channels = input[1], g.height = input[2], g.width = input[3];
    g.kernels = weight[0], g.depth_channels = weight[1], g.rows = weight[2], g.columns = weight[3];
    for (int a = 0; a < 2; ++a)
        if (g.stride[a] < 1 || g.padding[a] < 0 || g.dilation[a] < 1) return false;
    if (g.images < 1 || g.channels < 1 || g.kernels < 1 || g.rows < 1 || g.columns < 1 || g.groups < 1) return false;
    if (g.height < 1 || g.width < 1) return false;
    if (g.channels % g.groups || g.depth_channels != g.channels / g.groups || g.kernels % g.groups) return false;
    const Size framed_height = Size(g.height) + Size(2) * g.padding[0], framed_width = Size(g.width) + Size(2) * g.padding[1];
    const Size reach_down = framed_height - Size(g.dilation[0]) * (g.rows - 1) - 1;
    const Size reach_right = framed_width - Size(g.dilation[1]) * (g.columns - 1) - 1;
    if (!reach_down.fits() || !reach_right.fits() || reach_down.value() < 0 || reach_right.value() < 0) return false;
    g.out_height = reach_down.value() / g.stride[0] + 1;
    g.out_width = reach_right.value() / g.stride[1] + 1;
    return buffers_fit(g, framed_height, framed_width);
}

// The planes of some images in frames, or as they are where they need none.
template <class T>
struct Framed {
    Frame frame;
    index_t channels, height, width, images;  // at most so many images at a time
    Scratch<T> memory;
    const T* data = nullptr;

    index_t image_size() const { return channels * frame.plane(); }
    static index_t slack() { return 2 * loops<T>().lanes; }  // that may be read behind the last
    index_t size(index_t count) const { return count * image_size() + (memory ? slack() : 0); }
    void fill(const T* planes, index_t count) {
        data = planes;
        if (!memory) return;
        data = memory.get();
        const index_t plane = frame.plane();
        parallel_for(count * channels, plane, [&](index_t begin, index_t end) {
            for (index_t p = begin; p < end; ++p) frame_plane(planes + p * height * width, height, width, frame, memory.get() + p * plane);
        });
        std::memset(memory.get() + count * image_size(), 0, static_cast<size_t>(slack()) * sizeof(T));
    }
};

// Frames for as many images at a time as caches hold, of `images` with `places` places each.
template <class T>
Framed<T> framed_images(const Frame& f, index_t images, index_t channels, index_t height, index_t width, index_t places) {
    constexpr index_t most_bytes = 4 << 20, most_places = 1 << 14;
    Framed<T> framed = {f, channels, height, width, most_places / places + 1, nullptr};
    const bool plain = f.is_plain(height, width);
    const index_t in_cache = most_bytes / (framed.image_size() * static_cast<index_t>(sizeof(T))) + 1;
    if (!plain && framed.images > in_cache) framed.images = in_cache;
    const index_t turns = (images + framed.images - 1) / framed.images;
    framed.images = (images + turns - 1) / turns;
    if (!plain) framed.memory = scratch<T>(framed.images * framed.image_size() + framed.slack());
    return framed;
}

// What the kernels see of the input: its frame, and in it the steps from place to place and the elements of a kernel.
inline Frame input_frame(const Geometry& g) {
    const index_t down = g.dilation[0] * (g.rows - 1), right = g.dilation[1] * (g.columns - 1);
    Frame f = {(g.out_height - 1) * g.stride[0] + down + 1, g.out_width + right / g.stride[1]};
    f.first[0] = g.padding[0], f.first[1] = g.padding[1];
    if (g.rows == 1) f.height = g.out_height, f.step[0] = g.stride[0];
    f.step[1] = g.stride[1];
    if (g.columns > 1) f.phases = g.stride[1] < right + 1 ? g.stride[1] : right + 1;
    return f;
}
inline Indices input_places(const Geometry& g, const Frame& f, index_t images, index_t image_size) {
    return grid(images, image_size, g.out_height, (g.rows == 1 ? 1 : g.stride[0]) * f.pitch(), g.out_width, 1);
}
inline Indices input_taps(const Geometry& g, const Frame& f) {
    Indices found;
    for (index_t c = 0; c < g.depth_channels; ++c)
        for (index_t i = 0; i < g.rows; ++i)
            for (index_t j = 0; j < g.columns; ++j) {
                const index_t column = j * g.dilation[1];
                found.push_back(c * f.plane() + i * g.dilation[0] * f.pitch() + column % g.stride[1] * f.width + column / g.stride[1]);
            }
    return found;
}

}  // namespace wengert
