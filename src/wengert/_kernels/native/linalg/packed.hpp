// Products of matrices that are read through tables of offsets: element (k, j) is data[rows[k] + columns[j]]. The
// windows of a convolution are such a matrix of its input, which need not be copied. Each element of a product is one
// sum in the order of the inner dimension, in blocks of `packed_depth`, whatever the tiles, blocks and threads. No
// Python here.
#pragma once

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "base/scratch.hpp"
#include "base/simd.hpp"
#include "base/threads.hpp"

namespace wengert {

constexpr index_t packed_depth = 256;  // so that a panel of the right factor stays in the first-level cache
// Rows from one panel to the next: packing may write beyond the last row.
constexpr index_t packed_rows_apart = packed_depth + 1;
// Panels of the right factor that are packed at a time, so that they stay in the second-level cache; and for a left
// factor of `tall_panels` panels and more, which no such cache holds and which is read once for each block.
constexpr index_t block_panels = 8;
constexpr index_t most_panels = 24;
constexpr index_t tall_panels = 56;
constexpr index_t least_panels = 8;   // panels of rows of a thread, from which on it packs the right factor itself
constexpr index_t few_panels = 6;     // panels of the left factor, up to which packing the right one does not pay
constexpr index_t few_tiles = 4;      // tiles of a block, from which on it is worth a thread
constexpr index_t near_bytes = 2048;  // between rows of the right factor, up to which it may be read unpacked
constexpr index_t rows_together = 8;  // rows of the right factor that are packed for all panels, then the next ones
// Runs of adjacent columns in a panel, up to which it is copied run by run; and where rows are adjacent, so that blocks
// can be transposed instead.
constexpr int most_runs = 12;
constexpr int most_runs_transposed = 2;

inline index_t pieces_of(index_t count, index_t size) { return (count + size - 1) / size; }

// A matrix that is read through tables of offsets.
template <class T> struct Spread {
    const T* data;
    const index_t *rows, *columns;
    index_t size;  // elements from `data` on that may be read
};

// The target of a product: element (m, j) is written to data[m * row_step + columns[j]], with bias[m] added, or with
// `add` added to the value there. The offset of a column that is not written is `nowhere`.
constexpr index_t nowhere = std::numeric_limits<index_t>::min();
template <class T> struct Target {
    T* data;
    index_t row_step;
    const index_t* columns;
    const T* bias;
    bool add;
};

// Panels of adjacent columns are packed together, row by row: a row is read for one panel after the other. With panels
// a power of two apart in memory, the first-level cache holds this many lines of one set.
constexpr index_t most_together = 8;
template <class T, int width>
void copy_panels(const T* data, const index_t* rows, index_t depth, index_t panels, T* out) {
    for (index_t k = 0; k < depth; ++k) {
        const T* from = data + rows[k];
        T* to = out + k * width;
        for (index_t p = 0; p < panels; ++p, from += width, to += depth * width)
            for (int r = 0; r < width; ++r) to[r] = from[r];
    }
}
template <class T>
void copy_together(const T* data, const index_t* rows, index_t depth, index_t width, index_t panels, T* out) {
    switch (width) {
        case 2: return copy_panels<T, 2>(data, rows, depth, panels, out);
        case 4: return copy_panels<T, 4>(data, rows, depth, panels, out);
        case 6: return copy_panels<T, 6>(data, rows, depth, panels, out);
        case 8: return copy_panels<T, 8>(data, rows, depth, panels, out);
        default: return copy_panels<T, 12>(data, rows, depth, panels, out);
    }
}

// The rows of a left factor, cut into panels of `packed_rows` rows. Of several panels the last one or two may have only
// two thirds of that, a single one as few thirds as are enough, so that less than a third of a panel is padding.
template <class T> class RowPanels {
public:
    explicit RowPanels(index_t count)
        : count_(count),
          third_(loops<T>().packed_rows / 3),
          thirds_(pieces_of(count, third_)),
          panels_(pieces_of(thirds_, 3)),
          tall_(panels_ > 1 ? thirds_ - 2 * panels_ : 0) {}
    index_t count() const { return count_; }
    index_t panels() const { return panels_; }
    index_t rows() const { return thirds_ * third_; }  // of all panels
    index_t height(index_t p) const {
        if (p < tall_) return 3 * third_;
        return third_ * (panels_ > 1 ? 2 : thirds_);
    }
    index_t row_of(index_t p) const { return third_ * (p < tall_ ? 3 * p : 3 * tall_ + 2 * (p - tall_)); }
    // The index of the function for panels of this height in the tables of loops.
    int kind(index_t p) const { return static_cast<int>(height(p) / third_ - 1); }
    static constexpr index_t most_rows = 12;

protected:
    index_t count_, third_, thirds_, panels_, tall_;
};

// A left factor, (depth, count), packed into panels, one block of the depth after the other.
template <class T> class Packed : public RowPanels<T> {
public:
    using RowPanels<T>::height, RowPanels<T>::row_of, RowPanels<T>::kind, RowPanels<T>::rows, RowPanels<T>::most_rows;
    Packed(index_t count, index_t depth)
        : RowPanels<T>(count), depth_(depth), memory_(scratch<T>(rows() * depth + 1)) {}
    // Element (k, m) is matrix.data[matrix.rows[k] + matrix.columns[m]].
    void fill(const Spread<T>& matrix) {
        parallel_for(panels_, depth_ * loops<T>().packed_rows * 2,
                     [&](index_t first, index_t last) { fill(matrix, first, last); });
    }
    // The same for the panels [first, last), in the calling thread.
    void fill(const Spread<T>& matrix, index_t first, index_t last) {
        for (index_t p = first, together; p < last; p += together) {
            const index_t width = height(p), row = row_of(p);
            together = adjacent_panels(matrix, p, last);
            for (index_t k = 0; together && k < depth_; k += packed_depth)
                copy_together(matrix.data + matrix.columns[row], matrix.rows + k, block(k), width, together,
                              panel(k, p));
            if (together) continue;
            together = 1;
            index_t columns[most_rows];
            for (index_t r = 0; r < width; ++r) columns[r] = matrix.columns[row + r < count_ ? row + r : row];
            for (index_t k = 0; k < depth_; k += packed_depth)
                loops<T>().pack_rows[kind(p)](matrix.data, matrix.rows + k, block(k), columns, panel(k, p));
        }
    }
    void negate() {
        for (index_t i = 0; i < rows() * depth_; ++i)
            memory_[static_cast<size_t>(i)] = -memory_[static_cast<size_t>(i)];
    }
    index_t depth() const { return depth_; }
    index_t block(index_t k) const { return depth_ - k < packed_depth ? depth_ - k : packed_depth; }
    T* panel(index_t k, index_t p) const { return memory_.get() + k * rows() + row_of(p) * block(k); }
    // out = or += the product of `depth` rows of the panel with those of a panel of the right factor; see `tile_of`.
    void multiply(index_t k, index_t p, index_t depth, const T* right, const index_t* rows, index_t half_step, T* out,
                  index_t pitch, const T* bias, bool add) const {
        loops<T>().packed_tile[kind(p)](panel(k, p), right, rows, half_step, depth, out, pitch, bias, add);
    }

private:
    using RowPanels<T>::count_, RowPanels<T>::tall_, RowPanels<T>::panels_;
    // The number of whole panels of one height from p on, below `last`, whose columns are all adjacent in memory.
    index_t adjacent_panels(const Spread<T>& matrix, index_t p, index_t last) const {
        const index_t width = height(p), row = row_of(p), alike = p < tall_ && tall_ < last ? tall_ : last;
        index_t end = row + (alike - p < most_together ? alike - p : most_together) * width;
        if (end > count_) end = count_;
        index_t at = row + 1;
        while (at < end && matrix.columns[at] == matrix.columns[at - 1] + 1) ++at;
        return (at - row) / width;
    }
    index_t depth_;
    Scratch<T> memory_;
};

// The columns of one panel of a right factor: their offsets there and in the target, and the runs of adjacent ones.
struct Panel {
    static constexpr index_t most_columns = 32;
    index_t from[most_columns];
    int starts[most_columns + 1], runs;
    bool unpacked;  // read in place, as rows of two vectors that are `half_step`, for few panels of the left factor
    index_t half_step;
    TilePiece pieces[most_columns];  // of the target
    int pieces_used;

