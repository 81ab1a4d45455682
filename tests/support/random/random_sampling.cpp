#include "tests/support/random/random_plans.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

// Small sizes, so that kernels reach the edges.
int64_t small_size(Draft& d) { return d.random.of<int64_t>({1, 2, 3, 4, 5, 7, 9}); }

// [batch, sizes, channels] in the dimension order of the format.
Shape data_of(const Draft& d, int64_t batch, const Shape& sizes, int64_t channels) {
  Shape shape{batch};
  if (d.format == Format::nchw) shape.push_back(channels);
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  if (d.format != Format::nchw) shape.push_back(channels);
  return shape;
}

Shape data(Draft& d, size_t min_rank, size_t max_rank) {
  if (d.first) return *d.first;
  Shape sizes(size_t(d.random.between(int64_t(min_rank), int64_t(max_rank))) - 2);
  for (int64_t& size : sizes) size = small_size(d);
  return data_of(d, d.random.between(1, 3), sizes, d.channels());
}

void repeat(Draft& d, Attr attr, size_t count, int64_t min, int64_t max) {
  std::vector<int64_t> values(count);
  for (int64_t& value : values) value = d.random.between(min, max);
  d.set(attr, values);
}

void pad(Draft& d) {
  d.shapes = {d.base()};
  for (const int64_t length : d.shapes[0]) {
    const int64_t max = d.row.op == Op::pad_wrap ? std::min<int64_t>(length, 2) : 2;
    for (int side = 0; side < 2; ++side) d.integers[1].push_back(d.random.between(0, max));
  }
  d.shapes.push_back({int64_t(d.rank()), 2});
}

void pool(Draft& d) {
  d.shapes = {data(d, 3, 5)};
  const size_t axes = d.rank() < 3 ? 1 : d.rank() - 2;
  repeat(d, Attr::kernel, axes, 1, 3);
  repeat(d, Attr::stride, axes, 1, 3);
  repeat(d, Attr::dilation, axes, 1, 2);
  repeat(d, Attr::pad, 2 * axes, 0, 1);
  if (d.random.one_in(3)) d.attrs[Attr::dilation] = {};
}

void conv3d(Draft& d) {
  Random& random = d.random;
  const int64_t group = d.first ? 1 : random.of<int64_t>({1, 1, 2, 3});
  const int64_t out = group * random.of<int64_t>({1, 2, 3, 4, 5, 8});
  const Shape sizes{small_size(d), small_size(d), small_size(d)};
  const Shape x =
      d.first ? *d.first : data_of(d, random.between(1, 2), sizes, group * random.of<int64_t>({1, 2, 4, 5}));
  const int64_t in = x[d.format == Format::nchw && x.size() > 1 ? 1 : x.size() - 1];
  d.shapes = {x, {out, random.between(1, 3), random.between(1, 3), random.between(1, 3), in / group}, {out}};
  d.set(Attr::group, {group});
  repeat(d, Attr::stride, 3, 1, 2);
  repeat(d, Attr::dilation, 3, 1, 2);
  repeat(d, Attr::pad, 6, 0, 2);
}

void grid_sample(Draft& d) {
  const Shape x = data(d, 4, 5);
  Shape grid{x[0]};
  for (size_t i = 2; i < x.size(); ++i) grid.push_back(small_size(d));
  grid.push_back(std::max<int64_t>(int64_t(x.size()) - 2, 1));
  d.shapes = {x, grid};
}

void resize(Draft& d) {
  d.shapes = {d.base(1, 4)};
  std::vector<int64_t> size;
  for (const int64_t length : d.shapes[0])
    size.push_back(d.random.one_in(3) ? length : d.random.between(1, 2 * length + 1));
  const bool is_sized = !d.random.one_in(4);
  if (is_sized) {
    d.shapes.emplace_back();
    d.list(1, size);
  }
  std::vector<double> scales, region;
  for (size_t i = 0; i < size.size(); ++i)
    scales.push_back((double(size[i]) + (is_sized ? 0 : 0.25)) / double(d.shapes[0][i]));
  for (size_t i = 0; i < size.size(); ++i) region.push_back(double(d.random.between(-1, 2)) * 0.125);
  for (size_t i = 0; i < size.size(); ++i) region.push_back(double(d.random.between(3, 9)) * 0.125);
  const int64_t coordinates = d.random.between(0, 6);
  d.set(Attr::coordinate_mode, {coordinates});
  d.attrs[Attr::region] = coordinates == 5 ? region : std::vector<double>{};
  d.attrs[Attr::scales] = !is_sized || d.random.one_in(2) ? scales : std::vector<double>{};
}

