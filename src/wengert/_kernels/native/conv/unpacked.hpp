// Products of matrices whose left factor is read unpacked, a number at a time, and whose right one is packed once: for
// left factors that are not worth packing, because the right factor has few columns or because elements repeat.
// Elements are summed in blocks of `packed_depth`, as those of linalg/packed.hpp. No Python here.
#pragma once

#include <algorithm>

#include "base/frames.hpp"
#include "linalg/packed.hpp"

namespace wengert {

// Right factors of some groups, (depth, columns) each, `step` apart in memory: block by block, in panels of two
// vectors; the last panel of a group may have one. Lanes without a column hold the last column.
template <class T> class RightPanels {
public:
    RightPanels(index_t groups, index_t depth, index_t columns)
        : groups_(groups),
          depth_(depth),
          columns_(columns),
          lanes_(loops<T>().lanes),
          vectors_(pieces_of(columns, lanes_)),
          memory_(scratch<T>(groups * depth * vectors_ * lanes_)) {}
    index_t groups() const { return groups_; }
    index_t columns() const { return columns_; }
    index_t panels() const { return pieces_of(vectors_, 2); }  // of a group
    index_t vectors(index_t p) const { return vectors_ - 2 * p < 2 ? 1 : 2; }
    // Panel `p` of a group, from row `k` on, where a block begins.
    T* panel(index_t group, index_t p, index_t k) const {
        const index_t depth = std::min(packed_depth, depth_ - k);
        return memory_.get() + (group * depth_ * vectors_ + k * vectors_ + 2 * p * depth) * lanes_;
    }
    // `depth` rows, of all that there is room for.
    void fill(const Spread<T>& right, index_t step, index_t depth) {
        const index_t blocks = pieces_of(depth, packed_depth);
        parallel_for(groups_ * blocks * panels(), packed_depth * 4 * lanes_, [&](index_t first, index_t last) {
            for (index_t item = first; item < last; ++item) {
                const index_t group = item / panels() / blocks, k = item / panels() % blocks * packed_depth;
                fill_panel(right.data + group * step, right, group, item % panels(), k,
                           std::min(packed_depth, depth - k));
            }
        });
    }

private:
    void fill_panel(const T* data, const Spread<T>& right, index_t group, index_t p, index_t k, index_t depth) const {
        index_t columns[Panel::most_columns];
        for (index_t j = 0; j < vectors(p) * lanes_; ++j)
            columns[j] = right.columns[std::min(2 * p * lanes_ + j, columns_ - 1)];
        if (vectors(p) == 2)
            loops<T>().pack_columns(data, right.rows + k, depth, columns, nullptr, 0, panel(group, p, k));
        else
            loops<T>().pack_vector(data, right.rows + k, depth, columns, panel(group, p, k));
    }
    index_t groups_, depth_, columns_, lanes_, vectors_;
    Scratch<T> memory_;
};

// The sums of such products, in tiles of `packed_rows` rows and of a panel, panel by panel.
template <class T> class UnpackedTiles {
public:
    // `columns` are those of the left factor, one for each row of a product.
    UnpackedTiles(const RightPanels<T>& right, const Indices& columns)
        : right_(right),
          count_(static_cast<index_t>(columns.size())),
          height_(loops<T>().packed_rows),
          rows_(pieces_of(count_, height_)),
          columns_(columns),
          memory_(scratch<T>(count() * size())) {
        columns_.resize(static_cast<size_t>(rows_ * height_), columns.back());
    }
    index_t count() const { return right_.groups() * rows_ * right_.panels(); }
    index_t size() const { return height_ * 2 * loops<T>().lanes; }
    index_t cost(index_t depth) const { return (Size(depth) * 2 * loops<T>().lanes).value_or_most(); }
    // Adds the products of `depth` rows to all tiles, or begins them with those. Left factors are `step` apart.
    void run(const T* left, const index_t* rows, index_t step, index_t depth, bool add) {
        parallel_for(count(), cost(depth), [&](index_t begin, index_t end) {
            for (index_t k = 0; k < depth; k += packed_depth)  // a block's panel stays in the first cache for all rows
                for (index_t tile = begin; tile < end; ++tile)
                    run_tile(left, rows + k, step, k, std::min(packed_depth, depth - k), add || k > 0, tile);
        });
    }
    // write(group, row, rows, panel, sums): what is to be done with each tile, whose rows are as long as its panel has
    // lanes.
    template <class Write> void for_each_tile(const Write& write) {
        parallel_for(count(), size(), [&](index_t begin, index_t end) {
            for (index_t tile = begin; tile < end; ++tile) {
                const index_t row = row_of(tile);
                write(group_of(tile), row, std::min(height_, count_ - row), panel_of(tile),
                      memory_.get() + tile * size());
            }
        });
    }

private:
    index_t group_of(index_t tile) const { return tile / rows_ / right_.panels(); }
    index_t panel_of(index_t tile) const { return tile / rows_ % right_.panels(); }
    index_t row_of(index_t tile) const { return tile % rows_ * height_; }
    void run_tile(const T* left, const index_t* rows, index_t step, index_t k, index_t depth, bool add,
                  index_t tile) const {
        const index_t p = panel_of(tile), group = group_of(tile);
        loops<T>().unpacked_tile[right_.vectors(p) - 1](left + group * step, rows, columns_.data() + row_of(tile),
                                                        right_.panel(group, p, k), depth, memory_.get() + tile * size(),
                                                        add);
    }
    const RightPanels<T>& right_;
    index_t count_, height_, rows_;
    Indices columns_;
    Scratch<T> memory_;
};

// Whether a product of `rows` rows has so few columns that packing its left factor would take a large part of the time.
template <class T> bool worth_unpacked(index_t rows, index_t columns) {
    constexpr index_t most_panels = 4, least_panels = 8;  // of columns, and of rows
    return columns <= most_panels * 2 * loops<T>().lanes && rows >= least_panels * loops<T>().packed_rows;
}

// target = left' right, of `depth` rows each, `rows` and `columns` columns; without rows nothing is written, as by
// multiply_packed.
template <class T>
void multiply_unpacked(const Spread<T>& left, index_t rows, index_t depth, const Spread<T>& right, index_t columns,
                       const Target<T>& target) {
    if (depth == 0) return;
    RightPanels<T> panels(1, depth, columns);
    panels.fill(right, 0, depth);
    UnpackedTiles<T> tiles(panels, Indices(left.columns, left.columns + rows));
    tiles.run(left.data, left.rows, 0, depth, false);
    tiles.for_each_tile([&](index_t, index_t row, index_t count, index_t p, T* sums) {
        const index_t lanes = loops<T>().lanes, width = panels.vectors(p) * lanes, first = p * 2 * lanes;
        Panel panel;
        describe_target(target.columns + first, std::min(width, columns - first), panel);
        for (index_t r = 0; target.bias && r < count; ++r)
            for (index_t j = 0; j < width; ++j) sums[r * width + j] += target.bias[row + r];
        loops<T>().store_tile(sums, width, panel.pieces, panel.pieces_used, count, target.data + row * target.row_step,
                              target.row_step, target.add);
    });
}

}  // namespace wengert
