// Correlations of planes with kernels of 3 x 3 elements at every place, by tiles of 2 x 2 results: sixteen products for each input
// and output of a tile instead of 36 (the minimal filtering of Winograd; Lavin and Gray 2016, arXiv:1509.09308). Of what tiles see
// and of kernels sixteen sums are made; each is one matrix product over the inputs, and sums of the sixteen products are the
// results. Rounding is that of a sum of twice to four times the size. No Python here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "conv_core.hpp"
#include "packed.hpp"

namespace wengert {

// What is seen, and what comes out of it. Element t of the kernel from an input to an output of a group lies in the weight at
// group * group_step + output * output_step + input * input_step + first_tap + t * tap_step.
struct Correlation {
    index_t images, groups, inputs, outputs;  // inputs and outputs of a group
    index_t height, width, before[2], out_height, out_width;  // of the planes that are seen, zeros before them, of the results
    index_t group_step, output_step, input_step, first_tap, tap_step;

    index_t down() const { return pieces_of(out_height, 2); }
    index_t right() const { return pieces_of(out_width, 2); }
};
inline Correlation forward_correlation(const Geometry& g) {
    const index_t outputs = g.group_kernels(), depth = g.depth();
    return {g.images, g.groups, g.depth_channels, outputs, g.height, g.width, {g.padding[0], g.padding[1]}, g.out_height, g.out_width,
            outputs * depth, depth, 9, 0, 1};
}
// The gradient of the input sees that of the output, with the kernels turned.
inline Correlation backward_correlation(const Geometry& g) {
    const index_t outputs = g.group_kernels(), depth = g.depth();
    return {g.images, g.groups, outputs, g.depth_channels, g.out_height, g.out_width, {2 - g.padding[0], 2 - g.padding[1]}, g.height, g.width,
            outputs * depth, 9, depth, 8, -1};
}

// Whether tiles are less work than kernels: for each of `pairs` of an input and an output sixteen products of each tile, and `kernel`
// beside; for each input and for each output the sums of a tile.
template <class T>
bool tiles_pay(const Geometry& g, const Correlation& c, Size pairs, index_t tiles, index_t kernel) {
    constexpr index_t least_channels = 16, sums = 60, beginning = 1 << 18;
    if (g.rows != 3 || g.columns != 3 || g.stride[0] != 1 || g.stride[1] != 1 || g.dilation[0] != 1 || g.dilation[1] != 1) return false;
    if (c.inputs < least_channels || c.outputs < least_channels || loops<T>().lanes < 4) return false;
    const Size with_tiles = pairs * (Size(16) * tiles + kernel) + Size(c.inputs + c.outputs) * tiles * sums + beginning;
    const Size without = Size(c.inputs) * c.outputs * c.images * c.out_height * c.out_width * 9;
    return with_tiles.fits() && without.fits() && with_tiles.value() < without.value();
}

template <class T>
class Tiles {
public:
    explicit Tiles(const Correlation& correlation)
        : c_(correlation), width_(2 * loops<T>().lanes), frame_(frame_of(c_)),
          seen_(framed_images<T>(frame_, c_.images, c_.groups * c_.inputs, c_.height, c_.width, c_.out_height * c_.out_width)),
          rows_(c_.outputs) {}

