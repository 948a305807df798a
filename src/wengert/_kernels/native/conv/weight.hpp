// The gradient of the kernels, in two forms.
//
// For few kernels: planes of the gradient times the inputs that each element of a kernel met, summed along lines of
// positions in vectors, without packing. For more kernels: a product whose left factor, the inputs that each element of
// a kernel met, is read unpacked from framed images (`conv/unpacked.hpp`); the gradient is the right factor, in vectors
// of kernels. No Python here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "conv/panels.hpp"
#include "conv/unpacked.hpp"
#include "linalg/packed.hpp"

namespace wengert {

// ---- few kernels: sums along lines of positions ---------------------------------------------------------------------
// The positions of a plane as lines of whole vectors; behind the end of a line the gradient is zero. All rows form one
// line, including the elements between them, where that is no more work: beginning a line costs half a vector.
template <class T> PlaneLines plane_lines(const Geometry& g, const VolumeFrame& f) {
    const index_t lanes = loops<T>().lanes, step = row_step(g, f), rows = g.out[1], columns = g.out[2];
    const index_t along = pieces_of(columns, lanes), as_one_line = pieces_of((rows - 1) * step + columns, lanes);
    PlaneLines lines = {1, rows, along, 0, along * lanes, 0, step};
    if (as_one_line < along * rows + rows / 2)
        lines.count = 1, lines.vectors = as_one_line, lines.grads_line = as_one_line * lanes;
    return lines;
}

// Whether few elements of the lines are not positions, and the lines end inside the input where it has no frame.
template <class T> bool has_plane_lines(const Geometry& g) {
    const index_t most_kernels =
        std::max<index_t>(6, loops<T>().lanes * 3 / 4);  // that leave too much of a vector of kernels unused
    constexpr index_t least_share = 10;                  // of twelve elements of the lines
    const VolumeFrame f = input_frame(g);
    const PlaneLines lines = plane_lines<T>(g, f);
    const index_t elements = lines.count * lines.vectors * loops<T>().lanes;
    return loops<T>().lanes >= 4 && g.group_kernels() <= most_kernels && g.area() * 12 >= elements * least_share &&
           (!f.is_plain(g.size) || elements == g.area());
}

// The gradient of some images as lines; the gradient itself where its planes are lines already.
template <class T> struct GradLines {
    GradLines(const Geometry& geometry, const PlaneLines& plane_lines, index_t row_step, index_t images)
        : g(geometry),
          lines(plane_lines),
          size(lines.count * lines.grads_line),
          row(lines.count == 1 ? row_step : lines.grads_line) {
        if (size != g.area()) memory = zeros<T>(images * g.kernels * g.out[0] * size);
    }
    void fill(const T* grad, index_t images) {
        data = grad;
        if (!memory) return;
        data = memory.get();
        parallel_for(images * g.kernels * g.out[0], size, [&](index_t begin, index_t end) {
            for (index_t p = begin; p < end; ++p)
                for (index_t r = 0; r < g.out[1]; ++r)
                    std::memcpy(memory.get() + p * size + r * row, grad + p * g.area() + r * g.out[2],
                                static_cast<size_t>(g.out[2]) * sizeof(T));
        });
    }
    const Geometry& g;
    const PlaneLines& lines;
    index_t size, row;
    Scratch<T> memory;
    const T* data = nullptr;
};

// Tiles of some kernels and some of their elements, and the sums of each tile.
template <class T> class GradTiles {
public:
    GradTiles(const Geometry& geometry, const PlaneLines& plane_lines, index_t channel_size, const Indices& taps)
        : g_(geometry),
          lines_(plane_lines),
          grads_size_(g_.out[0] * lines_.count * lines_.grads_line),
          channel_size_(channel_size),
          taps_(taps),
          height_(loops<T>().grad_rows),
          width_(loops<T>().grad_taps),
          rows_(pieces_of(g_.group_kernels(), height_)),
          blocks_(pieces_of(g_.terms(), tiles * width_)) {}
    index_t count() const { return g_.groups * rows_ * blocks_; }
    index_t cost(index_t images) const {
        return (Size(images) * g_.positions() * height_ * tiles * width_).value_or_most() / 4;
    }
    // out = or += the gradients of tiles [begin, end), of `images` images.
    void run(const T* grads, const T* input, index_t images, T* out, bool add, index_t begin, index_t end) const {
        const index_t lanes = loops<T>().lanes, tile = height_ * width_ * lanes;
        const std::unique_ptr<T[]> sums(new T[static_cast<size_t>(tiles * tile)]);
        const index_t volumes = g_.out[0] > 1 ? images : 1, planes = g_.out[0] > 1 ? g_.out[0] : images;
        const index_t together = pieces_of(least_vectors, lines_.count * lines_.vectors),
                      pieces = pieces_of(planes, together);
        for (index_t at = begin; at < end; ++at) {
            const index_t block = at % blocks_, row = at / blocks_ % rows_ * height_, group = at / blocks_ / rows_;
            const index_t first = block * tiles * width_, last = std::min(first + tiles * width_, g_.terms());
            std::memset(sums.get(), 0, static_cast<size_t>(tiles * tile) * sizeof(T));
            for (index_t piece = 0; piece < volumes * pieces; ++piece) {
                const index_t volume = piece / pieces, plane = piece % pieces * together;
                PlaneLines lines = lines_;
                lines.planes = std::min(together, planes - plane);
                const T* grad = grads + volume * g_.kernels * grads_size_ + plane * lines.grads_plane;
                const T* from = input + volume * g_.channels * channel_size_ + plane * lines.input_plane;
                for (index_t t = first; t < last; t += width_)
                    add_tile(grad, from, group, row, t, lines, sums.get() + (t - first) / width_ * tile);
            }
            for (index_t r = 0; r < height_ && row + r < g_.group_kernels(); ++r)
                for (index_t t = first; t < last; ++t) {
                    const T* lane =
                        sums.get() + (t - first) / width_ * tile + (r * width_ + (t - first) % width_) * lanes;
                    T total = 0;
                    for (index_t i = 0; i < lanes; ++i) total += lane[i];
                    T& position = out[(group * g_.group_kernels() + row + r) * g_.terms() + t];
                    position = add ? position + total : total;
                }
        }
    }

private:
    static constexpr index_t tiles =
        8;  // that use the same elements of the gradient while these are in the first cache
    static constexpr index_t least_vectors = 64;  // for which a tile stays in the registers
    static constexpr index_t most_grads = 4, most_taps = 6;
    // Missing rows and elements are read from others, and their sums are not used.
    void add_tile(const T* grads, const T* input, index_t group, index_t row, index_t first, const PlaneLines& lines,
                  T* sums) const {
        const T *rows[most_grads], *values[most_taps];
        for (index_t r = 0; r < height_; ++r)
            rows[r] = grads + (group * g_.group_kernels() + std::min(row + r, g_.group_kernels() - 1)) * grads_size_;
        for (index_t t = 0; t < width_; ++t)
            values[t] = input + group * g_.group_channels * channel_size_ +
                        taps_[static_cast<size_t>(std::min(first + t, g_.terms() - 1))];
        loops<T>().correlate_lines(rows, values, lines, sums);
    }
    const Geometry& g_;
    const PlaneLines& lines_;
    index_t grads_size_, channel_size_;  // of the gradient of a kernel, and of a channel in its frame
    const Indices& taps_;
    index_t height_, width_, rows_, blocks_;
};

// False if a sum is not finite: a zero behind the end of a line may have been multiplied by an infinity that the twin
// does not read.
template <class T> bool lines_backward_weight(const Geometry& g, const T* grad, const T* x, T* out) {
    Framed<T> frames = framed_images<T>(input_frame(g), g.images, g.channels, g.size, g.positions());
    PlaneLines lines = plane_lines<T>(g, frames.frame);
    GradLines<T> grad_lines(g, lines, lines.input_line, frames.images);
    const bool volumes = g.out[0] > 1;  // the planes of one, otherwise those of several images
    lines.grads_plane = volumes ? grad_lines.size : g.kernels * grad_lines.size;
    lines.input_plane = volumes ? plane_step(g, frames.frame) : frames.image_size();
    const Indices taps = input_taps(g, frames.frame);
    const GradTiles<T> tiles(g, lines, frames.frame.volume(), taps);
    for (index_t first = 0; first < g.images; first += frames.images) {
        const index_t images = g.images - first < frames.images ? g.images - first : frames.images;
        frames.fill(x + first * g.channels * g.volume(), images);
        grad_lines.fill(grad + first * g.kernels * g.positions(), images);
        parallel_for(tiles.count(), tiles.cost(images), [&](index_t begin, index_t end) {
            tiles.run(grad_lines.data, frames.data, images, out, first > 0, begin, end);
        });
    }
    for (index_t i = 0; i < g.kernels * g.terms(); ++i)
        if (!std::isfinite(out[i])) return false;
    return true;
}

// ---- many kernels: products with an unpacked left factor ------------------------------------------------------------
// Whether kernels fill half a vector, and there are so many positions that the packing that is saved outweighs the
// transposition of the result at the end.
template <class T> bool worth_kernel_tiles(const Geometry& g) {
    constexpr index_t least_positions = 2;  // for each kernel
    return g.group_kernels() * 2 >= loops<T>().lanes && g.images * g.positions() >= least_positions * g.group_kernels();
}

template <class T> void backward_weight_tiles(const Geometry& g, const T* grad, const T* x, T* out) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), positions = g.positions();
    Framed<T> frames = framed_images<T>(input_frame(g), g.images, g.channels, g.size, positions);
    const Indices at =
        ProductPositions(forward_lattice(g, frames.frame), 0, frames.images, frames.image_size(), 0).source;
    const Indices along = grid(frames.images, g.kernels * positions, 1, 0, positions, 1),
                  across = grid(1, 0, 1, 0, outputs, positions);
    RightPanels<T> grads(g.groups, frames.images * positions, outputs);
    UnpackedTiles<T> tiles(grads, input_taps(g, frames.frame));
    for (index_t first = 0; first < g.images; first += frames.images) {
        const index_t images = std::min(frames.images, g.images - first), before = first * g.kernels * positions;
        frames.fill(x + first * g.channels * g.volume(), images);
        grads.fill({grad + before, along.data(), across.data(), g.images * g.kernels * positions - before},
                   outputs * positions, images * positions);
        tiles.run(frames.data, at.data(), g.group_channels * frames.frame.volume(), images * positions, first > 0);
    }
    tiles.for_each_tile([&](index_t group, index_t term, index_t count, index_t panel, const T* sums) {
        const index_t lanes = loops<T>().lanes, width = grads.vectors(panel) * lanes, kernel = panel * 2 * lanes;
        T* to = out + (group * outputs + kernel) * terms + term;
        loops<T>().transpose_matrix(sums, width, count, std::min(width, outputs - kernel), to, terms);
    });
}

}  // namespace wengert
