// Correlations of planes with kernels of 3 x 3 elements at stride 1, by tiles of 2 x 2 results: sixteen products for
// each input and output of a tile instead of 36 (the minimal filtering of Winograd; Lavin and Gray 2016,
// arXiv:1509.09308). Tiles of the input and kernels are transformed into sixteen elements each; for each of these there
// is one matrix product over the inputs, and the results are sums of the sixteen products. Rounding is that of a sum of
// twice to four times the size. No Python here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "conv/geometry.hpp"
#include "linalg/packed.hpp"

namespace wengert {

// The shapes of input and output. Each channel of a group has an input for each of the `slices` of planes that a kernel
// meets: kernels of volumes are sums of those of planes. Element t of the kernel from slice d of a channel to an output
// of a group lies in the weight at group * group_step + output * output_step + channel * channel_step + first_tap + (9
// * d + t) * tap_step.
struct Correlation {
    index_t images, groups, channels, slices, outputs;  // channels and outputs of a group
    index_t size[axes], before[axes], out[axes];        // of the input volumes, zeros before them, of the results
    index_t group_step, output_step, channel_step, first_tap, tap_step;

    index_t inputs() const { return slices * channels; }
    index_t planes() const { return images * out[0]; }
    index_t down() const { return pieces_of(out[1], 2); }
    index_t right() const { return pieces_of(out[2], 2); }
    index_t tiles() const { return planes() * down() * right(); }
    index_t positions() const { return out[0] * out[1] * out[2]; }
};
inline Correlation forward_correlation(const Geometry& g) {
    const index_t outputs = g.group_kernels(), terms = g.terms();
    return {g.images,
            g.groups,
            g.group_channels,
            g.taps[0],
            outputs,
            {g.size[0], g.size[1], g.size[2]},
            {g.padding[0], g.padding[1], g.padding[2]},
            {g.out[0], g.out[1], g.out[2]},
            outputs * terms,
            terms,
            g.elements(),
            0,
            1};
}
// The gradient of the input: the correlation of the gradient of the output with the kernels reversed.
inline Correlation backward_correlation(const Geometry& g) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), elements = g.elements();
    return {g.images,
            g.groups,
            outputs,
            g.taps[0],
            g.group_channels,
            {g.out[0], g.out[1], g.out[2]},
            {g.extent(0) - g.padding[0], 2 - g.padding[1], 2 - g.padding[2]},
            {g.size[0], g.size[1], g.size[2]},
            outputs * terms,
            elements,
            terms,
            elements - 1,
            -1};
}

// Whether tiles are less work than kernels: for each of `pairs` of an input and an output sixteen products of each
// tile, and `kernel` beside; for each input and for each output the sums of a tile.
template <class T> bool tiles_pay(const Geometry& g, const Correlation& c, Size pairs, index_t tiles, index_t kernel) {
    constexpr index_t least_channels = 16, sums = 60, beginning = 1 << 18;
    for (int a = 0; a < axes; ++a)
        if ((a > 0 && g.taps[a] != 3) || g.stride[a] != 1 || g.dilation[a] != 1) return false;
    if (c.channels < least_channels || c.outputs < least_channels || loops<T>().lanes < 4) return false;
    const Size with_tiles =
        pairs * (Size(16) * tiles + kernel) + Size(c.inputs() + c.outputs) * tiles * sums + beginning;
    const Size without = Size(c.inputs()) * c.outputs * c.images * c.positions() * 9;
    return with_tiles.fits() && without.fits() && with_tiles.value() < without.value();
}

