// Elementwise operations on one 8-bit tensor, computed by a table.
#include "backends/cpu/engine/cpu_device.h"
#include "core/device/device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"
#include "tests/support/trace_file.h"

#include <cstdlib>
#include <map>

namespace nnrt {
namespace {

using test::GraphMaker;

const Shape kShape{16, 20};

class ByteFunctions : public testing::Test {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }

  TensorId input() { return quantized(make_.input(kShape, DType::i8), {{0.05}, {3}}); }
  TensorId quantized(TensorId id, Quant quant) {
    EXPECT_TRUE(make_.builder().set_quant(id, std::move(quant)).ok());
    return id;
  }
  TensorId op(Op op, const std::vector<TensorId>& inputs, Quant quant) {
    return quantized(make_.op(op, inputs, kShape, {}, DType::i8), std::move(quant));
  }

  struct Results {
    std::vector<std::vector<int8_t>> outputs;
    std::map<std::string, int> kernels;
    test::TracedWork work;
  };
  static Results run(const GraphPtr& graph) {
    std::vector<int8_t> codes;
    for (int i = 0; i < 320; ++i) codes.push_back(int8_t(i * 7));
    const std::vector<TensorView> inputs(graph->inputs.size(), test::view_of<int8_t>(kShape, codes));
    const auto model = cpu::make_device()->prepare(graph, {}).value();
    std::vector<OutputSlot> outputs(graph->outputs.size());
    for (OutputSlot& slot : outputs) slot = {test::empty_view(codes.size()), false};
    Results results;
    results.work = test::traced_work([&] { EXPECT_TRUE(model->run(inputs, outputs, {}).ok()); });
    for (const OutputSlot& slot : outputs) results.outputs.push_back(test::values_of<int8_t>(slot.view));
    const KernelReport report = model->kernels(graph);
    std::set<uint32_t> fused;
    for (const auto& operation : report.operations)
      fused.insert(operation.fused.begin(), operation.fused.end());
    for (const auto& operation : report.operations) {
      const bool is_folded = operation.kernels.empty();
      EXPECT_TRUE(!is_folded || fused.contains(operation.operation));
      ++results.kernels[is_folded ? "folded" : operation.kernels[0].name];
    }
    return results;
  }
  // Runs with and without tables, and returns how many nodes each kernel computes.
  static std::map<std::string, int> expect_same(const GraphPtr& graph) {
    Results with = run(graph);
    EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
    const Results without = run(graph);
    EXPECT_EQ(with.outputs, without.outputs);
    EXPECT_EQ(with.work, without.work);
    EXPECT_EQ(without.kernels.count("byte_table"), 0u);
    return with.kernels;
  }

  GraphMaker make_;
};

TEST_F(ByteFunctions, AGatedActivationIsOneTable) {
  const TensorId x = input();
  const TensorId gate = op(Op::sigmoid, {x}, {{1.0 / 256}, {-128}});
  const TensorId y = op(Op::mul, {x, gate}, {{0.03}, {-120}});
  const auto kernels = expect_same(make_.finish({y}));
  EXPECT_EQ(kernels.at("folded"), 1);
  EXPECT_EQ(kernels.at("byte_table"), 1);
}

TEST_F(ByteFunctions, StoreTensorsReadElsewhere) {
  const TensorId x = input();
  const TensorId gate = op(Op::sigmoid, {x}, {{1.0 / 256}, {-128}});
  const TensorId y = op(Op::mul, {gate, x}, {{0.03}, {-120}});
  const auto kernels = expect_same(make_.finish({y, gate}));
  EXPECT_EQ(kernels.at("byte_table"), 2);
}

TEST_F(ByteFunctions, SeveralMayHaveOneSource) {
  const TensorId x = input(), t = op(Op::tanh, {x}, {{0.008}, {0}});
  const TensorId sum = op(Op::add, {x, t}, {{0.06}, {1}});
  const TensorId product = op(Op::mul, {sum, t}, {{0.02}, {0}});
  const auto kernels = expect_same(make_.finish({sum, product}));
  EXPECT_EQ(kernels.at("folded"), 1);
  EXPECT_EQ(kernels.at("byte_table"), 2);
}

TEST_F(ByteFunctions, OfTwoTensorsIsNone) {
  const TensorId x = input(), gate = op(Op::sigmoid, {input()}, {{1.0 / 256}, {-128}});
  const auto kernels = expect_same(make_.finish({op(Op::mul, {x, gate}, {{0.03}, {-120}})}));
  EXPECT_EQ(kernels.at("direct"), 1);
  EXPECT_EQ(kernels.at("byte_table"), 1);
}

// The table reads x long after x's last direct reader; its memory must not be reused before.
TEST_F(ByteFunctions, TheSourceLivesUntilTheTableReadsIt) {
  const TensorId first = op(Op::relu, {input()}, {{0.04}, {-100}});
  const TensorId x = op(Op::add, {first, first}, {{0.1}, {0}});
  const TensorId a = op(Op::sigmoid, {x}, {{1.0 / 256}, {-128}});
  const TensorId b = op(Op::tanh, {a}, {{0.008}, {0}});
  const TensorId other = input();
  TensorId busy = op(Op::sub, {other, first}, {{0.1}, {0}});
  for (int i = 0; i < 3; ++i) busy = op(Op::mul, {busy, other}, {{0.1}, {i}});
  const TensorId y = op(Op::mul, {b, a}, {{0.005}, {0}});
  expect_same(make_.finish({y, busy}));
}

}  // namespace
}  // namespace nnrt
