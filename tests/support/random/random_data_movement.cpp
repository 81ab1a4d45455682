#include "tests/support/random/random_plans.h"

#include <algorithm>
#include <numeric>

namespace nnrt::test {
namespace {

void reshape(Draft& d) {
  d.shapes = {d.base()};
  Shape wanted = d.shapes[0];
  d.random.shuffle(wanted);
  if (wanted.size() > 1 && d.random.one_in(2)) {
    wanted[0] *= wanted.back();
    wanted.pop_back();
  }
  if (d.random.one_in(3)) wanted[d.random.below(wanted.size())] = -1;
  if (d.random.one_in(3)) wanted = {-1, d.shapes[0].back()};
  d.shapes.resize(2);
  d.list(1, wanted);
}

void flatten(Draft& d) {
  d.shapes = {d.base()};
  d.set(Attr::axis, {d.random.between(-int64_t(d.rank()), int64_t(d.rank()))});
}

void unsqueeze(Draft& d) {
  d.shapes = {d.base()};
  const int64_t more = d.row.op == Op::expand_dims ? 1 : d.random.between(1, 2);
  std::vector<int64_t> axes = d.permutation(d.rank() + size_t(more));
  axes.resize(size_t(more));
  d.set(Attr::axis, axes);
  d.shapes.resize(d.row.inputs.size());
  if (d.row.op == Op::expand_dims) d.value(1, axes[0]);
}

void transpose(Draft& d) {
  d.shapes = {d.base(), {}};
  d.list(1, d.permutation(d.rank()));
}

void slice(Draft& d) {
  d.shapes = {d.base(), {}, {}};
  std::vector<int64_t> axes = d.axes(d.rank()), begin, size;
  const bool all = d.random.one_in(2);
  if (all) std::iota(axes.begin(), (axes.resize(d.rank()), axes.end()), 0);
  for (const int64_t axis : axes) {
    const int64_t length = d.shapes[0][size_t(axis + int64_t(d.rank())) % d.rank()];
    begin.push_back(d.random.between(0, length - 1));
    size.push_back(d.random.one_in(5) ? -1 : d.random.between(1, length - begin.back()));
  }
  d.list(1, begin);
  d.list(2, size);
  d.attrs[Attr::axes] = {};
  if (!all) d.set(Attr::axes, axes);
}

void strided_slice(Draft& d) {
  d.shapes = {d.base(), {}, {}, {}};
  std::vector<int64_t> begin, end, strides;
  for (const int64_t length : d.shapes[0]) {
    const int64_t from = d.random.between(0, length - 1), to = d.random.between(from, length - 1);
    const int64_t stride = d.random.between(1, 3);
    const bool back = d.random.one_in(3);
    begin.push_back((back ? to : from) - (d.random.one_in(3) ? length : 0));
    end.push_back(back ? (from > 0 ? from - 1 : -length - 1) : to + 1);
    strides.push_back(back ? -stride : stride);
  }
  d.list(1, begin);
  d.list(2, end);
  d.list(3, strides);
  for (const Attr mask : {Attr::begin_mask, Attr::end_mask, Attr::shrink_axis_mask, Attr::ellipsis_mask}) {
    d.set(mask, {d.random.one_in(4) ? int64_t{1} << d.random.below(d.rank()) : 0});
  }
  d.set(Attr::new_axis_mask, {d.random.one_in(8) ? int64_t{1} << d.random.below(d.rank()) : 0});
}

void crop(Draft& d) {
  d.shapes = {d.base(), {}};
  const size_t axis = d.random.below(d.rank());
  Shape shape = d.shapes[0];
  std::vector<int64_t> offset;
  for (size_t i = axis; i < d.rank(); ++i) {
    offset.push_back(d.random.between(0, shape[i] - 1));
    shape[i] = d.random.between(1, shape[i] - offset.back());
  }
  d.list(1, shape);
  d.set(Attr::axis, {int64_t(axis)});
  d.set(Attr::offset, offset);
}

void tile(Draft& d) {
  d.shapes = {d.base(), {}};
  std::vector<int64_t> dims = d.axes(d.rank()), multiples;
  const bool all = d.random.one_in(2);
  const size_t more = d.rank() < 5 ? d.random.below(2) : 0;
  for (size_t i = 0; i < (all ? d.rank() + more : dims.size()); ++i)
    multiples.push_back(d.random.between(1, 3));
  d.list(1, multiples);
  d.attrs[Attr::dims] = {};
  if (!all) d.set(Attr::dims, dims);
}

void broadcast_to(Draft& d) {
  const Shape target = d.base();
  d.shapes = {d.first ? target : degraded(d, target)};
  d.set(Attr::shape, target);
}

void pad(Draft& d) {
  d.shapes = {d.base()};
  std::vector<int64_t> paddings;
  const int64_t mode = d.random.between(0, 2);
  for (const int64_t length : d.shapes[0]) {
    const int64_t max = std::min<int64_t>(mode == 0 ? 2 : length - (mode == 1), 2);
    for (int side = 0; side < 2; ++side) paddings.push_back(d.random.between(0, max));
  }
  d.shapes.push_back({int64_t(d.rank()), 2});
  d.integers[1] = paddings;
  d.set(Attr::padding_mode, {mode});
}

void concat(Draft& d) {
  d.shapes.assign(size_t(d.random.between(2, 5)), d.base());
  const size_t axis = d.random.below(d.rank());
  for (size_t i = 1; i < d.shapes.size(); ++i) d.shapes[i][axis] = d.dimension();
  d.set(Attr::axis, {int64_t(axis) - (d.random.one_in(2) ? int64_t(d.rank()) : 0)});
}

void stack(Draft& d) {
  d.shapes.assign(size_t(d.random.between(2, 5)), d.base());
  d.set(Attr::axis, {d.axis(d.rank() + 1)});
}

void split(Draft& d) {
  Shape x = d.base();
  const size_t axis = d.random.below(x.size());
  d.outputs =
      d.row.op == Op::unstack ? size_t(x[axis]) : size_t(d.random.between(1, std::min<int64_t>(x[axis], 5)));
  std::vector<int64_t> sizes(d.outputs, 1);
  for (int64_t rest = x[axis] - int64_t(d.outputs); rest > 0; --rest) ++sizes[d.random.below(d.outputs)];
  if (d.random.one_in(3)) sizes.back() = -1;
  d.shapes = {x};
  d.set(Attr::axis, {int64_t(axis)});
  d.set(Attr::output_num, {int64_t(d.outputs)});
  d.set(Attr::size_splits, sizes);
  if (d.random.one_in(2) && x[axis] % int64_t(d.outputs) == 0) d.attrs[Attr::size_splits] = {};
}

// Dimensions divisible by the block, if the operator packs or unpacks blocks.
void blocks(Draft& d) {
  Random& random = d.random;
  const int64_t block = random.between(2, 3), other = random.between(1, 3);
  const bool depth = d.row.op == Op::depth_to_space || d.row.op == Op::space_to_depth;
  const int64_t n = random.between(1, 3), h = random.of<int64_t>({1, 2, 3, 5}),
                w = random.of<int64_t>({1, 2, 3, 7});
  const int64_t c = d.channels();
  switch (d.row.op) {
    case Op::depth_to_space: d.shapes = {in_order(d, n, h, w, c * block * block)}; break;
    case Op::space_to_depth: d.shapes = {in_order(d, n, h * block, w * block, c)}; break;
    case Op::batch_to_space_nd: d.shapes = {in_order(d, n * block * other, h, w, c)}; break;
    default: d.shapes = {in_order(d, n, h * block - 1, w * other + other - 1, c)}; break;
  }
  d.set(Attr::block, depth ? std::vector{block} : std::vector{block, other});
  d.set(Attr::paddings, {0, 1, 1, 0});
  d.set(Attr::crops, {0, random.between(0, 1), random.between(0, other - 1), 0});
}

}  // namespace

std::vector<Plan> data_movement_plans() {
  return {
      {blocks, {Op::depth_to_space, Op::space_to_depth, Op::batch_to_space_nd, Op::space_to_batch_nd}},
      {unsqueeze, {Op::unsqueeze, Op::expand_dims}},
      {split, {Op::split, Op::unstack}},
      {reshape, {Op::reshape}},
      {flatten, {Op::flatten}},
      {transpose, {Op::transpose}},
      {slice, {Op::slice}},
      {strided_slice, {Op::strided_slice}},
      {crop, {Op::crop}},
      {tile, {Op::tile}},
      {broadcast_to, {Op::broadcast_to}},
      {pad, {Op::pad}},
      {concat, {Op::concat}},
      {stack, {Op::stack}},
  };
}

}  // namespace nnrt::test
