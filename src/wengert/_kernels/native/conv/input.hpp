// How the gradient of a convolution's input is cut into correlations with stride 1. Rows of the input that are a stride
// apart see the same elements of the kernel, at neighbouring rows of the gradient: they are a phase, and so are columns
// and planes. No zeros are multiplied that stand for what a stride leaves out. No Python here.
#pragma once

#include "conv/core.hpp"

namespace wengert {

// Along one axis: the places start, start + stride, ... of the input, `count` of them, and the taps of the kernel that
// reach them, each with the place of the gradient from which it reaches the first.
struct Phase {
    index_t start, count;
    Indices taps, from;
};
struct Phases {
    std::vector<Phase> each;
    index_t low = 0, high = 0;  // the places of the gradient that are asked for, which may lie outside of it
    index_t span() const { return high - low + 1; }
};

inline Phases phases_along(const Geometry& g, int axis) {
    const index_t length = g.size[axis], stride = g.stride[axis];
    Phases found;
    bool any = false;
    for (index_t start = 0; start < length && start < stride; ++start) {
        Phase phase = {start, (length - 1 - start) / stride + 1, {}, {}};
        for (index_t tap = 0; tap < g.taps[axis]; ++tap) {
            const index_t reach = start + g.padding[axis] - tap * g.dilation[axis];
            if (reach % stride) continue;
            const index_t from = reach / stride, last = from + phase.count - 1;
            phase.taps.push_back(tap);
            phase.from.push_back(from);
            found.low = any && found.low < from ? found.low : from;
            found.high = any && found.high > last ? found.high : last;
            any = true;
        }
        found.each.push_back(phase);
    }
    return found;
}

// One phase of each axis: where the elements of the kernels lie in the weight and in the framed gradients, for the
// first channel of the first group, and where its places lie in a channel of the input.
struct Part {
    Indices weights, seen;
    index_t origin;
    const Phase* along[axes];

    index_t rows() const { return along[0]->count * along[1]->count; }
    index_t columns() const { return along[2]->count; }
    index_t depth() const { return static_cast<index_t>(seen.size()); }  // elements of kernels that reach a place
};

// All parts, and the frame of the gradients with the zeros that they ask for.
class Parts {
public:
    explicit Parts(const Geometry& g) : phases_{phases_along(g, 0), phases_along(g, 1), phases_along(g, 2)} {
        frame.plane = {phases_[1].span(), phases_[2].span()};
        frame.plane.first[0] = -phases_[1].low, frame.plane.first[1] = -phases_[2].low;
        frame.depth = phases_[0].span(), frame.before = -phases_[0].low;
        for (const Phase& plane : phases_[0].each)
            for (const Phase& row : phases_[1].each)
                for (const Phase& column : phases_[2].each) each.push_back(part_of(g, plane, row, column));
    }
    Parts(const Parts&) = delete;
    // Whether an element of a kernel reaches each place.
    bool all_reached() const {
        for (const Part& part : each)
            if (part.depth() == 0) return false;
        return true;
    }
    // Where rows of a part begin in a frame, and in the input.
    Indices rows_seen(const Part& part) const {
        return grid(1, 0, part.along[0]->count, frame.plane.plane(), part.along[1]->count, frame.plane.pitch());
    }
    static Indices rows_made(const Geometry& g, const Part& part) {
        return grid(1, 0, part.along[0]->count, g.stride[0] * g.size[1] * g.size[2], part.along[1]->count,
                    g.stride[1] * g.size[2]);
    }

    VolumeFrame frame;
    std::vector<Part> each;

private:
    Part part_of(const Geometry& g, const Phase& plane, const Phase& row, const Phase& column) const {
        Part part = {{}, {}, (plane.start * g.size[1] + row.start) * g.size[2] + column.start, {&plane, &row, &column}};
        Indices elements, places;
        for (size_t d = 0; d < plane.taps.size(); ++d)
            for (size_t i = 0; i < row.taps.size(); ++i)
                for (size_t j = 0; j < column.taps.size(); ++j) {
                    elements.push_back((plane.taps[d] * g.taps[1] + row.taps[i]) * g.taps[2] + column.taps[j]);
                    places.push_back((plane.from[d] - phases_[0].low) * frame.plane.plane() +
                                     (row.from[i] - phases_[1].low) * frame.plane.pitch() + column.from[j] -
                                     phases_[2].low);
                }
        part.weights = sums(grid(1, 0, 1, 0, g.group_kernels(), g.terms()), elements);
        part.seen = sums(grid(1, 0, 1, 0, g.group_kernels(), frame.volume()), places);
        return part;
    }
    Phases phases_[axes];
};

}  // namespace wengert
