// The core of the convolutions: a correlation with stride 1 over buffers that hold padded images. No Python here.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "simd.hpp"
#include "threads.hpp"

namespace wengert {

struct Geometry {
    index_t images, channels, height, width;  // of the input
    index_t kernels, depth_channels, rows, columns;  // of the weight
    index_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
    index_t groups = 1, out_height, out_width;

    index_t depth() const { return depth_channels * rows * columns; }
    index_t work() const { return (Size(images) * kernels * out_height * out_width * depth()).value_or_most(); }
};

// Whether the numbers of elements that the functions below ask for can be counted: of all framed or gathered channels, for the
// forward pass and for the gradient of the input, where frames of the input's plane and the kernel's reach hold `kernels` channels.
inline bool buffers_fit(const Geometry& g, Size framed_height, Size framed_width) {
    const Size taps = Size(g.rows) * g.columns, places = Size(g.out_height) * g.out_width;
    const Size bytes = Size(16);  // more than those of an element
    const Size framed = (framed_height + Size(g.dilation[0]) * g.rows) * (framed_width + Size(g.dilation[1]) * g.columns);
    const Size channels = (Size(g.channels) + g.kernels + conv_rows) * bytes;
    const Size gathered = taps * places * channels;
    const Size weights = Size(g.kernels + g.groups * conv_rows) * g.depth_channels * taps * bytes;
    return (framed * channels).fits() && gathered.fits() && weights.fits() && (Size(g.images) * g.kernels * places * bytes).fits();
}

inline bool complete(Geometry& g, const index_t* input, const index_t* weight) {
    g.images = input[0], g.channels = input[1], g.height = input[2], g.width = input[3];
    g.kernels = weight[0], g.depth_channels = weight[1], g.rows = weight[2], g.columns = weight[3];
    for (int a = 0; a < 2; ++a)
        if (g.stride[a] < 1 || g.padding[a] < 0 || g.dilation[a] < 1) return false;
    if (g.images < 1 || g.channels < 1 || g.kernels < 1 || g.rows < 1 || g.columns < 1 || g.groups < 1) return false;
    if (g.channels % g.groups || g.depth_channels != g.channels / g.groups || g.kernels % g.groups) return false;
    const Size framed_height = Size(g.height) + Size(2) * g.padding[0], framed_width = Size(g.width) + Size(2) * g.padding[1];
    const Size reach_down = framed_height - Size(g.dilation[0]) * (g.rows - 1) - 1;
    const Size reach_right = framed_width - Size(g.dilation[1]) * (g.columns - 1) - 1;
    if (!reach_down.fits() || !reach_right.fits() || reach_down.value() < 0 || reach_right.value() < 0) return false;
    g.out_height = reach_down.value() / g.stride[0] + 1;
    g.out_width = reach_right.value() / g.stride[1] + 1;
    return buffers_fit(g, framed_height, framed_width);
}
// A plane of `height` x `width` set into zeros, its elements `spacing` apart, with its first at (top, left), which may be
// outside: then what lies outside is left out.
struct Frame {
    index_t height, width, top, left, down, right;
};
template <class T>
void frame_plane(const T* plane, index_t height, index_t width, const Frame& f, T* out) {
    std::memset(out, 0, static_cast<size_t>(f.height * f.width) * sizeof(T));
    for (index_t i = 0; i < height; ++i) {
        const index_t row = f.top + i * f.down;
        if (row < 0 || row >= f.height) continue;
        T* target = out + row * f.width;
        if (f.right == 1 && f.left >= 0 && f.left + width <= f.width) {
            std::memcpy(target + f.left, plane + i * width, static_cast<size_t>(width) * sizeof(T));
            continue;
        }
        for (index_t j = 0; j < width; ++j) {
            const index_t column = f.left + j * f.right;
            if (column >= 0 && column < f.width) target[column] = plane[i * width + j];
        }
    }
}

// The core: correlation with stride 1 of framed images, or of gathered ones.
template <class T>
struct Core {
    index_t groups, group_channels, group_kernels, depth;
    index_t plane;                      // elements from channel to channel
    index_t out_height, out_width, pitch;  // places: `pitch` from row to row, of which out_width are real
    std::vector<index_t> offsets;       // of each element of the kernel
    std::vector<index_t> starts;        // of each vector of places
    std::vector<T> weights;              // (group, block, depth, conv_rows)
    bool exact;                          // the vectors are the output's, one after the other