    // Whether the panel is whole and its columns are adjacent in the target.
    bool in_order(index_t width) const { return pieces_used == 1 && pieces[0].count == width && pieces[0].step == 1; }
};

// Describe the pieces of a target to which the `used` columns with the offsets `to` are written.
inline void describe_target(const index_t* to, index_t used, Panel& panel) {
    panel.pieces_used = 0;
    for (index_t j = 0; j < used; ++j) {
        if (to[j] == nowhere) continue;
        TilePiece* last = panel.pieces_used ? panel.pieces + panel.pieces_used - 1 : nullptr;
        if (last && last->begin + last->count == j &&
            (last->count == 1 || to[j] == last->to + last->count * last->step)) {
            if (last->count == 1) last->step = to[j] - last->to;
            ++last->count;
        } else {
            panel.pieces[panel.pieces_used++] = {j, 1, to[j], 1};
        }
    }
}

template <class T>
void describe_panel(const Spread<T>& right, const Target<T>& target, index_t last_row, index_t first, index_t columns,
                    bool few, bool transposed, Panel& panel) {
    const index_t width = 2 * loops<T>().lanes, used = columns - first < width ? columns - first : width;
    panel.runs = 0;
    for (index_t j = 0; j < width; ++j) {
        if (j < used)
            panel.from[j] = right.columns[first + j];
        else  // columns that are missing of a panel repeat others
            panel.from[j] = panel.from[j < width / 2 ? j - 1 : j - width / 2];
        if (j == 0 || panel.from[j] != panel.from[j - 1] + 1) panel.starts[panel.runs++] = static_cast<int>(j);
    }
    panel.starts[panel.runs] = static_cast<int>(width);
    describe_target(target.columns + first, used, panel);
    bool inside = panel.runs <= (transposed ? most_runs_transposed : most_runs);
    for (int run = 0; inside && run < panel.runs; ++run)
        inside = panel.from[panel.starts[run]] + last_row +
                     (panel.starts[run + 1] - panel.starts[run] > width / 2 ? width : width / 2) <=
                 right.size;
    if (!inside) panel.runs = 0;
    panel.unpacked = few && (panel.runs == 1 || (panel.runs == 2 && panel.starts[1] == width / 2));
    panel.half_step = panel.unpacked ? panel.from[width / 2] - panel.from[0] : width / 2;
}

// How the work is divided into blocks, by panels of rows and by columns. If there are enough rows, each thread takes
// those that it has packed itself: data that another core wrote are read slowly from its cache.
struct Cut {
    index_t columns, column_blocks, row_panels, row_blocks;
};
inline Cut cut_of(index_t rows_panels, index_t column_panels, index_t width) {
    const index_t threads = thread_count(), wanted = threads < 2 ? 1 : 3 * threads;
    index_t across = rows_panels < tall_panels ? block_panels : most_panels;
    index_t down = threads > 1 && rows_panels >= least_panels * threads ? pieces_of(rows_panels, threads) : rows_panels;
    while (across > 2 && pieces_of(column_panels, across) * pieces_of(rows_panels, down) < wanted) across /= 2;
    while (down > least_panels && pieces_of(column_panels, across) * pieces_of(rows_panels, down) < wanted)
        down = pieces_of(down, 2);
    // At least one block for each thread, though more of the right factor is packed twice.
    while (across * down > few_tiles && pieces_of(column_panels, across) * pieces_of(rows_panels, down) < threads)
        if (across > down)
            across /= 2;
        else
            down = pieces_of(down, 2);
    return {across * width, pieces_of(column_panels, across), down, pieces_of(rows_panels, down)};
}

// Pack the panels that are not read in place, of `depth` rows of the right factor from k on: some rows of all panels,
// then the next rows, so that each page of memory is visited once. Where rows are adjacent (`transposed`), all rows of
// a panel are packed at once.
template <class T>
void pack_panels(const Spread<T>& right, index_t k, index_t depth, bool transposed, const Panel* panels, index_t across,
                 T* packed) {
    const auto& table = loops<T>();
    const index_t width = 2 * table.lanes, together = transposed ? depth : rows_together;
    for (index_t row = 0; row < depth; row += together) {
        const index_t rows = depth - row < together ? depth - row : together;
        for (index_t p = 0; p < across; ++p) {
            if (panels[p].unpacked) continue;
            T* const out = packed + (p * packed_rows_apart + row) * width;
            table.pack_columns(right.data, right.rows + k + row, rows, panels[p].from, panels[p].starts, panels[p].runs,
                               out);
        }
    }
}

// One block of a product: the columns [begin, end) by the panels [first_panel, last_panel) of rows.
template <class T>
void multiply_block(const Packed<T>& left, const Spread<T>& right, index_t begin, index_t end, index_t first_panel,
                    index_t last_panel, index_t last_row, const Target<T>& target, Panel* panels, T* packed) {
    const auto& table = loops<T>();
    const index_t width = 2 * table.lanes, across = pieces_of(end - begin, width);
    alignas(64) T tile[Packed<T>::most_rows * Panel::most_columns];
    const bool near =
        left.depth() < 2 || (right.rows[1] - right.rows[0]) * static_cast<index_t>(sizeof(T)) <= near_bytes;
    const bool few = near && left.panels() <= few_panels,
               transposed = left.depth() > 3 && right.rows[3] == right.rows[0] + 3;
    for (index_t p = 0; p < across; ++p)
        describe_panel(right, target, last_row, begin + p * width, end, few, transposed, panels[p]);
    for (index_t k = 0; k < left.depth(); k += packed_depth) {
        const index_t depth = left.block(k);
        pack_panels(right, k, depth, transposed, panels, across, packed);
        const bool add = k > 0 || target.add;
        for (index_t m = first_panel; m < last_panel; ++m) {
            const index_t row = left.row_of(m), height = left.height(m),
                          rows = left.count() - row < height ? left.count() - row : height;
            T shifts[Packed<T>::most_rows] = {};
            const bool shifted = target.bias && k == 0;
            for (index_t r = 0; shifted && r < rows; ++r) shifts[r] = target.bias[row + r];
            for (index_t p = 0; p < across; ++p) {
                const bool unpacked = panels[p].unpacked;
                const T* bias = shifted ? shifts : nullptr;
                const T* b = unpacked ? right.data + panels[p].from[0] : packed + p * packed_rows_apart * width;
                const index_t* at = unpacked ? right.rows + k : nullptr;
                if (rows == height && panels[p].in_order(width)) {
                    T* out = target.data + row * target.row_step + panels[p].pieces[0].to;
                    left.multiply(k, m, depth, b, at, panels[p].half_step, out, target.row_step, bias, add);
                    continue;
                }
                left.multiply(k, m, depth, b, at, panels[p].half_step, tile, width, bias, false);
                table.store_tile(tile, width, panels[p].pieces, panels[p].pieces_used, rows,
                                 target.data + row * target.row_step, target.row_step, add);
            }
        }
    }
}

// The blocks [first, last) of a product, in the calling thread.
template <class T>
void multiply_blocks(const Packed<T>& left, const Spread<T>& right, index_t columns, const Target<T>& target,
                     const Cut& cut, index_t first, index_t last) {
    index_t last_row = 0;
    for (index_t k = 0; k < left.depth(); ++k) last_row = right.rows[k] > last_row ? right.rows[k] : last_row;
    const Scratch<T> packed = scratch<T>(cut.columns * packed_rows_apart);
    Panel panels[most_panels];
    for (index_t item = first; item < last; ++item) {
        const index_t begin = item % cut.column_blocks * cut.columns, panel = item / cut.column_blocks * cut.row_panels;
        const index_t end = begin + cut.columns < columns ? begin + cut.columns : columns;
        const index_t last_panel = panel + cut.row_panels < left.panels() ? panel + cut.row_panels : left.panels();
        multiply_block(left, right, begin, end, panel, last_panel, last_row, target, panels, packed.get());
    }
}

// target = left' right, with `columns` columns, by all threads.
template <class T>
void multiply_packed(const Packed<T>& left, const Spread<T>& right, index_t columns, const Target<T>& target) {
    const index_t width = 2 * loops<T>().lanes;
    const Cut cut = cut_of(left.panels(), pieces_of(columns, width), width);
    const index_t cost = (Size(left.depth()) * cut.columns * cut.row_panels).value_or_most();
    parallel_for(cut.column_blocks * cut.row_blocks, cost,
                 [&](index_t first, index_t last) { multiply_blocks(left, right, columns, target, cut, first, last); });
}

// The same in the calling thread.
template <class T>
void multiply_alone(const Packed<T>& left, const Spread<T>& right, index_t columns, const Target<T>& target) {
    const index_t width = 2 * loops<T>().lanes;
    const Cut cut = {block_panels * width, pieces_of(columns, block_panels * width), left.panels(), 1};
    multiply_blocks(left, right, columns, target, cut, 0, cut.column_blocks);
}

}  // namespace wengert