void col2im(Draft& d) {
  const size_t axes = size_t(d.random.between(1, 3));
  std::vector<int64_t> size(axes), block(axes), stride(axes), dilation(axes), pad(2 * axes);
  int64_t area = 1, blocks = 1;
  for (size_t i = 0; i < axes; ++i) {
    block[i] = d.random.between(1, 3);
    stride[i] = d.random.between(1, 3);
    dilation[i] = d.random.between(1, 2);
    for (const size_t side : {2 * i, 2 * i + 1}) pad[side] = d.random.between(0, 1);
    const int64_t reach = (block[i] - 1) * dilation[i] + 1;
    size[i] = reach + d.random.between(0, 5);
    area *= block[i];
    blocks *= (size[i] + pad[2 * i] + pad[2 * i + 1] - reach) / stride[i] + 1;
  }
  d.shapes = {d.first ? *d.first : Shape{d.random.between(1, 2), area * d.random.between(1, 3), blocks}, {}};
  d.list(1, size);
  d.set(Attr::block, block);
  d.set(Attr::stride, stride);
  d.set(Attr::dilation, dilation);
  d.set(Attr::pad, pad);
}

void roi_align(Draft& d) {
  const Shape x = data(d, 4, 4);
  const int64_t regions = d.random.between(1, 4);
  d.shapes = {x, {regions, 4}, {regions}};
  for (int64_t i = 0; i < regions; ++i)
    d.integers[2].push_back(d.random.one_in(8) ? x[0] : d.random.between(0, x[0] - 1));
  repeat(d, Attr::new_height, 1, 1, 4);
  repeat(d, Attr::new_width, 1, 1, 4);
  repeat(d, Attr::sampling_ratio, d.random.one_in(2) ? 1 : 2, 0, 2);
  d.attrs[Attr::strict] = {};
  d.dtypes[1] = d.dtype == DType::f16 ? DType::f16 : DType::f32;
  d.attrs[Attr::spatial_scale] = d.random.one_in(2) ? std::vector<double>{0.5} : std::vector<double>{1, 0.75};
}

void roi_pooling(Draft& d) {
  const Shape x = data(d, 4, 4);
  const int64_t regions = d.random.between(1, 4);
  const bool is_nchw = d.format == Format::nchw;
  const size_t axis = is_nchw ? 2 : 1;
  d.shapes = {x, {regions, 4}, {regions}};
  d.dtypes[1] = d.dtype == DType::f16 ? DType::f16 : DType::f32;
  for (int64_t i = 0; i < regions && x.size() == 4; ++i) {
    const int64_t left = d.random.between(0, x[axis + 1]), top = d.random.between(0, x[axis]);
    d.integers[1].insert(d.integers[1].end(),
                         {left, top, d.random.between(left, x[axis + 1]), d.random.between(top, x[axis])});
    d.integers[2].push_back(d.random.between(0, x[0] - 1));
  }
  repeat(d, Attr::new_height, 1, 1, 4);
  repeat(d, Attr::new_width, 1, 1, 4);
  repeat(d, Attr::strict, 1, 0, 1);
}

}  // namespace

std::vector<Plan> sampling_plans() {
  return {
      {pad, {Op::pad_edge, Op::pad_wrap}},
      {pool, {Op::avg_pool_nd, Op::max_pool_nd}},
      {conv3d, {Op::conv3d}},
      {grid_sample, {Op::grid_sample}},
      {resize, {Op::resize}},
      {col2im, {Op::col2im}},
      {roi_align, {Op::roi_align}},
      {roi_pooling, {Op::roi_pooling}},
  };
}

}  // namespace nnrt::test
