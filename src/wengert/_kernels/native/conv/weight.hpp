// The gradient of few kernels: each plane of slopes times what each element of a kernel saw, summed along the lines of
// places, by vectors of places that follow each other, so that nothing is packed. No Python here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "conv/core.hpp"
#include "linalg/packed.hpp"

namespace wengert {

// The places of a plane as lines of whole vectors; behind the end of a line the slopes are zero. All rows are one line,
// with what lies between them, where that is no more work: to begin a line takes as long as half a vector.
template <class T> PlaneLines plane_lines(const Geometry& g, const VolumeFrame& f) {
    const index_t lanes = loops<T>().lanes, step = row_step(g, f), rows = g.out[1], columns = g.out[2];
    const index_t along = pieces_of(columns, lanes), whole = pieces_of((rows - 1) * step + columns, lanes);
    PlaneLines lines = {1, rows, along, 0, along * lanes, 0, step};
    if (whole < along * rows + rows / 2) lines.count = 1, lines.vectors = whole, lines.slopes_line = whole * lanes;
    return lines;
}

// Whether the lines have few places that are none, and end inside of the input where no frame follows it.
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

// Slopes as lines, the planes of some images; as they are where these are lines already.
template <class T> struct SlopeLines {
    SlopeLines(const Geometry& geometry, const PlaneLines& plane_lines, index_t row_step, index_t images)
        : g(geometry),
          lines(plane_lines),
          size(lines.count * lines.slopes_line),
          row(lines.count == 1 ? row_step : lines.slopes_line) {
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

// Some rows of kernels and a block of their elements: which tiles there are, and what is summed in each.
template <class T> class SlopeTiles {
public:
    SlopeTiles(const Geometry& geometry, const PlaneLines& plane_lines, index_t channel_size, const Indices& taps)
        : g_(geometry),
          lines_(plane_lines),
          slopes_size_(g_.out[0] * lines_.count * lines_.slopes_line),
          channel_size_(channel_size),
          taps_(taps),
          height_(loops<T>().slope_rows),
          width_(loops<T>().slope_taps),
          rows_(pieces_of(g_.group_kernels(), height_)),
          blocks_(pieces_of(g_.terms(), tiles * width_)) {}
    index_t count() const { return g_.groups * rows_ * blocks_; }
    index_t cost(index_t images) const {
        return (Size(images) * g_.places() * height_ * tiles * width_).value_or_most() / 4;
    }
    // out = or += the gradients of tiles [begin, end), of `images` images.
    void run(const T* slopes, const T* seen, index_t images, T* out, bool add, index_t begin, index_t end) const {
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
                const T* slope = slopes + volume * g_.kernels * slopes_size_ + plane * lines.slopes_plane;
                const T* from = seen + volume * g_.channels * channel_size_ + plane * lines.seen_plane;
                for (index_t t = first; t < last; t += width_)
                    add_tile(slope, from, group, row, t, lines, sums.get() + (t - first) / width_ * tile);
            }
            for (index_t r = 0; r < height_ && row + r < g_.group_kernels(); ++r)
                for (index_t t = first; t < last; ++t) {
                    const T* lane =
                        sums.get() + (t - first) / width_ * tile + (r * width_ + (t - first) % width_) * lanes;
                    T total = 0;
                    for (index_t i = 0; i < lanes; ++i) total += lane[i];
                    T& place = out[(group * g_.group_kernels() + row + r) * g_.terms() + t];
                    place = add ? place + total : total;
                }
        }
    }

private:
    static constexpr index_t tiles =
        8;  // whose elements of kernels meet the same slopes while these are in the first cache
    static constexpr index_t least_vectors = 64;  // for which a tile stays in the registers
    static constexpr index_t most_slopes = 4, most_taps = 6;
    // Rows and elements that there are not are others again, and of no use.
    void add_tile(const T* slopes, const T* seen, index_t group, index_t row, index_t first, const PlaneLines& lines,
                  T* sums) const {
        const T *rows[most_slopes], *values[most_taps];
        for (index_t r = 0; r < height_; ++r)
            rows[r] = slopes + (group * g_.group_kernels() + std::min(row + r, g_.group_kernels() - 1)) * slopes_size_;
        for (index_t t = 0; t < width_; ++t)
            values[t] = seen + group * g_.group_channels * channel_size_ +
                        taps_[static_cast<size_t>(std::min(first + t, g_.terms() - 1))];
        loops<T>().correlate_lines(rows, values, lines, sums);
    }
    const Geometry& g_;
    const PlaneLines& lines_;
    index_t slopes_size_, channel_size_;  // of a kernel's slopes, and of a channel in its frame
    const Indices& taps_;
    index_t height_, width_, rows_, blocks_;
};

// False where a sum is no number: a zero behind a line's end may have met an infinity, which the twin does not
// multiply.
template <class T> bool lines_backward_weight(const Geometry& g, const T* grad, const T* x, T* out) {
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.size, g.places());
    PlaneLines lines = plane_lines<T>(g, seen.frame);
    SlopeLines<T> slopes(g, lines, lines.seen_line, seen.images);
    const bool volumes = g.out[0] > 1;  // the planes of one, otherwise those of several images
    lines.slopes_plane = volumes ? slopes.size : g.kernels * slopes.size;
    lines.seen_plane = volumes ? plane_step(g, seen.frame) : seen.image_size();
    const Indices taps = input_taps(g, seen.frame);
    const SlopeTiles<T> tiles(g, lines, seen.frame.volume(), taps);
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(x + first * g.channels * g.volume(), images);
        slopes.fill(grad + first * g.kernels * g.places(), images);
        parallel_for(tiles.count(), tiles.cost(images), [&](index_t begin, index_t end) {
            tiles.run(slopes.data, seen.data, images, out, first > 0, begin, end);
        });
    }
    for (index_t i = 0; i < g.kernels * g.terms(); ++i)
        if (!std::isfinite(out[i])) return false;
    return true;
}

}  // namespace wengert