template <class T> class Tiles {
public:
    explicit Tiles(const Correlation& correlation)
        : c_(correlation),
          width_(2 * loops<T>().lanes),
          frame_(frame_of(c_)),
          seen_(framed_images<T>(frame_, c_.images, c_.groups * c_.channels, c_.size, c_.positions())),
          rows_(c_.outputs) {}

    // False where a result is not finite: an infinity spreads over its tile.
    bool run(const T* x, const T* weight, const T* bias, T* out) {
        make_kernels(weight);
        std::atomic<bool> finite(true);
        for (index_t first = 0; first < c_.images && finite; first += seen_.images) {
            const index_t images = std::min(seen_.images, c_.images - first);
            seen_.fill(x + first * c_.groups * c_.channels * c_.size[0] * c_.size[1] * c_.size[2], images);
            T* results = out + first * c_.groups * c_.outputs * c_.positions();
            const index_t panels = pieces_of(images * c_.out[0] * c_.down() * c_.right(), width_),
                          parts = parts_of(panels), rows = rows_.panels();
            const index_t cost = (Size(16) * c_.inputs() * c_.outputs * width_).value_or_most() / parts;
            parallel_for(c_.groups * panels * parts, cost, [&](index_t begin, index_t end) {
                Panes panes(c_.inputs(), width_);
                for (index_t at = begin, last = -1; at < end; ++at) {
                    const index_t group = at / parts / panels, part = at % parts;
                    if (at / parts != last) see_panel(images, at / parts % panels, group, panes);
                    last = at / parts;
                    for (index_t p = rows * part / parts; p < rows * (part + 1) / parts; ++p)
                        make_results(group, p, bias, results, panes);
                }
                if (!panes.finite()) finite = false;
            });
        }
        return finite;
    }

private:
    static constexpr index_t elements = 16, inputs_together = 16, most_columns = Panel::most_columns,
                             most_rows = RowPanels<T>::most_rows;
    static constexpr index_t gap =
        64 / sizeof(T);  // between the elements of a panel: those of one input shall not share cache sets
    struct Run {         // of tiles of a panel, side by side in one plane of an image
        index_t tile, count, image, plane, row, column;
    };
    // The scratch of one thread: the transformed tiles of a panel, behind which there is room that may be overwritten,
    // and products.
    struct Panes {
        Panes(index_t inputs, index_t width)
            : element_step((inputs + 1) * width),
              sums(zeros<T>(elements * element_step)),
              products(scratch<T>(elements * most_rows * width)) {}
        bool finite() const {
            T total = 0;
            for (const T element : check) total += element;
            return total == 0;
        }
        index_t element_step, runs = 0;
        Scratch<T> sums, products;
        Run run[most_columns];
        T check[most_columns] = {};  // zeros, as long as all results are finite
    };

    static VolumeFrame frame_of(const Correlation& c) {
        VolumeFrame f = {
            {2 * c.down() + 2,
             2 * c.right() +
                 3}};  // one column more than the input: always copied, since nothing behind the input may be read
        f.plane.first[0] = c.before[1], f.plane.first[1] = c.before[2];
        f.depth = c.out[0] + c.slices - 1, f.before = c.before[0];
        return f;
    }
    // How many threads share a panel of tiles, which each of them transforms.
    index_t parts_of(index_t panels) const {
        const index_t wanted = thread_count() < 2 ? 1 : 3 * static_cast<index_t>(thread_count());
        return std::max<index_t>(1, std::min(wanted / (panels * c_.groups), rows_.panels() / 4));
    }

    index_t group_size() const { return elements * (rows_.rows() * c_.inputs() + rows_.panels() * gap); }
    index_t position(index_t group, index_t p, index_t e) const {
        return group * group_size() + elements * (rows_.row_of(p) * c_.inputs() + p * gap) +
               e * (rows_.height(p) * c_.inputs() + gap);
    }
    void make_kernels(const T* weight) {
        const Indices outputs = grid(1, 0, 1, 0, c_.outputs, c_.output_step);
        const Indices taps =
            sums({c_.first_tap}, grid(c_.slices, 9 * c_.tap_step, c_.channels, c_.channel_step, 9, c_.tap_step));
        kernels_ = scratch<T>(c_.groups * group_size());
        const index_t panels = rows_.panels();
        parallel_for(c_.groups * panels, c_.inputs() * most_rows * 16, [&](index_t begin, index_t end) {
            for (index_t at = begin; at < end; ++at)
                make_panel(weight + at / panels * c_.group_step, taps, outputs, at / panels, at % panels);
        });
    }
    void make_panel(const T* weight, const Indices& taps, const Indices& outputs, index_t group, index_t p) {
        const index_t height = rows_.height(p), row = rows_.row_of(p);
        index_t columns[most_rows];
        T packed[inputs_together * 9 * most_rows], *to[elements];
        for (index_t r = 0; r < height; ++r)
            columns[r] = outputs[static_cast<size_t>(row + r < c_.outputs ? row + r : row)];
        for (index_t i = 0; i < c_.inputs(); i += inputs_together) {
            const index_t count = std::min(inputs_together, c_.inputs() - i);
            for (index_t e = 0; e < elements; ++e) to[e] = kernels_.get() + position(group, p, e) + i * height;
            loops<T>().pack_rows[rows_.kind(p)](weight, taps.data() + 9 * i, 9 * count, columns, packed);
            loops<T>().kernel_tiles[rows_.kind(p)](packed, count, to);
        }
    }

    void see_panel(index_t images, index_t panel, index_t group, Panes& panes) const {
        const index_t down = c_.down(), right = c_.right(), lanes = loops<T>().lanes, plane = frame_.plane.plane();
        const index_t first = panel * width_, last = std::min(first + width_, images * c_.out[0] * down * right);
        index_t from[2 * most_columns], to[2 * most_columns], count = 0;
        panes.runs = 0;
        for (index_t tile = first; tile < last;) {
            const index_t line = tile / right, column = tile % right, at = line / down;
            const Run run = {tile - first,   std::min(right - column, last - tile),
                             at / c_.out[0], at % c_.out[0],
                             line % down,    column};
            for (index_t n = 0; n < run.count; n += lanes, ++count) {
                from[count] =
                    run.image * seen_.image_size() + run.plane * plane + 2 * (run.row * seen_.pitch() + column + n);
                to[count] = run.tile + n;
            }
            panes.run[panes.runs++] = run;
            tile += run.count;
        }
        const T* volumes = seen_.data + group * c_.channels * frame_.volume();
        for (index_t d = 0; d < c_.slices; ++d)
            loops<T>().input_tiles(volumes + d * plane, frame_.volume(), c_.channels, {from, to, count, seen_.pitch()},
                                   panes.sums.get() + d * c_.channels * width_, panes.element_step);
    }

    // The products of the transformed tiles and a panel of kernels.
    void make_results(index_t group, index_t p, const T* bias, T* out, Panes& panes) const {
        const index_t height = rows_.height(p), row = rows_.row_of(p), element_step = height * width_;
        const auto multiply = loops<T>().packed_tile[rows_.kind(p)];
        for (index_t e = 0; e < elements; ++e)
            for (index_t k = 0; k < c_.inputs(); k += packed_depth)
                multiply(kernels_.get() + position(group, p, e) + k * height,
                         panes.sums.get() + e * panes.element_step + k * width_, nullptr, 0,
                         std::min(packed_depth, c_.inputs() - k), panes.products.get() + e * element_step, width_,
                         nullptr, k > 0);
        alignas(64) T lines[4 * most_columns];
        for (index_t r = 0; r < height && row + r < c_.outputs; ++r) {
            const index_t output = group * c_.outputs + row + r;
            loops<T>().result_tiles(panes.products.get() + r * width_, element_step, bias ? bias[output] : T(0), lines,
                                    panes.check);
            for (index_t n = 0; n < panes.runs; ++n) copy_run(panes.run[n], lines, output, out);
        }
    }
    void copy_run(const Run& run, const T* lines, index_t output, T* out) const {
        const index_t column = 2 * run.column, count = std::min(2 * run.count, c_.out[2] - column);
        T* plane =
            out + ((run.image * c_.groups * c_.outputs + output) * c_.out[0] + run.plane) * c_.out[1] * c_.out[2];
        for (index_t i = 0, line = 2 * run.row; i < 2 && line < c_.out[1]; ++i, ++line)
            std::memcpy(plane + line * c_.out[2] + column, lines + 2 * (i * width_ + run.tile),
                        static_cast<size_t>(count) * sizeof(T));
    }

    const Correlation& c_;
    index_t width_;
    VolumeFrame frame_;
    Framed<T> seen_;
    RowPanels<T> rows_;
    Scratch<T>
        kernels_;  // group by group, panel by panel of the outputs, element by element: (inputs, rows of a panel)
};

