#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

namespace nnrt::cpu {
namespace {

TEST(Assert, FailsTheRunAndShowsTheData) {
  test::GraphMaker maker;
  const TensorId condition = maker.input({1}, DType::boolean), data = maker.input({3});
  const TensorId summarize = maker.parameter<int64_t>(106, DType::i64, {2});
  const GraphPtr graph = maker.finish({maker.op(Op::assert_, {condition, data}, {3}, {summarize})});
  auto model = make_device()->prepare(graph, {}).value();
  const TensorView values = test::view_of<float>({3}, {1.5f, 2, 3});
  std::vector<OutputSlot> outputs{{test::empty_view(12)}};

  const std::vector<TensorView> fails{test::view_of<uint8_t>({1}, {0}), values};
  const Status status = model->run(fails, outputs, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::failed);
  EXPECT_EQ(status.error().message,
            "The condition does not hold. The data (Tensor: 1) begins with 1.5, 2. "
            "While running OH_NN_OPS_ASSERT (operation 0).");

  const std::vector<TensorView> holds{test::view_of<uint8_t>({1}, {2}), values};
  ASSERT_TRUE(model->run(holds, outputs, {}).ok());
  EXPECT_EQ(test::values_of<float>(outputs[0].view), (std::vector<float>{1.5f, 2, 3}));
}

}  // namespace
}  // namespace nnrt::cpu
