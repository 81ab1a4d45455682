#include "tests/support/random/random_plans.h"

#include <algorithm>

namespace nnrt::test {
namespace {

void cast(Draft& d) {
  d.shapes = {d.base()};
  d.shapes.resize(d.row.inputs.size(), Shape{1});
  if (d.row.op == Op::cast) d.integers[1] = {int64_t(d.output_dtype)};
  if (d.dtype != DType::i8) d.attrs[Attr::source_shifted] = {};
  if (d.output_dtype != DType::i8) d.attrs[Attr::target_shifted] = {};
  d.set(Attr::source_type, {int64_t(d.dtype)});
  d.set(Attr::target_type, {int64_t(d.output_dtype)});
}

void arg_max(Draft& d) {
  d.shapes = {d.base()};
  const int64_t axis = d.axis(d.rank());
  const bool value = d.random.one_in(2);
  if (value) d.output_dtype = d.dtype;
  d.set(Attr::axis, {axis});
  d.set(Attr::out_max_value, {value});
  d.set(Attr::top_k, {d.random.between(1, d.shapes[0][size_t(axis + int64_t(d.rank())) % d.rank()])});
}

void top_k(Draft& d) {
  arg_max(d);
  d.shapes.resize(2);
  d.value(1, int64_t(d.attrs[Attr::top_k][0]));
}

// Indices into `length` elements for input i. One list in eight is a model input and has indices out of range
// (R20).
std::vector<int64_t> indices(Draft& d, size_t input, size_t count, int64_t min, int64_t length) {
  const bool wild = d.random.one_in(8);
  if (wild) d.fed.insert(input);
  std::vector<int64_t> result;
  for (size_t i = 0; i < count; ++i) {
    const bool out = wild && d.random.one_in(3);
    result.push_back(out ? (d.random.one_in(2) ? length : -length - 1) : d.random.between(min, length - 1));
  }
  return result;
}

size_t cells(const Shape& shape) { return size_t(*element_count(shape)); }

Shape small(Draft& d, size_t max_rank) {
  Shape shape(d.random.below(max_rank + 1));
  for (int64_t& dimension : shape) dimension = d.random.of<int64_t>({1, 2, 3, 5});
  return shape;
}

void gather(Draft& d) {
  const Shape x = d.base(1, 4);
  const int64_t axis = d.axis(x.size()), length = x[size_t(axis + int64_t(x.size())) % x.size()];
  d.shapes = {x, small(d, 2), {}};
  d.integers[1] = indices(d, 1, cells(d.shapes[1]), -length, length);
  d.value(2, axis);
}

void gather_nd(Draft& d) {
  const Shape x = d.base(1, 5);
  const size_t width = 1 + d.random.below(x.size());
  Shape rows = small(d, 2);
  d.shapes = {x, rows};
  d.shapes[1].push_back(int64_t(width));
  for (size_t row = 0; row < cells(rows); ++row) {
    for (size_t k = 0; k < width; ++k) d.integers[1].push_back(indices(d, 1, 1, 0, x[k])[0]);
  }
}

// Rows of distinct positions in a shape; occasionally one is out of range.
void scatter(Draft& d) {
  const bool dense = d.row.op == Op::sparse_to_dense;
  const Shape whole = d.base(1, 4);
  const size_t width = dense ? whole.size() : 1 + d.random.below(whole.size());
  const Shape lead(whole.begin(), whole.begin() + std::ptrdiff_t(width));
  std::vector<int64_t> positions = d.permutation(cells(lead));
  positions.resize(1 + d.random.below(std::min<size_t>(positions.size(), 11)));
  const bool wild = d.random.one_in(8);
  if (wild) d.fed.insert(0);
  for (int64_t position : positions) {
    std::vector<int64_t> row(width);
    for (size_t k = width; k-- > 0; position /= lead[k]) row[k] = position % lead[k];
    if (wild && d.random.one_in(3)) row[0] = d.random.one_in(2) ? lead[0] : -1;
    d.integers[0].insert(d.integers[0].end(), row.begin(), row.end());
  }
  Shape updates{int64_t(positions.size())};
  updates.insert(updates.end(), whole.begin() + std::ptrdiff_t(width), whole.end());
  if (dense && d.random.one_in(4)) updates = {1};
  d.shapes = {{int64_t(positions.size()), int64_t(width)}, updates, {}};
  d.list(2, whole);
}

void one_hot(Draft& d) {
  d.shapes = {d.base(1, 4), {}, {}, {}};
  const int64_t depth = d.dimension();
  d.integers[0] = indices(d, 0, cells(d.shapes[0]), 0, depth);
  d.value(1, depth);
  d.set(Attr::axis, {d.random.between(-1, int64_t(d.rank()))});
}

void fill(Draft& d) {
  const size_t shape = d.row.inputs.size() - 1;
  const Shape whole = d.base();
  d.shapes.assign(d.row.inputs.size(), {});
  d.list(shape, whole);
  if (d.row.op == Op::constant_of_shape) {
    d.set(Attr::data_type, {int64_t(d.output_dtype)});
    d.set(Attr::value, {d.random.between(0, 5)});
  }
}

void range(Draft& d) {
  d.shapes = {{1}};
  const int64_t start = d.random.between(-20, 20), delta = d.random.of<int64_t>({-3, -1, 1, 2});
  d.set(Attr::start, {start});
  d.set(Attr::limit, {start + delta * d.random.between(1, 50)});
  d.set(Attr::delta, {delta});
}

}  // namespace

std::vector<Plan> index_plans() {
  return {
      {scatter, {Op::scatter_nd, Op::sparse_to_dense}},
      {fill, {Op::fill, Op::constant_of_shape}},
      {cast, {Op::cast, Op::quant_dtype_cast}},
      {arg_max, {Op::arg_max}},
      {top_k, {Op::top_k}},
      {gather, {Op::gather}},
      {gather_nd, {Op::gather_nd}},
      {one_hot, {Op::one_hot}},
      {range, {Op::range}},
  };
}

}  // namespace nnrt::test
