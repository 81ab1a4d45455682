#include "tests/support/random/random_node_draft.h"

#include "tests/support/random/random_plans.h"

#include <algorithm>
#include <numeric>

namespace nnrt::test {

// Often a multiple of four: kernels use wider accesses if a dimension or a product of dimensions allows it.
int64_t Draft::dimension() {
  return random.of<int64_t>({1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 8, 11, 13, 16, 17});
}

int64_t Draft::channels() { return random.one_in(4) ? dimension() : random.of<int64_t>({1, 1, 2, 3, 5}); }

Shape Draft::base(size_t min_rank, size_t max_rank) {
  if (first) return *first;
  constexpr int64_t kMax = 3000;
  // Single elements are a case kernels often miss.
  if (random.one_in(8)) return Shape(std::clamp<size_t>(random.below(4), min_rank, max_rank), 1);
  Shape shape(size_t(random.between(int64_t(min_rank), int64_t(max_rank))));
  int64_t count = 1;
  for (int64_t& size : shape) {
    size = dimension();
    if (count * size > kMax) size = 1;
    count *= size;
  }
  random.shuffle(shape);
  return shape;
}

std::vector<int64_t> Draft::permutation(size_t count) {
  std::vector<int64_t> result(count);
  std::iota(result.begin(), result.end(), 0);
  random.shuffle(result);
  return result;
}

std::vector<int64_t> Draft::axes(size_t rank) {
  std::vector<int64_t> result = permutation(rank);
  result.resize(1 + random.below(rank));
  for (int64_t& value : result) value -= random.one_in(3) ? int64_t(rank) : 0;
  return result;
}

void Draft::value(size_t i, int64_t content) {
  shapes[i] = random.of<Shape>({{}, {1}});
  integers[i] = {content};
}

void Draft::list(size_t i, std::vector<int64_t> contents) {
  shapes[i] = {int64_t(contents.size())};
  integers[i] = std::move(contents);
}

void draw_equal(Draft& draft) { draft.shapes.assign(draft.row.inputs.size(), draft.base()); }

Shape degraded(Draft& d, Shape shape) {
  for (int64_t& dimension : shape) dimension = d.random.one_in(4) ? 1 : dimension;
  if (d.random.one_in(3))
    shape.erase(shape.begin(), shape.begin() + d.random.between(0, int64_t(shape.size())));
  return shape;
}

Shape in_order(const Draft& d, int64_t n, int64_t h, int64_t w, int64_t c) {
  return d.format == Format::nchw ? Shape{n, c, h, w} : Shape{n, h, w, c};
}

void draw_shapes(Draft& draft) {
  for (const auto& plans : {operand_plans(), data_movement_plans(), index_plans(), element_index_plans(),
                            sampling_plans(), detection_plans(), quantized_lstm_plans()}) {
    for (const Plan& plan : plans) {
      if (std::find(plan.ops.begin(), plan.ops.end(), draft.row.op) != plan.ops.end()) {
        return plan.draw(draft);
      }
    }
  }
  draw_equal(draft);
}

bool may_fail(Op op) {
  switch (op) {
    case Op::assert_:
    case Op::axis_aligned_bbox_transform:
    case Op::box_with_nms_limit:
    case Op::generate_proposals:
    case Op::hashtable_lookup:
    case Op::heatmap_max_keypoint:
    case Op::lsh_projection:
    case Op::random_multinomial:
    case Op::roi_align:
    case Op::roi_pooling: return true;
    default: return false;
  }
}

Domain domain_of(Op op, size_t input) {
  switch (op) {
    case Op::sqrt:
    case Op::rsqrt:
    case Op::log: return {0.1, 9};
    case Op::reduce_prod: return {0.7, 1.3};  // the order matters if zero meets infinity
    case Op::reciprocal: return {-4, 4, true};
    case Op::div:
    case Op::mod: return {-4, 4, input == 1};
    case Op::pow: return input == 0 ? Domain{0.1, 3} : Domain{-2, 2};
    case Op::batch_norm: return input == 4 ? Domain{0.1, 2} : Domain{};
    case Op::detection_post_process: return {0.05, 1};
    case Op::grid_sample: return input == 1 ? Domain{-1.5, 1.5} : Domain{};
    case Op::roi_align: return input == 1 ? Domain{-1, 9} : Domain{};
    default: return {};
  }
}

}  // namespace nnrt::test
