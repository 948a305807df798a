// The inner loops, as a table of function pointers. `loops/all.inc` is compiled once per instruction set; `loops()`
// returns the best table that this processor can run. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/checked.hpp"

namespace wengert {

enum Binary {
#define WENGERT_BINARY(op, ...) op,
#include "base/pointwise.inc"
    BINARY_COUNT
};
enum Unary {
#define WENGERT_UNARY(op, ...) op,
#include "base/pointwise.inc"
    UNARY_COUNT
};
enum Half { FLOAT16, BFLOAT16, HALF_COUNT };
enum Compare { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, COMPARE_COUNT };
enum Extreme { MAXIMAL, MINIMAL, EXTREME_COUNT };
enum Sum { OF_VALUES, OF_SIZES, OF_SQUARES, OF_NUMBERS, SUM_COUNT };          // x, |x|, x^2; x without NaN
enum Distance { ABSOLUTE_DIFFERENCES, SQUARED_DIFFERENCES, DISTANCE_COUNT };  // norms of orders 1 and 2
enum Mixed {
    ADD_PRODUCT,
    ADD_QUOTIENT,
    MIXTURE,
    MIXED_COUNT
};  // a + b * c * factor, a + b * factor / c, (1 - c) * a + c * b
// Functions with parameters; for the first two the derivative, too. Their numbers: alpha, scale and scale of the input;
// beta, threshold and 1 / beta; the slope below zero; what stands for NaN and the infinities.
enum Shaped { ELU, SOFTPLUS, LEAKY_RELU, NAN_TO_NUM, POLYGAMMA_1, POLYGAMMA_2, POLYGAMMA_3, SHAPED_COUNT };
struct Shape {
    double a = 0, b = 0, c = 0;
};

template <class T> struct SgdSettings {
    T lr, momentum, one_minus_dampening, weight_decay;
    bool nesterov, maximize, first;  // first: the buffer is new, its content is not read
};
template <class T> struct AdamSettings {
    T minus_step_size, one_minus_beta1, beta2, one_minus_beta2, eps, weight_decay, root_correction;
    bool maximize;
};

// A step computed by a formula element by element; its numbers in the order in which the formula reads them.
enum StepFormula { RMSPROP, ADAGRAD, ADADELTA, ADAMAX, NADAM, RADAM, RPROP, STEPS_COUNT };
constexpr int most_step_states = 3, most_step_numbers = 7;
template <class T> struct StepSettings {
    T shrink, weight_decay;
    bool maximize;
    T number[most_step_numbers];
};

// A step is 1 (an array) or 0 (one value for all). `out` may be the very memory of an array operand.
template <class T>
using BinaryLoop = void (*)(const T* a, index_t a_step, const T* b, index_t b_step, T* out, index_t count);
template <class T>
using CompareLoop = void (*)(const T* a, index_t a_step, const T* b, index_t b_step, bool* out, index_t count);
template <class T>
using MixedLoop = void (*)(const T* a, index_t a_step, const T* b, index_t b_step, const T* c, index_t c_step, T factor,
                           T* out, index_t count);
template <class T> using UnaryLoop = void (*)(const T* x, T* out, index_t count);

// A matrix as a factor of a product: its data and the steps between its rows and between its columns, in elements.
template <class T> struct Factor {
    const T* data;
    index_t row, column;
    Factor transposed() const { return {data, column, row}; }
};

// Lines of complex numbers in memory, at most as many as a vector has lanes: number k of a line begins at data[at[line]
// + k * step], its imaginary part lies `part` behind; there is none if that is 0.
template <class T> struct FourierLines {
    T* data;
    const index_t* at;
    index_t used, step, part;
};
// A transform of `count` points in passes; the roots of a pass follow those of the one before. See fourier/plan.hpp.
template <class T> struct FourierPasses {
    index_t count;
    int passes;
    const int* radices;
    const T* roots;
};

// Vectors of tiles that lie side by side: where they begin in a plane, whose rows are `pitch` apart, and among a
// panel's tiles.
struct TileVectors {
    const index_t *from, *to;
    index_t count, pitch;
};

// Columns of a tile, `count` of them from `begin` on: where the first goes in a row of the target, and how far behind
// each the next one.
struct TilePiece {
    index_t begin, count, to, step;
};
// Positions of some planes as lines of whole vectors: the steps of planes and lines of the gradient, and of the input.
struct PlaneLines {
    index_t planes, count, vectors, grads_plane, grads_line, input_plane, input_line;
};

// Integers of the size of a floating-point number.
template <class T> struct SameSize { using Type = int64_t; };
template <> struct SameSize<float> { using Type = int32_t; };
constexpr index_t row_part_length = 2048;  // elements, or a multiple, of all parts of a sum but the last one
constexpr int row_part_sums = 16;
constexpr int most_ranked = 64;  // keys that are compared with each other, whole vectors of them

template <class T> struct Loops {
    BinaryLoop<T> binary[BINARY_COUNT];
    UnaryLoop<T> unary[UNARY_COUNT];
    MixedLoop<T> mixed[MIXED_COUNT];
    void (*fill)(T value, T* out, index_t count);
    void (*spread)(T first, T pace, int32_t begin, int32_t direction, T* out, index_t count);  // see arrays/ranges.inc
    void (*counted)(double start, double step, int32_t begin, T* out, index_t count);
    void (*shaped[SHAPED_COUNT])(const T* x, Shape shape, T* out, index_t count);
    void (*shaped_backward[SHAPED_COUNT])(const T* grad, index_t grad_step, const T* x, Shape shape, T* out,
                                          index_t count);

    // Comparisons, choices, extremes; see pointwise/choose.inc. A bool from an array of another library is read as a
    // byte.
    CompareLoop<T> compare[COMPARE_COUNT];
    void (*choose)(const uint8_t* condition, const T* a, index_t a_step, const T* b, index_t b_step, T* out,
                   index_t count);
    void (*clamp)(const T* x, T low, T high, T* out, index_t count);
    void (*clamp_backward)(const T* grad, index_t grad_step, const T* x, T low, T high, T* out, index_t count);
    T (*row_extreme[EXTREME_COUNT])(const T* x, index_t count);
    bool (*any_outside)(const T* x, index_t count, T low, T high);
    void (*column_extreme[EXTREME_COUNT])(const T* x, index_t stride, index_t rows, index_t width, T* out,
                                          int64_t* positions);
    index_t (*first_position)(const T* x, index_t count, T value);
    // Of at most `most_ranked` keys, both arrays with room for that many: how many stand before each in order, of equal
    // ones the earlier.
    void (*ranks)(const typename SameSize<T>::Type* keys, index_t count, typename SameSize<T>::Type* ranks);

    void (*softmax_row)(const T* x, T* out, index_t count);
    void (*log_softmax_rows)(const T* x, T* out, index_t rows, index_t count);
    void (*softmax_backward_row)(const T* grad, const T* result, T* out, index_t count);
    void (*log_softmax_backward_rows)(const T* grad, const T* result, T* out, index_t rows, index_t count);

    double (*row_sum[SUM_COUNT])(const T* x, index_t count);
    // The sum of values likewise, in parts that are added to `row_part_sums` numbers, zeros at first; then their total.
    void (*row_part)(const T* x, index_t count, double* sums);
    double (*row_total)(const double* sums);
    double (*row_product)(const T* x, index_t count);
    void (*running_sum)(const T* x, T* out, index_t count, double start);
    void (*running_sum_back)(const T* x, T* out, index_t count, double start);
    void (*running_product)(const T* x, T* out, index_t count, double start);
    double (*row_sum_double)(const T* x, index_t count);
    double (*row_exponential_sum)(const T* x, index_t count, T shift);  // of exp(x - shift)
    void (*column_sum[SUM_COUNT])(const T* x, index_t stride, index_t rows, index_t width, T* out);

    double (*row_square_distance)(const T* x, index_t count, double centre);
    double (*row_centred_product)(const T* x, const T* grad, index_t count, T centre);
    void (*row_normalise)(const T* x, T* out, index_t count, T mean, T scale, T shift);
    void (*row_normalise_backward)(const T* grad, const T* x, T* out, index_t count, T mean, T total, T factor,
                                   T scale);
    void (*row_affine)(const T* x, T* out, index_t count, T mean, T scale, const T* weight, const T* bias);
    void (*layer_norm_backward_row)(const T* grad, const T* x, const T* weight, T* out, index_t count, T mean,
                                    T invstd);
    void (*layer_norm_columns)(const T* grad, const T* x, const T* mean, const T* invstd, index_t stride, index_t rows,
                               index_t width, T* grad_weight, T* grad_bias);

    // Large products of packed factors. `lanes` elements make a vector; panels of one, two and three thirds of
    // `packed_rows` rows have functions of their own; see linalg/packed.inc.
    index_t lanes;
    index_t packed_rows;
    void (*packed_tile[3])(const T* a, const T* b, const index_t* rows, index_t half_step, index_t depth, T* out,
                           index_t pitch, const T* bias, bool add);
    void (*store_tile)(const T* tile, index_t pitch, const TilePiece* pieces, int used, index_t rows, T* out,
                       index_t row_step, bool add);
    void (*unpacked_tile[2])(const T* data, const index_t* rows, const index_t* columns, const T* b, index_t depth,
                             T* out, bool add);
    void (*pack_columns)(const T* data, const index_t* rows, index_t depth, const index_t* columns, const int* starts,
                         int runs, T* out);
    void (*pack_vector)(const T* data, const index_t* rows, index_t depth, const index_t* columns, T* out);
    void (*pack_rows[3])(const T* data, const index_t* rows, index_t depth, const index_t* columns, T* out);
    // Of matrices' factors; see linalg/blocked.inc.
    void (*transpose_matrix)(const T* from, index_t pitch, index_t rows, index_t columns, T* to, index_t to_pitch);
    void (*substitute_block)(const T* a, T* b, index_t pitch, index_t side, index_t width, bool transposed);
    // Rows may be exchanged; see linalg/blocked.inc.
    bool (*eliminate)(T* a, index_t pitch, index_t rows, index_t columns, int32_t* pivots);
    bool (*reflect_columns)(T* a, index_t pitch, index_t rows, index_t columns, T* v, index_t v_pitch, T* t,
                            index_t t_pitch);
    // Correlations by tiles, with panels of as many rows; see conv/winograd.inc.
    void (*kernel_tiles[3])(const T* kernels, index_t count, T* const* out);
    void (*input_tiles)(const T* planes, index_t plane, index_t channels, const TileVectors& tiles, T* out,
                        index_t element_step);
    void (*result_tiles)(const T* products, index_t element_step, T bias, T* lines, T* check);
    void (*tiles_of_pixels)(const T* pixels, index_t pitch, index_t count, T* out, index_t element_step);
    void (*grad_tiles[3])(const T* pixels, index_t pitch, index_t count, T* out, index_t element_step);
    void (*kernels_of_tiles)(const T* tiles, index_t element_step, index_t count, T* out, index_t step);

    // Attention; see attention/tiles.inc.
    void (*attention_weigh)(T* scores, index_t keys, T* greatest, T* total, T* factor);
    void (*attention_scores_backward)(T* scores, T* grads, index_t keys, const T* logsumexp, const T* inner);
    void (*scale_columns)(T* panel, index_t rows, const T* factor);

    // out[p] = the sum of weight[k, p] * x[index[k, p]] over k, of (count, places) each.
    void (*weighed_elements)(const T* x, const int32_t* index, const T* weight, index_t count, index_t positions,
                             T* out);

    // Planes in frames; see conv/planes.inc.
    void (*take_seconds)(const T* x, T* out, index_t count);
    void (*correlate_plane)(const T* image, const index_t* from, index_t vectors, const index_t* taps, const T* weights,
                            index_t depth, T bias, T* out, const index_t* to);
    void (*plane_products)(const T* grad, const index_t* at, const T* image, const index_t* from, index_t vectors,
                           const index_t* taps, index_t depth, double* totals);
    // Products of `grad_rows` planes of the gradient with `grad_taps` of the input; see conv/planes.inc.
    index_t grad_rows, grad_taps;
    void (*correlate_lines)(const T* const* grads, const T* const* inputs, const PlaneLines& lines, T* sums);
    void (*greatest_of_plane)(const T* image, const index_t* from, index_t vectors, const index_t* taps, index_t depth,
                              T* out, typename SameSize<T>::Type* chosen, const index_t* to);

    // (a, b, out, how many numbers): products of complex numbers, and with the conjugates of the second ones.
    void (*complex_product[2])(const T* a, const T* b, T* out, index_t count);
    void (*small_product)(Factor<T> a, Factor<T> b, const T* bias, T* out, index_t rows, index_t depth,
                          index_t columns);
    void (*thin_product)(Factor<T> a, Factor<T> b, const T* bias, T* out, index_t rows, index_t depth,
                         index_t columns);  // depth 1 to 4

    // Channels side by side, (rows, channels); see norm/channels.inc.
    void (*channel_sums)(const T* x, index_t stride, index_t rows, index_t channels, double* totals);
    void (*channel_spreads)(const T* x, index_t stride, index_t rows, index_t channels, const double* mean,
                            double* totals);
    void (*channel_products)(const T* grad, const T* x, const T* mean, index_t stride, index_t rows, index_t channels,
                             double* totals, double* products);
    void (*channel_normalise)(const T* x, const T* mean, const T* scale, const T* shift, index_t stride, index_t rows,
                              index_t channels, T* out);
    void (*channel_normalise_backward)(const T* grad, const T* x, const T* mean, const T* level, const T* tilt,
                                       const T* scale, index_t stride, index_t rows, index_t channels, T* out);

    // Distances of one row from many, and the gradient of that row; see linalg/distances.inc.
    void (*row_distances[DISTANCE_COUNT])(const T* x, const T* others, index_t rows, index_t width, T* out);
    void (*distance_grads[DISTANCE_COUNT])(const T* x, const T* others, const T* factors, index_t rows, index_t width,
                                           T* out);

    // Fourier transforms of a vector of lines; see fourier/lines.inc.
    void (*fourier_read)(FourierLines<const T> from, index_t count, T* points);
    void (*fourier_write)(const T* points, index_t count, T weight, T imaginary_weight, FourierLines<T> to);
    T* (*fourier_passes)(const FourierPasses<T>& plan, T* points, T* spare);
    void (*fourier_parted)(T* points, index_t half, const T* roots);
    void (*fourier_joined)(T* points, index_t half, const T* roots);
    void (*multiply_by_roots)(T* points, index_t count, const T* fine, index_t fine_count, const T* coarse);

    // Recurrent networks; see recurrent/units.inc.
    void (*panel_product)(const T* a, index_t pitch, index_t rows, const T* b, index_t depth, index_t panels, T* out,
                          index_t out_pitch);
    void (*lstm_row)(const T* inputs, const T* hidden_part, T* cell, T* gates, T* cells, T* shown, index_t size);
    void (*lstm_row_backward)(const T* grad, const T* gates, const T* cells, const T* before, T* grad_cell, T* out,
                              index_t size);
    void (*gru_row)(const T* inputs, const T* hidden_part, const T* bias, T* state, T* gates, T* candidates, T* out,
                    index_t size);
    void (*gru_row_backward)(T* grad, const T* gates, const T* candidates, const T* before, T* out, T* hidden_part,
                             index_t size);

    void (*sgd)(T* param, const T* grad, T* buffer, index_t count, const SgdSettings<T>& settings);
    void (*adam)(T* param, const T* grad, T* mean, T* square, T* largest, index_t count,
                 const AdamSettings<T>& settings);
    void (*steps[STEPS_COUNT])(T* param, const T* grad, T* const* state, index_t count,
                               const StepSettings<T>& settings);
};

struct LoopTable {
    Loops<float> for_float;
    Loops<double> for_double;
    Loops<int64_t> for_int64;
    void (*widen[HALF_COUNT])(const uint16_t* x, float* out, index_t count);
    void (*narrow[HALF_COUNT])(const float* x, uint16_t* out, index_t count);
    uint64_t (*whole_sum)(const int64_t* x, index_t count);
    const char* instruction_set;
};

namespace baseline {
LoopTable table();
}
namespace avx2 {
LoopTable table();
}
namespace avx512 {
LoopTable table();
}

extern LoopTable chosen_loops;
// The best table that this processor can run, or the one named; false if it cannot run that, or there is none.
bool choose_loops(const char* wanted);

template <class T> inline const Loops<T>& loops();
template <> inline const Loops<float>& loops<float>() { return chosen_loops.for_float; }
template <> inline const Loops<double>& loops<double>() { return chosen_loops.for_double; }
template <> inline const Loops<int64_t>& loops<int64_t>() { return chosen_loops.for_int64; }

}  // namespace wengert
