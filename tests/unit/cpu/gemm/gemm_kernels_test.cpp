#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "tests/support/graph_maker.h"
#include "tests/support/node_maker.h"
#include "tests/support/tensor_views.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

// 128 times the sum of the row, by which kernels correct products with unsigned weights, takes more than 31
// bits.
TEST(MatMul, WrapsCorrectionsOfLongRows) {
  constexpr int64_t kInner = 132112, kColumns = 32;
  const IsaLimit limit(Isa::vnni);
  const auto got =
      NodeMaker(Op::matmul)
          .input({1, kInner}, std::vector<int8_t>(size_t(kInner), 127), {{1.0}, {0}})
          .input({kInner, kColumns}, std::vector<int8_t>(size_t(kInner * kColumns), 1), {{1.0}, {0}})
          .output(DType::i8, {1, kColumns}, {{127.0 * kInner / 100}, {0}})
          .run_for<int8_t>();
  EXPECT_EQ(got, std::vector<int8_t>(size_t(kColumns), 100));
}

// A single row reads the raw weight; more rows read the packed one.
TEST(FullConnection, ReusesPackedWeightForAnyBatch) {
  test::GraphMaker maker;
  const TensorId x = maker.input({-1, 2});
  const TensorId weight = maker.floats({3, 2}, {1, 0, 0, 1, 1, 1});
  const TensorId bias = maker.floats({3}, {0, 0, 10});
  const auto axis = maker.parameter<int64_t>(31, DType::i64, {1});
  const GraphPtr graph = maker.finish({maker.op(Op::full_connection, {x, weight, bias}, {-1, 3}, {axis})});
  const auto device = make_device();
  const auto model = device->prepare(graph, {}).value();
  for (const int64_t rows : {7, 1, 5, 7}) {
    std::vector<float> in, want;
    for (int64_t r = 0; r < rows; ++r) {
      const float value = float(r + rows);
      in.insert(in.end(), {value, -2 * value});
      want.insert(want.end(), {value, -2 * value, 10 - value});
    }
    std::vector<OutputSlot> outputs{{test::empty_view(want.size() * sizeof(float))}};
    const Status status = model->run(std::vector{test::view_of<float>({rows, 2}, in)}, outputs, {});
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(test::values_of<float>(outputs[0].view), want) << rows << " rows";
  }
}

}  // namespace
}  // namespace nnrt::cpu
