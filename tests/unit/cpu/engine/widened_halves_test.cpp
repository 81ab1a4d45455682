#include "backends/cpu/engine/widened_halves.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/base/fp16.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/tensor_views.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

template <typename T>
std::vector<T> eighths(int64_t count, int64_t factor) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    const float value = float(i * factor % 31 - 15) / 8;
    if constexpr (std::is_same_v<T, float>) {
      values.push_back(value);
    } else {
      values.push_back(to_half(value));
    }
  }
  return values;
}

const Shape kShape{1, 9, 9, 3}, kFilters{8, 3, 3, 3}, kResult{1, 7, 7, 8};

// Two convolutions of one input, their sum, and a pool.
template <typename T>
GraphPtr graph_of(DType dtype) {
  GraphMaker maker;
  const TensorId x = maker.input(kShape, dtype, Format::nhwc);
  const auto conv = [&](int64_t factor) {
    const TensorId w = maker.constant<T>(kFilters, dtype, eighths<T>(216, factor));
    const TensorId b = maker.constant<T>({8}, dtype, eighths<T>(8, 3));
    return maker.op(Op::conv2d, {x, w, b}, kResult, {}, dtype, Format::nhwc);
  };
  const TensorId sum = maker.op(Op::add, {conv(7), conv(11)}, kResult, {}, dtype, Format::nhwc);
  const TensorId kernel = maker.parameter<int64_t>(36, DType::i64, {2, 2});
  return normalize(maker.finish(
      {maker.op(Op::max_pool, {sum}, {1, 3, 3, 8}, {kernel, maker.parameter<int64_t>(37, DType::i64, {2, 2})},
                dtype, Format::nhwc)}));
}

template <typename T>
std::vector<T> run(PreparedModel& model) {
  const std::vector<T> x = eighths<T>(243, 37);
  const std::vector<TensorView> inputs{test::view_of<T>(kShape, x)};
  std::vector<OutputSlot> outputs{{{}, true}};
  EXPECT_TRUE(model.run(inputs, outputs, {}).ok());
  return test::values_of<T>(outputs[0].view);
}

TEST(WidenedHalves, CastAnInputOnceAndNoConstant) {
  const GraphPtr graph = graph_of<Half>(DType::f16);
  const GraphPtr widened = with_widened_halves(graph);
  const Status status = find_fault("widened_halves", *graph, *widened, {.widened = true});
  EXPECT_TRUE(status.ok()) << status.error().message;
  // One for the input, two results, and the pool's input and result.
  EXPECT_EQ(std::ranges::count(widened->nodes, Op::cast, &Node::op), 5);
}

TEST(WidenedHalves, LeaveOtherGraphsAlone) {
  const GraphPtr graph = graph_of<float>(DType::f32);
  EXPECT_EQ(with_widened_halves(graph), graph);
}

TEST(WidenedHalves, GiveRoundedResultsAlsoWhenRestored) {
  const std::vector<float> floats =
      run<float>(*make_device()->prepare(graph_of<float>(DType::f32), {}).value());
  const GraphPtr graph = graph_of<Half>(DType::f16);
  const auto prepared = make_device()->prepare(graph, {}).value();
  const std::vector<Half> got = run<Half>(*prepared);
  ASSERT_EQ(got.size(), floats.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(to_float(got[i]), floats[i], 0x1p-6f) << i;
  const Bytes cached = prepared->export_cache(graph).value();
  EXPECT_EQ(run<Half>(*make_device()->restore(graph, {}, test::in_pages(cached)).value()), got);
}

}  // namespace
}  // namespace nnrt::cpu