    index_t blocks() const { return (group_kernels + conv_rows - 1) / conv_rows; }
    index_t image_size() const { return groups * group_channels * plane + slack(); }
    static index_t slack() { return 4 * loops<T>().lanes; }
};

template <class T>
void lay_out(Core<T>& core) {
    const index_t lanes = loops<T>().lanes, places = core.out_height * core.out_width;
    core.exact = core.out_width % lanes == 0 || (core.pitch == core.out_width && places % lanes == 0);
    const index_t reach = core.exact ? places : (core.out_height - 1) * core.pitch + core.out_width;
    for (index_t q = 0; q < reach; q += lanes)
        core.starts.push_back(core.exact ? q / core.out_width * core.pitch + q % core.out_width : q);
}

// weight(o, k): the element of kernel o at depth k.
template <class T, class Weight>
void pack_weights(Core<T>& core, const Weight& weight) {
    core.weights.assign(static_cast<size_t>(core.groups * core.blocks() * core.depth * conv_rows), T(0));
    T* packed = core.weights.data();
    for (index_t group = 0; group < core.groups; ++group)
        for (index_t block = 0; block < core.blocks(); ++block, packed += core.depth * conv_rows)
            for (index_t r = 0; r < conv_rows && block * conv_rows + r < core.group_kernels; ++r)
                for (index_t k = 0; k < core.depth; ++k)
                    packed[k * conv_rows + r] = weight(group * core.group_kernels + block * conv_rows + r, k);
}

// Blocks [first, last) of all groups' kernels over one image. `scratch` holds conv_rows rows of vectors.
template <class T>
void run_blocks(const Core<T>& core, const T* image, const T* bias, T* out, T* scratch, index_t first, index_t last) {
    const index_t vectors = static_cast<index_t>(core.starts.size()), span = vectors * loops<T>().lanes;
    const index_t places = core.out_height * core.out_width;
    for (index_t item = first; item < last; ++item) {
        const index_t group = item / core.blocks(), block = item % core.blocks();
        const index_t kernel = group * core.group_kernels + block * conv_rows;
        const index_t left = core.group_kernels - block * conv_rows, rows = left < conv_rows ? left : conv_rows;
        T edge[conv_rows] = {};
        for (index_t r = 0; bias && r < rows; ++r) edge[r] = bias[kernel + r];
        T* target = core.exact ? out + kernel * places : scratch;
        loops<T>().conv_block(core.weights.data() + item * core.depth * conv_rows, core.offsets.data(), core.depth,
                              image + group * core.group_channels * core.plane, core.starts.data(), vectors, target,
                              core.exact ? places : span, rows, edge);
        if (core.exact) continue;
        for (index_t r = 0; r < rows; ++r)
            for (index_t i = 0; i < core.out_height; ++i)
                std::memcpy(out + (kernel + r) * places + i * core.out_width, scratch + r * span + i * core.pitch,
                            static_cast<size_t>(core.out_width) * sizeof(T));
    }
}

// fill(n, buffer) writes image n as the core wants it.
template <class T, class Fill>
void run_core(const Core<T>& core, index_t images, const T* bias, T* out, const Fill& fill) {
    const index_t blocks = core.groups * core.blocks(), places = core.out_height * core.out_width;
    const index_t out_size = core.groups * core.group_kernels * places;
    const index_t scratch_size = static_cast<index_t>(core.starts.size()) * loops<T>().lanes * conv_rows;
    const index_t cost = places * core.depth * conv_rows / 4;  // of a block, in additions
    if (images == 1) {
        std::vector<T> image(static_cast<size_t>(core.image_size()));
        fill(0, image.data());
        parallel_for(blocks, cost, [&](index_t first, index_t last) {
            std::unique_ptr<T[]> scratch(new T[static_cast<size_t>(scratch_size)]);
            run_blocks(core, image.data(), bias, out, scratch.get(), first, last);
        });
        return;
    }
    parallel_for(images, blocks * cost, [&](index_t begin, index_t end) {
        std::unique_ptr<T[]> memory(new T[static_cast<size_t>(core.image_size() + scratch_size)]());
        T *image = memory.get(), *scratch = image + core.image_size();
        for (index_t n = begin; n < end; ++n) {
            fill(n, image);
            run_blocks(core, image, bias, out + n * out_size, scratch, 0, blocks);
        }
    });
}

template <class T>
void kernel_offsets(Core<T>& core, index_t rows, index_t columns, index_t row_step, index_t column_step) {
    for (index_t c = 0; c < core.group_channels; ++c)
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) core.offsets.push_back(c * core.plane + i * row_step + j * column_step);
}

}  // namespace wengert