    // False where a result is not finite: others of its tile may be so for that reason alone.
    bool run(const T* x, const T* weight, const T* bias, T* out) {
        make_kernels(weight);
        std::atomic<bool> finite(true);
        for (index_t first = 0; first < c_.images && finite; first += seen_.images) {
            const index_t images = std::min(seen_.images, c_.images - first);
            seen_.fill(x + first * c_.groups * c_.inputs * c_.height * c_.width, images);
            T* results = out + first * c_.groups * c_.outputs * c_.out_height * c_.out_width;
            const index_t panels = pieces_of(images * c_.down() * c_.right(), width_), parts = parts_of(panels), rows = rows_.panels();
            const index_t cost = (Size(16) * c_.inputs * c_.outputs * width_).value_or_most() / parts;
            parallel_for(c_.groups * panels * parts, cost, [&](index_t begin, index_t end) {
                Panes panes(c_.inputs, width_);
                for (index_t at = begin, last = -1; at < end; ++at) {
                    const index_t group = at / parts / panels, part = at % parts;
                    if (at / parts != last) see_panel(images, at / parts % panels, group, panes);
                    last = at / parts;
                    for (index_t p = rows * part / parts; p < rows * (part + 1) / parts; ++p) make_results(group, p, bias, results, panes);
                }
                if (!panes.finite()) finite = false;
            });
        }
        return finite;
    }

private:
    static constexpr index_t elements = 16, inputs_together = 16, most_columns = Panel::most_columns, most_rows = RowPanels<T>::most_rows;
    static constexpr index_t gap = 64 / sizeof(T);  // between the elements of a panel: those of one input shall not share places of a cache
    struct Run {  // of tiles of a panel, side by side in one image
        index_t tile, count, image, row, column;
    };
    // What one thread needs: the sums of what a panel's tiles see, behind which there is room that may be overwritten, and products.
    struct Panes {
        Panes(index_t inputs, index_t width)
            : apart((inputs + 1) * width), sums(zeros<T>(elements * apart)),
              products(scratch<T>(elements * most_rows * width)) {}
        bool finite() const {
            T total = 0;
            for (const T each : check) total += each;
            return total == 0;
        }
        index_t apart, runs = 0;
        Scratch<T> sums, products;
        Run run[most_columns];
        T check[most_columns] = {};  // zeros, as long as all results are finite
    };

    static Frame frame_of(const Correlation& c) {
        Frame f = {2 * c.down() + 2, 2 * c.right() + 3};  // a column too much: never a plane as it is, behind which nothing may be read
        f.first[0] = c.before[0], f.first[1] = c.before[1];
        return f;
    }
    // How many threads share a panel of tiles, which each of them sees anew.
    index_t parts_of(index_t panels) const {
        const index_t wanted = thread_count() < 2 ? 1 : 3 * static_cast<index_t>(thread_count());
        return std::max<index_t>(1, std::min(wanted / (panels * c_.groups), rows_.panels() / 4));
    }

    index_t group_size() const { return elements * (rows_.rows() * c_.inputs + rows_.panels() * gap); }
    index_t place(index_t group, index_t p, index_t e) const {
        return group * group_size() + elements * (rows_.row_of(p) * c_.inputs + p * gap) + e * (rows_.height(p) * c_.inputs + gap);
    }
    void make_kernels(const T* weight) {
        Indices taps, outputs = grid(1, 0, 1, 0, c_.outputs, c_.output_step);
        for (index_t i = 0; i < c_.inputs; ++i)
            for (index_t t = 0; t < 9; ++t) taps.push_back(i * c_.input_step + c_.first_tap + t * c_.tap_step);
        kernels_ = scratch<T>(c_.groups * group_size());
        const index_t panels = rows_.panels();
        parallel_for(c_.groups * panels, c_.inputs * most_rows * 16, [&](index_t begin, index_t end) {
            for (index_t at = begin; at < end; ++at)
                make_panel(weight + at / panels * c_.group_step, taps, outputs, at / panels, at % panels);
        });
    }
    void make_panel(const T* weight, const Indices& taps, const Indices& outputs, index_t group, index_t p) {
        const index_t height = rows_.height(p), row = rows_.row_of(p);
        index_t columns[most_rows];
        T packed[inputs_together * 9 * most_rows], *to[elements];
        for (index_t r = 0; r < height; ++r) columns[r] = outputs[static_cast<size_t>(row + r < c_.outputs ? row + r : row)];
        for (index_t i = 0; i < c_.inputs; i += inputs_together) {
            const index_t count = std::min(inputs_together, c_.inputs - i);
            for (index_t e = 0; e < elements; ++e) to[e] = kernels_.get() + place(group, p, e) + i * height;
            loops<T>().pack_rows[rows_.kind(p)](weight, taps.data() + 9 * i, 9 * count, columns, packed);
            loops<T>().kernel_tiles[rows_.kind(p)](packed, count, to);
        }
    }

