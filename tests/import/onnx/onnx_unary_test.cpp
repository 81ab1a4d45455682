#include "tests/import/onnx/onnx_model_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using Types = std::vector<Op>;

Types infinity_test(int32_t type, bool positive, bool negative) {
  OnnxModel model = OnnxModel().input("x", {2, 3}, type).node("IsInf", {"x"});
  model.with("detect_positive", int64_t{positive}).with("detect_negative", int64_t{negative});
  const auto network = model.read();
  EXPECT_TRUE(network.ok()) << message(network);
  return network.ok() ? operations(network.value()) : Types{};
}

TEST(OnnxUnary, IsInfDetectsRequestedSigns) {
  constexpr int32_t kFloat64 = 11;
  for (const int32_t type : {OnnxModel::kFloat32, OnnxModel::kFloat16}) {
    EXPECT_EQ(infinity_test(type, true, true), (Types{Op::abs, Op::equal}));
    EXPECT_EQ(infinity_test(type, true, false), Types{Op::equal});
    EXPECT_EQ(infinity_test(type, false, true), Types{Op::equal});
    EXPECT_EQ(infinity_test(type, false, false), Types{Op::less});
  }
  EXPECT_EQ(infinity_test(kFloat64, true, true), (Types{Op::equal, Op::equal, Op::logical_or}));
}

}  // namespace
}  // namespace nnrt::test