// out = the correlation; false, with `out` to be filled otherwise, where that is more work by tiles or no finite
// number.
template <class T>
bool correlated_by_tiles(const Geometry& g, const Correlation& c, const T* x, const T* weight, const T* bias, T* out) {
    const index_t width = 2 * loops<T>().lanes, tiles = pieces_of(c.tiles(), width) * width;
    return tiles_pay<T>(g, c, Size(c.inputs()) * c.outputs, tiles, 4 * width) && Tiles<T>(c).run(x, weight, bias, out);
}

// ---- the gradient of the kernels ------------------------------------------------------------------------------------
template <class T> class WeightGradient {
public:
    explicit WeightGradient(const Correlation& correlation)
        : c_(correlation),
          width_(2 * loops<T>().lanes),
          slice_panels_(pieces_of(c_.channels, width_)),
          panels_(c_.slices * slice_panels_),
          rows_(c_.outputs),
          lines_(
              std::min(c_.planes() * c_.down(), pieces_of(std::max(least_tiles, most_sums / c_.inputs()), c_.right()))),
          input_step_(panels_ * width_ * tiles() + gap),
          grad_step_(rows_.rows() * tiles() + gap),
          kernel_step_(rows_.rows() * panels_ * width_ + gap),
          along_(static_cast<size_t>(std::max(c_.size[2], c_.out[2]))),
          inputs_(scratch<T>(elements * input_step_)),
          grads_(scratch<T>(elements * grad_step_)),
          kernels_(scratch<T>(elements * kernel_step_)) {
        std::iota(along_.begin(), along_.end(), index_t{0});
    }

    // False where a result is not finite: an infinity spreads over its kernel.
    bool run(const T* grad, const T* x, T* out) {
        const index_t all = c_.planes() * c_.down(), result = c_.outputs * c_.inputs() * 9;
        for (index_t group = 0; group < c_.groups; ++group) {
            for (index_t first = 0; first < all; first += lines_) {
                const index_t last = std::min(first + lines_, all);
                transform(grad, x, group, first, last);
                multiply((last - first) * c_.right(), first > 0);
            }
            parallel_for(c_.outputs * c_.slices, c_.channels * 32, [&](index_t begin, index_t end) {
                for (index_t at = begin; at < end; ++at)
                    loops<T>().kernels_of_tiles(
                        kernels_.get() + at * slice_panels_ * width_, kernel_step_, c_.channels,
                        out + group * result + (at / c_.slices * c_.inputs() + at % c_.slices) * 9, c_.slices * 9);
            });
        }
        return std::all_of(out, out + c_.groups * result, [](T element) { return std::isfinite(element); });
    }

private:
    static constexpr index_t elements = 16, most_rows = RowPanels<T>::most_rows, most_columns = Panel::most_columns;
    static constexpr index_t least_tiles = 128, most_sums = 1 << 14;  // at a time: for the second cache
    static constexpr index_t gap = 64 / sizeof(T);  // so that the sixteen sums of a tile do not share cache sets

    index_t tiles() const { return lines_ * c_.right(); }  // at a time

    // Both factors for lines [first, last) of tiles of all planes.
    void transform(const T* grad, const T* x, index_t group, index_t first, index_t last) {
        const index_t down = c_.down(), planes = (last - 1) / down - first / down + 1,
                      panels_per_plane = panels_ + rows_.panels();
        const index_t cost = pieces_of(last - first, planes) * c_.right() * width_ * 8;
        parallel_for(planes * panels_per_plane, cost, [&](index_t begin, index_t end) {
            const index_t most = std::min(down, last - first);
            const Scratch<T> pixels = scratch<T>((2 * most + 2) * (2 * c_.right() + 2) * width_);
            for (index_t at = begin; at < end; ++at) {
                const index_t plane = first / down + at / panels_per_plane, from = std::max(first, plane * down),
                              to = std::min(last, (plane + 1) * down);
                if (at % panels_per_plane < panels_)
                    transform_inputs(x, group, plane, from - plane * down, to - from, at % panels_per_plane,
                                     from - first, pixels.get());
                else
                    transform_grads(grad, group, plane, from - plane * down, to - from, at % panels_per_plane - panels_,
                                    from - first, pixels.get());
            }
        });
    }
    // `plane` is counted among those of all results; an input has one plane for it, or none where the slice of the
    // kernels lies outside.
    void transform_inputs(const T* x, index_t group, index_t plane, index_t line, index_t count, index_t panel,
                          index_t to, T* pixels) {
        const index_t area = c_.size[1] * c_.size[2], pitch = (2 * c_.right() + 2) * width_,
                      first = panel % slice_panels_ * width_;
        const index_t input_plane = plane % c_.out[0] + panel / slice_panels_ - c_.before[0],
                      rows = input_plane >= 0 && input_plane < c_.size[0] ? c_.size[1] : 0;
        index_t columns[most_columns];
        for (index_t j = 0; j < width_; ++j) columns[j] = std::min(first + j, c_.channels - 1) * c_.size[0] * area;
        const T* planes = x + (plane / c_.out[0] * c_.groups + group) * c_.channels * c_.size[0] * area +
                          (rows ? input_plane * area : 0);
        for (index_t i = 0; i < 2 * count + 2; ++i)
            pack_row(2 * line + i - c_.before[1], rows, c_.size[2], c_.before[2], 2 * c_.right() + 2, width_,
                     pixels + i * pitch, [&](index_t row, index_t depth, T* out) {
                         loops<T>().pack_columns(planes + row * c_.size[2], along_.data(), depth, columns, nullptr, 0,
                                                 out);
                     });
        for (index_t i = 0; i < count; ++i)
            loops<T>().tiles_of_pixels(pixels + 2 * i * pitch, pitch, c_.right(),
                                       inputs_.get() + (panel * tiles() + (to + i) * c_.right()) * width_, input_step_);
    }
    void transform_grads(const T* grad, index_t group, index_t plane, index_t line, index_t count, index_t panel,
                         index_t to, T* pixels) {
        const index_t area = c_.out[1] * c_.out[2], first = rows_.row_of(panel), height = rows_.height(panel),
                      pitch = 2 * c_.right() * height;
        index_t columns[most_rows];
        for (index_t j = 0; j < height; ++j) columns[j] = std::min(first + j, c_.outputs - 1) * c_.out[0] * area;
        const T* planes =
            grad + (plane / c_.out[0] * c_.groups + group) * c_.outputs * c_.out[0] * area + plane % c_.out[0] * area;
        for (index_t i = 0; i < 2 * count; ++i)
            pack_row(2 * line + i, c_.out[1], c_.out[2], 0, 2 * c_.right(), height, pixels + i * pitch,
                     [&](index_t row, index_t depth, T* out) {
                         loops<T>().pack_rows[rows_.kind(panel)](planes + row * c_.out[2], along_.data(), depth,
                                                                 columns, out);
                     });
        for (index_t i = 0; i < count; ++i)
            loops<T>().grad_tiles[rows_.kind(panel)](pixels + 2 * i * pitch, pitch, c_.right(),
                                                     grads_.get() + first * tiles() + (to + i) * c_.right() * height,
                                                     grad_step_);
    }
    // One row of planes, `width` channels side by side, with `before` zeros before it and zeros up to `columns` behind
    // it.
    template <class Pack>
    static void pack_row(index_t row, index_t rows, index_t length, index_t before, index_t columns, index_t width,
                         T* out, const Pack& pack) {
        const index_t begin = std::min(before, columns), end = std::min(before + length, columns);
        const bool inside = row >= 0 && row < rows && begin < end;
        const index_t first = inside ? begin : columns, last = inside ? end : columns;
        std::memset(out, 0, static_cast<size_t>(first * width) * sizeof(T));
        if (inside) pack(row, end - begin, out + begin * width);
        std::memset(out + last * width, 0, static_cast<size_t>((columns - last) * width) * sizeof(T));
    }

    // kernels = or += gradients' inputs, for `count` tiles.
    void multiply(index_t count, bool add) {
        const index_t cost = (Size(count) * most_rows * panels_ * width_).value_or_most();
        parallel_for(elements * rows_.panels(), cost, [&](index_t begin, index_t end) {
            for (index_t at = begin; at < end; ++at) {
                const index_t e = at / rows_.panels(), p = at % rows_.panels(), first = rows_.row_of(p),
                              height = rows_.height(p);
                const auto product = loops<T>().packed_tile[rows_.kind(p)];
                for (index_t t = 0; t < count; t += packed_depth)
                    for (index_t panel = 0; panel < panels_; ++panel)
                        product(grads_.get() + e * grad_step_ + first * tiles() + t * height,
                                inputs_.get() + e * input_step_ + (panel * tiles() + t) * width_, nullptr, 0,
                                std::min(packed_depth, count - t),
                                kernels_.get() + e * kernel_step_ + (first * panels_ + panel) * width_,
                                panels_ * width_, nullptr, add || t > 0);
            }
        });
    }

    const Correlation& c_;
    index_t width_, slice_panels_, panels_;  // of the channels in a slice of the kernels, and of all inputs
    RowPanels<T> rows_;                      // of outputs
    index_t lines_, input_step_, grad_step_, kernel_step_;
    Indices along_;
    Scratch<T> inputs_, grads_,
        kernels_;  // element by element: (panels, tiles, columns or rows of a panel); (outputs, inputs)
};

// out = the gradient of the kernels; false, with `out` to be filled otherwise, where that is more work by tiles or no
// finite number.
template <class T>
bool weight_grad_by_tiles(const Geometry& g, const Correlation& c, const T* grad, const T* x, T* out) {
    const index_t width = 2 * loops<T>().lanes, tiles = c.tiles();
    const Size pairs =
        Size(c.slices * pieces_of(c.channels, width)) * width * RowPanels<T>(c.outputs).rows();  // of whole panels
    return tiles_pay<T>(g, c, pairs, tiles, 20 * width) && WeightGradient<T>(c).run(grad, x, out);
}

}  // namespace wengert
