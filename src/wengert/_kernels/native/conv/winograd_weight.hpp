// The gradient of 3 x 3 kernels by the tiles of `conv/winograd.hpp`: the sixteen slopes of a tile's products times what
// the tile asked of its inputs, summed over all tiles. Planes are turned round for it, channels side by side: tiles are
// the inner dimension. No Python here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "conv/winograd.hpp"

namespace wengert {

template <class T> class SlopesOfTiles {
public:
    explicit SlopesOfTiles(const Correlation& correlation)
        : c_(correlation),
          width_(2 * loops<T>().lanes),
          slice_panels_(pieces_of(c_.channels, width_)),
          panels_(c_.slices * slice_panels_),
          rows_(c_.outputs),
          lines_(
              std::min(c_.planes() * c_.down(), pieces_of(std::max(least_tiles, most_sums / c_.inputs()), c_.right()))),
          asked_apart_(panels_ * width_ * tiles() + gap),
          slopes_apart_(rows_.rows() * tiles() + gap),
          kernels_apart_(rows_.rows() * panels_ * width_ + gap),
          along_(static_cast<size_t>(std::max(c_.size[2], c_.out[2]))),
          asked_(scratch<T>(elements * asked_apart_)),
          slopes_(scratch<T>(elements * slopes_apart_)),
          kernels_(scratch<T>(elements * kernels_apart_)) {
        std::iota(along_.begin(), along_.end(), index_t{0});
    }

    // False where a result is not finite: others of its kernel may be so for that reason alone.
    bool run(const T* grad, const T* x, T* out) {
        const index_t all = c_.planes() * c_.down(), result = c_.outputs * c_.inputs() * 9;
        for (index_t group = 0; group < c_.groups; ++group) {
            for (index_t first = 0; first < all; first += lines_) {
                const index_t last = std::min(first + lines_, all);
                ask(grad, x, group, first, last);
                multiply((last - first) * c_.right(), first > 0);
            }
            parallel_for(c_.outputs * c_.slices, c_.channels * 32, [&](index_t begin, index_t end) {
                for (index_t at = begin; at < end; ++at)
                    loops<T>().kernels_of_tiles(
                        kernels_.get() + at * slice_panels_ * width_, kernels_apart_, c_.channels,
                        out + group * result + (at / c_.slices * c_.inputs() + at % c_.slices) * 9, c_.slices * 9);
            });
        }
        return std::all_of(out, out + c_.groups * result, [](T each) { return std::isfinite(each); });
    }

private:
    static constexpr index_t elements = 16, most_rows = RowPanels<T>::most_rows, most_columns = Panel::most_columns;
    static constexpr index_t least_tiles = 128, most_sums = 1 << 14;  // at a time: for the second cache
    static constexpr index_t gap = 64 / sizeof(T);  // so that the sixteen sums of a tile do not share places of a cache

    index_t tiles() const { return lines_ * c_.right(); }  // at a time

    // Both factors for lines [first, last) of tiles of all planes.
    void ask(const T* grad, const T* x, index_t group, index_t first, index_t last) {
        const index_t down = c_.down(), planes = (last - 1) / down - first / down + 1, each = panels_ + rows_.panels();
        const index_t cost = pieces_of(last - first, planes) * c_.right() * width_ * 8;
        parallel_for(planes * each, cost, [&](index_t begin, index_t end) {
            const index_t most = std::min(down, last - first);
            const Scratch<T> pixels = scratch<T>((2 * most + 2) * (2 * c_.right() + 2) * width_);
            for (index_t at = begin; at < end; ++at) {
                const index_t plane = first / down + at / each, from = std::max(first, plane * down),
                              to = std::min(last, (plane + 1) * down);
                if (at % each < panels_)
                    ask_inputs(x, group, plane, from - plane * down, to - from, at % each, from - first, pixels.get());
                else
                    ask_slopes(grad, group, plane, from - plane * down, to - from, at % each - panels_, from - first,
                               pixels.get());
            }
        });
    }
    // `plane` of those of all results, of which an input sees one, or none where its slice of the kernels lies outside.
    void ask_inputs(const T* x, index_t group, index_t plane, index_t line, index_t count, index_t panel, index_t to,
                    T* pixels) {
        const index_t area = c_.size[1] * c_.size[2], pitch = (2 * c_.right() + 2) * width_,
                      first = panel % slice_panels_ * width_;
        const index_t seen = plane % c_.out[0] + panel / slice_panels_ - c_.before[0],
                      rows = seen >= 0 && seen < c_.size[0] ? c_.size[1] : 0;
        index_t columns[most_columns];
        for (index_t j = 0; j < width_; ++j) columns[j] = std::min(first + j, c_.channels - 1) * c_.size[0] * area;
        const T* planes =
            x + (plane / c_.out[0] * c_.groups + group) * c_.channels * c_.size[0] * area + (rows ? seen * area : 0);
        for (index_t i = 0; i < 2 * count + 2; ++i)
            turn_row(2 * line + i - c_.before[1], rows, c_.size[2], c_.before[2], 2 * c_.right() + 2, width_,
                     pixels + i * pitch, [&](index_t row, index_t depth, T* out) {
                         loops<T>().pack_columns(planes + row * c_.size[2], along_.data(), depth, columns, nullptr, 0,
                                                 out);
                     });
        for (index_t i = 0; i < count; ++i)
            loops<T>().tiles_of_pixels(pixels + 2 * i * pitch, pitch, c_.right(),
                                       asked_.get() + (panel * tiles() + (to + i) * c_.right()) * width_, asked_apart_);
    }
    void ask_slopes(const T* grad, index_t group, index_t plane, index_t line, index_t count, index_t panel, index_t to,
                    T* pixels) {
        const index_t area = c_.out[1] * c_.out[2], first = rows_.row_of(panel), height = rows_.height(panel),
                      pitch = 2 * c_.right() * height;
        index_t columns[most_rows];
        for (index_t j = 0; j < height; ++j) columns[j] = std::min(first + j, c_.outputs - 1) * c_.out[0] * area;
        const T* planes =
            grad + (plane / c_.out[0] * c_.groups + group) * c_.outputs * c_.out[0] * area + plane % c_.out[0] * area;
        for (index_t i = 0; i < 2 * count; ++i)
            turn_row(2 * line + i, c_.out[1], c_.out[2], 0, 2 * c_.right(), height, pixels + i * pitch,
                     [&](index_t row, index_t depth, T* out) {
                         loops<T>().pack_rows[rows_.kind(panel)](planes + row * c_.out[2], along_.data(), depth,
                                                                 columns, out);
                     });
        for (index_t i = 0; i < count; ++i)
            loops<T>().slopes_of_pixels[rows_.kind(panel)](
                pixels + 2 * i * pitch, pitch, c_.right(),
                slopes_.get() + first * tiles() + (to + i) * c_.right() * height, slopes_apart_);
    }
    // One row of planes, `width` channels side by side, with `before` zeros before it and zeros up to `columns` behind
    // it.
    template <class Pack>
    static void turn_row(index_t row, index_t rows, index_t length, index_t before, index_t columns, index_t width,
                         T* out, const Pack& pack) {
        const index_t begin = std::min(before, columns), end = std::min(before + length, columns);
        const bool inside = row >= 0 && row < rows && begin < end;
        const index_t first = inside ? begin : columns, last = inside ? end : columns;
        std::memset(out, 0, static_cast<size_t>(first * width) * sizeof(T));
        if (inside) pack(row, end - begin, out + begin * width);
        std::memset(out + last * width, 0, static_cast<size_t>((columns - last) * width) * sizeof(T));
    }

    // kernels = or += slopes' asked, for `count` tiles.
    void multiply(index_t count, bool add) {
        const index_t cost = (Size(count) * most_rows * panels_ * width_).value_or_most();
        parallel_for(elements * rows_.panels(), cost, [&](index_t begin, index_t end) {
            for (index_t at = begin; at < end; ++at) {
                const index_t e = at / rows_.panels(), p = at % rows_.panels(), first = rows_.row_of(p),
                              height = rows_.height(p);
                const auto product = loops<T>().packed_tile[rows_.kind(p)];
                for (index_t t = 0; t < count; t += packed_depth)
                    for (index_t panel = 0; panel < panels_; ++panel)
                        product(slopes_.get() + e * slopes_apart_ + first * tiles() + t * height,
                                asked_.get() + e * asked_apart_ + (panel * tiles() + t) * width_, nullptr, 0,
                                std::min(packed_depth, count - t),
                                kernels_.get() + e * kernels_apart_ + (first * panels_ + panel) * width_,
                                panels_ * width_, nullptr, add || t > 0);
            }
        });
    }

    const Correlation& c_;
    index_t width_, slice_panels_, panels_;  // of the channels in a slice of the kernels, and of all inputs
    RowPanels<T> rows_;                      // of outputs
    index_t lines_, asked_apart_, slopes_apart_, kernels_apart_;
    Indices along_;
    Scratch<T> asked_, slopes_,
        kernels_;  // element by element: (panels, tiles, columns or rows of a panel); (outputs, inputs)
};

// out = the gradient of the kernels; false, with `out` to be filled otherwise, where that is more work by tiles or no
// finite number.
template <class T> bool slopes_by_tiles(const Geometry& g, const Correlation& c, const T* grad, const T* x, T* out) {
    const index_t width = 2 * loops<T>().lanes, tiles = c.tiles();
    const Size pairs =
        Size(c.slices * pieces_of(c.channels, width)) * width * RowPanels<T>(c.outputs).rows();  // of whole panels
    return tiles_pay<T>(g, c, pairs, tiles, 20 * width) && SlopesOfTiles<T>(c).run(grad, x, out);
}

}  // namespace wengert
