#include "tests/support/random/random_plans.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nnrt::test {
namespace {

void broadcast(Draft& d) {
  const Shape whole = d.base();
  const bool keep_first = d.first || d.row.op == Op::eltwise;
  for (size_t i = 0; i < d.row.inputs.size(); ++i) {
    const bool keep = (i == 0 && keep_first) || d.random.one_in(3);
    d.shapes.push_back(keep ? whole : degraded(d, whole));
  }
}

void select(Draft& d) {
  const Shape whole = d.base();
  d.shapes = {d.random.of<Shape>({whole, {}, {1}}), whole, whole};
}

void one_of_data(Draft& d) { d.shapes = {d.random.of<Shape>({{}, {1}}), d.base()}; }

void channels(Draft& d) {
  const bool instance = d.row.op == Op::instance_norm;
  Shape x = instance ? d.base(4, 4) : d.base(2, 5);
  const bool second = instance ? d.format != Format::nhwc : d.format == Format::nchw && x.size() >= 3;
  int64_t& channels = x[second ? 1 : x.size() - 1];
  if (!d.first) channels = d.channels();
  const bool one = d.row.op == Op::prelu && d.random.one_in(3);
  d.shapes.assign(d.row.inputs.size(), {one ? 1 : channels});
  d.shapes[0] = x;
}

void scale(Draft& d) {
  if (!d.first && d.random.one_in(8)) {  // single element of any kind
    d.shapes = {{}, d.random.of<Shape>({{}, {1}}), d.random.of<Shape>({{}, {1}})};
    return d.set(Attr::axis, {d.axis(1)});
  }
  Shape x = d.base();
  const int64_t axis = d.axis(x.size()), from = axis < 0 ? axis + int64_t(x.size()) : axis;
  const int64_t to = d.random.between(from + 1, int64_t(x.size()));
  if (!d.first) x[size_t(to) - 1] = d.channels();
  const Shape covered(x.begin() + from, x.begin() + to);
  d.shapes = {x, covered, covered};
  d.set(Attr::axis, {axis});
}

void layer_norm(Draft& d) {
  const bool any_axis = d.row.op == Op::rms_norm;
  Shape x = d.base(any_axis ? 1 : 2);
  const int64_t begin = d.random.between(any_axis ? 0 : 1, int64_t(x.size()) - 1);
  if (!d.first) x.back() = d.channels();
  const Shape covered(x.begin() + begin, x.end());
  d.shapes.assign(d.row.inputs.size(), covered);
  d.shapes[0] = x;
  d.set(Attr::begin_norm_axis, {any_axis && d.random.one_in(3) ? begin - int64_t(x.size()) : begin});
}

void group_norm(Draft& d) {
  Shape x = d.base(3, 7);
  int64_t& channels = x[d.format == Format::nchw && x.size() >= 3 ? 1 : x.size() - 1];
  const int64_t group = d.random.of<int64_t>({1, 1, 2, 3, 4});
  if (!d.first) channels = group * d.random.of<int64_t>({1, 2, 3, 4, 5, 8});
  d.shapes = {x, {channels}, {channels}};
  d.set(Attr::group, {d.first ? 1 : group});
}

void rotary_embedding(Draft& d) {
  Shape x = d.base(2, 7);
  if (!d.first) x.back() = std::max<int64_t>(x.back(), 2);
  const int64_t half = std::max<int64_t>(x.back() / 2, 1);
  Shape angles = degraded(d, Shape(x.begin(), x.end() - 1));
  angles.push_back(d.random.one_in(3) ? d.random.between(1, half) : half);
  d.shapes = {x, angles, angles};
}

void image(Draft& d) {
  d.shapes = {d.base(4, 4)};
  if (!d.first) d.shapes[0][d.format == Format::nchw ? 1 : 3] = d.channels();
}

void convolution(Draft& d) {
  Random& random = d.random;
  const std::vector<int64_t> sizes{1, 2, 3, 5, 7, 8, 11, 13};
  const int64_t group = d.first ? 1 : random.of<int64_t>({1, 1, 1, 2, 3});
  const int64_t out = group * random.of<int64_t>({1, 2, 3, 4, 5, 7, 8, 16, 37});
  const int64_t kernel_h = random.of<int64_t>({1, 2, 3, 5}), kernel_w = random.of<int64_t>({1, 1, 3, 5});
  const int64_t drawn = group * random.of<int64_t>({1, 2, 3, 4, 5, 8, 16, 17});
  const Shape x =
      d.first ? *d.first : in_order(d, random.between(1, 3), random.of(sizes), random.of(sizes), drawn);
  const int64_t in = x[d.format == Format::nchw ? 1 : 3];
  const bool depthwise = d.row.op == Op::depthwise_conv2d_native;
  const int64_t filters = depthwise ? in * random.between(1, 2) : out;
  d.shapes = {x, {filters, kernel_h, kernel_w, depthwise ? 1 : in / group}, {filters}};
  d.set(Attr::group, {group});
}

void full_connection(Draft& d) {
  const Shape x = d.base();
  const int64_t axis = d.axis(x.size());
  const auto from = x.begin() + (axis < 0 ? axis + int64_t(x.size()) : axis);
  const bool flat = d.random.one_in(2);
  const int64_t inner = flat ? x.back() : std::accumulate(from, x.end(), int64_t{1}, std::multiplies<>());
  const int64_t columns = d.dimension();
  d.shapes = {x, {columns, inner}};
  const bool biased = !d.random.one_in(3);
  if (biased) d.shapes.push_back({columns});
  d.set(Attr::has_bias, {biased});
  d.set(Attr::use_axis, {!flat});
  d.attrs[Attr::axis] = {};
  if (!flat) d.set(Attr::axis, {axis});
}

void matmul(Draft& d) {
  const Shape a = d.base(2, 5);
  const bool transpose_a = d.random.one_in(2), transpose_b = d.random.one_in(2);
  const int64_t inner = transpose_a ? a[a.size() - 2] : a.back(), columns = d.dimension();
  Shape b = degraded(d, Shape(a.begin(), a.end() - 2));
  b.insert(b.end(), {transpose_b ? columns : inner, transpose_b ? inner : columns});
  d.shapes = {a, b};
  // Rank-1 operands as in NumPy, each of which removes a dimension of the result.
  if (!d.first && d.random.one_in(6)) d.shapes[0] = {inner};
  if (d.random.one_in(6)) d.shapes[1] = {inner};
  d.set(Attr::transpose_a, {d.shapes[0].size() > 1 && transpose_a});
  d.set(Attr::transpose_b, {d.shapes[1].size() > 1 && transpose_b});
}

void matmul_nbits(Draft& d) {
  const Shape x = d.base();
  const int64_t inner = x.back(), columns = d.dimension(), bits = d.random.of<int64_t>({4, 8});
  const int64_t block = d.random.of<int64_t>({0, 1, 3, 4, 8, 16, 32});
  const int64_t blocks = block == 0 ? 1 : (inner + block - 1) / block;
  d.shapes = {x, {columns, bits == 8 ? inner : (inner + 1) / 2}, {columns, blocks}, {columns, blocks}};
  if (d.random.one_in(2)) d.shapes.push_back({columns});
  d.set(Attr::bits, {bits});
  d.set(Attr::block, {block});
}

void lstm(Draft& d) {
  Random& random = d.random;
  const int64_t steps = random.between(1, 5), batch = random.between(1, 3),
                hidden = random.of<int64_t>({1, 2, 3, 4, 5, 7, 8});
  const int64_t directions = random.between(1, 2), layers = random.between(1, 3);
  const int64_t input = layers > 1 ? hidden * directions : d.dimension(), states = layers * directions;
  d.shapes = {{steps, batch, input}, {states, 4 * hidden, input}, {states, 4 * hidden, hidden},
              {states, 8 * hidden},  {states, batch, hidden},     {states, batch, hidden}};
  d.set(Attr::bidirectional, {directions == 2});
  d.set(Attr::num_directions, {random.one_in(2) ? directions : 0});
  d.set(Attr::num_layers, {layers});
  d.set(Attr::input_size, {random.one_in(2) ? input : 0});
  d.set(Attr::hidden_size, {random.one_in(2) ? hidden : 0});
  d.set(Attr::proj_size, {0});
}

void recurrent(Draft& d) {
  Random& random = d.random;
  const int64_t steps = random.between(1, 5), batch = random.between(1, 3),
                hidden = random.of<int64_t>({1, 2, 3, 4, 5, 7, 8, 17}), input = d.dimension();
  const int64_t direction = random.between(0, 2), directions = direction == 2 ? 2 : 1;
  const int64_t rows = (d.row.op == Op::gru ? 3 : 1) * hidden;
  d.shapes = {{steps, batch, input},
              {directions, rows, input},
              {directions, rows, hidden},
              {directions, 2 * rows},
              {directions, batch, hidden}};
  d.set(Attr::direction, {direction});
}

void attention(Draft& d) {
  Random& random = d.random;
  const int64_t batch = random.between(1, 2), key_heads = random.between(1, 3),
                heads = key_heads * random.of<int64_t>({1, 1, 2, 3}), queries = d.dimension(),
                keys = random.one_in(4) ? random.of<int64_t>({127, 130, 200}) : d.dimension(),
                size = d.dimension();
  d.shapes = {
      {batch, heads, queries, size}, {batch, key_heads, keys, size}, {batch, key_heads, keys, d.dimension()}};
  if (random.one_in(3)) return;
  constexpr size_t kMask = 3;
  d.shapes.push_back(degraded(d, {batch, heads, queries, keys}));
  d.dtypes[kMask] = random.one_in(2) ? DType::boolean : d.dtype;
}

void detection(Draft& d) {
  const int64_t boxes = d.dimension(), classes = d.random.between(1, 5);
  d.shapes = {{1, boxes, 4}, {1, boxes, classes + d.random.between(0, 1)}, {boxes, 4}};
  d.set(Attr::num_classes, {classes});
  d.set(Attr::max_detections, {d.random.between(1, 7)});
  d.set(Attr::max_classes, {d.random.between(1, 3)});
  d.set(Attr::detections_per_class, {d.random.between(1, 5)});
  d.attrs[Attr::scale] = {10, 10, 5, 5};
}

void clip(Draft& d) {
  draw_equal(d);
  const double low = d.random.real(-3, 1);
  d.attrs[Attr::min] = {low};
  d.attrs[Attr::max] = {low + d.random.real(0, 4)};
}

void reduce(Draft& d) {
  d.shapes = {d.base()};
  d.shapes.resize(2);
  d.list(1, d.axes(d.rank()));
}

}  // namespace

