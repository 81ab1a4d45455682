#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/node_maker.h"
#include "tests/support/tensor_views.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

TEST(Assert, FailsTheRunAndShowsTheData) {
  test::GraphMaker maker;
  const TensorId condition = maker.input({1}, DType::boolean), data = maker.input({3});
  const TensorId summarize = maker.parameter<int64_t>(106, DType::i64, {2});
  const GraphPtr graph = maker.finish({maker.op(Op::assert_, {condition, data}, {3}, {summarize})});
  auto model = make_device()->prepare(graph, {});
  ASSERT_TRUE(model.ok());
  const TensorView values = test::view_of<float>({3}, {1.5f, 2, 3});
  std::vector<OutputSlot> outputs{{test::empty_view(12)}};

  const std::vector<TensorView> fails{test::view_of<uint8_t>({1}, {0}), values};
  const Status status = model.value()->run(fails, outputs, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::failed);
  EXPECT_EQ(status.error().message,
            "The condition does not hold. The data (Tensor: 1) begins with 1.5, 2. "
            "While running OH_NN_OPS_ASSERT (operation 0).");

  const std::vector<TensorView> holds{test::view_of<uint8_t>({1}, {2}), values};
  ASSERT_TRUE(model.value()->run(holds, outputs, {}).ok());
  EXPECT_EQ(test::values_of<float>(outputs[0].view), (std::vector<float>{1.5f, 2, 3}));
}

// Boxes 0 and 1 overlap, 2 is separate; two classes, with the background in column 0.
NodeMaker detection(bool regular) {
  NodeMaker maker(Op::detection_post_process);
  maker.input<float>({1, 3, 4}, std::vector<float>(12, 0.0f))
      .input<float>({1, 3, 3}, {0.9f, 0.6f, 0.1f, 0.9f, 0.5f, 0.4f, 0.9f, 0.2f, 0.3f})
      .input<float>({3, 4}, {1, 1, 2, 2, 1, 1.25f, 2, 2, 9, 9, 2, 2});
  maker.integer(Attr::max_detections, {3}).integer(Attr::max_classes, {1}).integer(Attr::num_classes, {2});
  maker.integer(Attr::detections_per_class, {2}).integer(Attr::use_regular_nms, {double(regular)});
  maker.real(Attr::iou_threshold, 0.5).real(Attr::score_threshold, 0.25).floats(Attr::scale, {1, 1, 1, 1});
  maker.output(DType::f32, {1, 3, 4}).output(DType::f32, {1, 3}).output(DType::f32, {1, 3});
  maker.output(DType::f32, {1});
  return maker;
}

TEST(DetectionPostProcess, FastModeSuppressesByTheBestScore) {
  NodeMaker maker = detection(false);
  ASSERT_TRUE(maker.run());
  EXPECT_EQ(maker.result<float>(0), (std::vector<float>{0, 0, 2, 2, 8, 8, 10, 10, 0, 0, 0, 0}));
  EXPECT_EQ(maker.result<float>(1), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(maker.result<float>(2), (std::vector<float>{0.6f, 0.3f, 0}));
  EXPECT_EQ(maker.result<float>(3), (std::vector<float>{2}));
}

TEST(DetectionPostProcess, RegularModeSuppressesInEachClass) {
  NodeMaker maker = detection(true);
  ASSERT_TRUE(maker.run());
  EXPECT_EQ(maker.result<float>(1), (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(maker.result<float>(2), (std::vector<float>{0.6f, 0.4f, 0.3f}));
  EXPECT_EQ(maker.result<float>(3), (std::vector<float>{3}));
}

}  // namespace
}  // namespace nnrt::cpu
