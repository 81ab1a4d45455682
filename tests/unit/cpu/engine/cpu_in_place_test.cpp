// Elementwise results written over dead operands.
#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <cstdlib>

namespace nnrt {
namespace {

using test::GraphMaker;

constexpr size_t kBytes = 4096;
const Shape kShape{32, 32};

class InPlace : public testing::Test {
 protected:
  // Fused nodes use no memory.
  void SetUp() override { ASSERT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0); }
  void TearDown() override { ASSERT_EQ(unsetenv("NNRT_TEST_FUSE"), 0); }

  static std::vector<float> ramp() {
    std::vector<float> values;
    for (int i = 0; i < 1024; ++i) values.push_back(float(i % 37) - 18);
    return values;
  }
  // Returns the arena size; the result is in values_.
  size_t run(const GraphPtr& graph) {
    const auto model = cpu::make_device()->prepare(graph, {}).value();
    std::vector<OutputSlot> outputs;
    for (const TensorId id : graph->outputs)
      outputs.push_back({test::empty_view(*byte_size(graph->tensors[id].dtype, graph->shapes[id])), false});
    EXPECT_TRUE(model->run(std::vector{test::view_of<float>(kShape, ramp())}, outputs, {}).ok());
    values_ = test::values_of<float>(outputs[0].view);
    return model->arena().bytes;
  }
  float at(int i) const { return values_.at(size_t(i)); }

  std::vector<float> values_;
};

TEST_F(InPlace, AFusionNeedsOnePlace) {
  GraphMaker make;
  TensorId y = make.op(Op::abs, {make.input(kShape)}, kShape);
  y = make.op(Op::sqrt, {y}, kShape);
  y = make.op(Op::mul, {y, y}, kShape);
  y = make.op(Op::add, {make.floats({1}, {0.5f}), y}, kShape);
  EXPECT_EQ(run(make.finish({make.op(Op::neg, {y}, kShape)})), kBytes);
  for (int i = 0; i < 37; ++i) EXPECT_NEAR(at(i), -(std::abs(float(i) - 18) + 0.5f), 1e-4f) << i;
}

TEST_F(InPlace, KeepsTensorsReadLater) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input(kShape)}, kShape);
  const TensorId b = make.op(Op::neg, {a}, kShape);
  const TensorId c = make.op(Op::square, {b}, kShape);
  EXPECT_EQ(run(make.finish({make.op(Op::add, {a, c}, kShape)})), 2 * kBytes);
  for (int i = 0; i < 37; ++i) {
    const float x = std::abs(float(i) - 18);
    EXPECT_NEAR(at(i), x + x * x, 1e-3f) << i;
  }
}

TEST_F(InPlace, KeepsTensorsOfLiveAliases) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input(kShape)}, kShape);
  const TensorId flat = make.op(Op::reshape, {a, make.ints({1024})}, {1024});
  const TensorId b = make.op(Op::neg, {a}, kShape);
  const TensorId back = make.op(Op::reshape, {b, make.ints({1024})}, {1024});
  EXPECT_EQ(run(make.finish({make.op(Op::sub, {flat, back}, {1024})})), 2 * kBytes);
  for (int i = 0; i < 37; ++i) EXPECT_EQ(at(i), 2 * std::abs(float(i) - 18)) << i;
}

TEST_F(InPlace, ABroadcastOperandIsNotWrittenOver) {
  GraphMaker make;
  const TensorId x = make.input(kShape);
  const TensorId row = make.op(Op::reduce_max, {x, make.ints({0})}, {32});
  const TensorId wide = make.op(Op::neg, {x}, kShape);
  const size_t arena = run(make.finish({make.op(Op::exp, {make.op(Op::sub, {row, wide}, kShape)}, kShape)}));
  EXPECT_GE(arena, kBytes + 128);
  EXPECT_LT(arena, 2 * kBytes);
}

TEST_F(InPlace, AnotherTypeHasItsOwnPlace) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input(kShape)}, kShape);
  const TensorId is_small = make.op(Op::less, {a, make.floats({1}, {3})}, kShape, {}, DType::boolean);
  const TensorId zero = make.op(Op::neg, {a}, kShape);
  EXPECT_GT(run(make.finish({make.op(Op::where, {is_small, zero, zero}, kShape)})), kBytes);
}

}  // namespace
}  // namespace nnrt