std::vector<Plan> operand_plans() {
  return {
      {broadcast, {Op::add,         Op::sub,           Op::mul,
                   Op::div,         Op::mod,           Op::pow,
                   Op::maximum,     Op::minimum,       Op::squared_difference,
                   Op::eltwise,     Op::less,          Op::less_equal,
                   Op::greater,     Op::greater_equal, Op::equal,
                   Op::not_equal,   Op::logical_and,   Op::logical_or,
                   Op::where,       Op::bitwise_and,   Op::bitwise_or,
                   Op::bitwise_xor, Op::bit_shift}},
      {channels, {Op::batch_norm, Op::bias_add, Op::prelu, Op::instance_norm}},
      {image, {Op::lrn, Op::resize_bilinear, Op::avg_pool, Op::max_pool}},
      {convolution, {Op::conv2d, Op::conv2d_transpose, Op::depthwise_conv2d_native}},
      {reduce,
       {Op::reduce_mean, Op::reduce_sum, Op::reduce_max, Op::reduce_min, Op::reduce_prod, Op::reduce_all,
        Op::reduce_l2, Op::all}},
      {select, {Op::select}},
      {one_of_data, {Op::assert_}},
      {scale, {Op::scale}},
      {layer_norm, {Op::layer_norm, Op::rms_norm}},
      {group_norm, {Op::group_norm}},
      {rotary_embedding, {Op::rotary_embedding}},
      {full_connection, {Op::full_connection}},
      {matmul, {Op::matmul}},
      {matmul_nbits, {Op::matmul_nbits}},
      {lstm, {Op::lstm}},
      {recurrent, {Op::gru, Op::rnn}},
      {attention, {Op::attention}},
      {detection, {Op::detection_post_process}},
      {clip, {Op::clip}},
  };
}

}  // namespace nnrt::test
