// How the gradient of a convolution's input is cut into correlations with stride 1. Rows of the input that are a stride apart see
// the same elements of the kernel, at neighbouring rows of the gradient: they are a phase, and so are columns. No zeros are
// multiplied that stand for what a stride leaves out. No Python here.
#pragma once

#include "conv_core.hpp"

namespace wengert {

// Along one axis: the places start, start + stride, ... of the input, `count` of them, and the taps of the kernel that reach
// them, each with the place of the gradient from which it reaches the first.
struct Phase {
    index_t start, count;
    Indices taps, from;
};
struct Phases {
    std::vector<Phase> each;
    index_t low = 0, high = 0;  // the places of the gradient that are asked for, which may lie outside of it
};

inline Phases phases_along(const Geometry& g, int axis) {
    const index_t length = axis ? g.width : g.height, kernel = axis ? g.columns : g.rows;
    const index_t stride = g.stride[axis], dilation = g.dilation[axis];
    Phases found;
    bool any = false;
    for (index_t start = 0; start < length && start < stride; ++start) {
        Phase phase = {start, (length - 1 - start) / stride + 1, {}, {}};
        for (index_t tap = 0; tap < kernel; ++tap) {
            const index_t reach = start + g.padding[axis] - tap * dilation;
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

// The gradients with the zeros that the phases ask for.
inline Frame gradient_frame(const Phases& down, const Phases& right) {
    Frame f = {down.high - down.low + 1, right.high - right.low + 1};
    f.first[0] = -down.low, f.first[1] = -right.low;
    return f;
}

// One phase of rows and one of columns: where the elements of the kernels lie in the weight and in the framed gradients, for
// the first channel of the first group, and where its places lie in the input.
struct Part {
    Indices weights, seen;
    index_t origin;
    const Phase *down, *right;
};
inline std::vector<Part> parts_of(const Geometry& g, const Phases& down, const Phases& right, const Frame& f) {
    std::vector<Part> parts;
    for (const Phase& row : down.each)
        for (const Phase& column : right.each) {
            Part part = {{}, {}, row.start * g.width + column.start, &row, &column};
            for (index_t o = 0; o < g.group_kernels(); ++o)
                for (size_t i = 0; i < row.taps.size(); ++i)
                    for (size_t j = 0; j < column.taps.size(); ++j) {
                        part.weights.push_back(o * g.depth() + row.taps[i] * g.columns + column.taps[j]);
                        part.seen.push_back(o * f.plane() + (row.from[i] - down.low) * f.pitch() + column.from[j] - right.low);
                    }
            parts.push_back(part);
        }
    return parts;
}

}  // namespace wengert