    void see_panel(index_t images, index_t panel, index_t group, Panes& panes) const {
        const index_t down = c_.down(), right = c_.right(), lanes = loops<T>().lanes;
        const index_t first = panel * width_, last = std::min(first + width_, images * down * right);
        index_t from[2 * most_columns], to[2 * most_columns], count = 0;
        panes.runs = 0;
        for (index_t tile = first; tile < last;) {
            const index_t line = tile / right, column = tile % right;
            const Run run = {tile - first, std::min(right - column, last - tile), line / down, line % down, column};
            for (index_t n = 0; n < run.count; n += lanes, ++count) {
                from[count] = run.image * seen_.image_size() + 2 * (run.row * frame_.pitch() + column + n);
                to[count] = run.tile + n;
            }
            panes.run[panes.runs++] = run;
            tile += run.count;
        }
        loops<T>().tiles_seen(seen_.data + group * c_.inputs * frame_.plane(), frame_.plane(), c_.inputs,
                              {from, to, count, frame_.pitch()}, panes.sums.get(), panes.apart);
    }

    // Of the tiles that were seen and a panel of kernels.
    void make_results(index_t group, index_t p, const T* bias, T* out, Panes& panes) const {
        const index_t height = rows_.height(p), row = rows_.row_of(p), apart = height * width_;
        const auto multiply = loops<T>().packed_tile[rows_.kind(p)];
        for (index_t e = 0; e < elements; ++e)
            for (index_t k = 0; k < c_.inputs; k += packed_depth)
                multiply(kernels_.get() + place(group, p, e) + k * height, panes.sums.get() + e * panes.apart + k * width_, nullptr, 0,
                         std::min(packed_depth, c_.inputs - k), panes.products.get() + e * apart, width_, nullptr, k > 0);
        alignas(64) T lines[4 * most_columns];
        for (index_t r = 0; r < height && row + r < c_.outputs; ++r) {
            const index_t output = group * c_.outputs + row + r;
            loops<T>().tiles_joined(panes.products.get() + r * width_, apart, bias ? bias[output] : T(0), lines, panes.check);
            for (index_t n = 0; n < panes.runs; ++n) copy_run(panes.run[n], lines, output, out);
        }
    }
    void copy_run(const Run& run, const T* lines, index_t output, T* out) const {
        const index_t column = 2 * run.column, count = std::min(2 * run.count, c_.out_width - column);
        for (index_t i = 0, line = 2 * run.row; i < 2 && line < c_.out_height; ++i, ++line)
            std::memcpy(out + ((run.image * c_.groups * c_.outputs + output) * c_.out_height + line) * c_.out_width + column,
                        lines + 2 * (i * width_ + run.tile), static_cast<size_t>(count) * sizeof(T));
    }

    const Correlation& c_;
    index_t width_;
    Frame frame_;
    Framed<T> seen_;
    RowPanels<T> rows_;
    Scratch<T> kernels_;  // group by group, panel by panel of the outputs, element by element: (inputs, rows of a panel)
};

// out = the correlation; false, with `out` to be filled otherwise, where that is more work by tiles or no finite number.
template <class T>
bool correlated_by_tiles(const Geometry& g, const Correlation& c, const T* x, const T* weight, const T* bias, T* out) {
    const index_t width = 2 * loops<T>().lanes, tiles = pieces_of(c.images * c.down() * c.right(), width) * width;
    return tiles_pay<T>(g, c, Size(c.inputs) * c.outputs, tiles, 4 * width) && Tiles<T>(c).run(x, weight, bias, out);
}

}  // namespace wengert
