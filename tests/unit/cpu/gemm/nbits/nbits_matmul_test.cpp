// MATMUL_NBITS: the input is quantized only where it may be.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/gemm/nbits/nbits_int8.h"
#include "backends/cpu/simd/simd.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

constexpr int64_t kInner = 96, kColumns = 75, kBlock = 32;

GraphPtr network(int64_t rows, bool approximate) {
  GraphMaker maker;
  constexpr int64_t kBlocks = kInner / kBlock;
  std::vector<uint8_t> weights, zeros;
  std::vector<float> scales;
  for (int64_t i = 0; i < kColumns * kInner / 2; ++i) weights.push_back(uint8_t(i * 167 + i / 13 * 31));
  for (int64_t i = 0; i < kColumns * kBlocks; ++i) {
    zeros.push_back(uint8_t(i % 3 + 7));
    scales.push_back(float(i % 29 + 1) * 0.0137f);
  }
  const TensorId x = maker.input({rows, kInner});
  const std::vector<TensorId> inputs{x, maker.constant({kColumns, kInner / 2}, DType::u8, weights),
                                     maker.floats({kColumns, kBlocks}, scales),
                                     maker.constant({kColumns, kBlocks}, DType::u8, zeros)};
  std::vector<TensorId> parameters{maker.parameter<int64_t>(1066, DType::i64, {kBlock})};
  if (approximate) parameters.push_back(maker.parameter<int8_t>(1069, DType::boolean, {1}));
  return maker.finish({maker.op(Op::matmul_nbits, inputs, {rows, kColumns}, parameters)});
}

std::vector<float> input(int64_t rows) {
  std::vector<float> values(static_cast<size_t>(rows * kInner));
  for (size_t i = 0; i < values.size(); ++i) values[i] = float(int(i * 37 % 101) - 50) / 13;
  return values;
}

std::vector<float> run(PreparedModel& model, int64_t rows, const std::vector<float>& x) {
  const TensorView inputs[] = {test::view_of<float>({rows, kInner}, x)};
  std::vector<OutputSlot> outputs{{{}, true}};
  const Status status = model.run(inputs, outputs, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return test::values_of<float>(outputs[0].view);
}

std::string kernel_of(const PreparedModel& model) {
  return model.kernels(nullptr).operations.at(0).kernels.at(0).name;
}

TEST(NbitsMatMul, QuantizesTheInputOnlyIfItMay) {
  const bool supported = nbits_int8_supported(vector_bytes(), 4);
  const auto device = make_device();
  for (const int64_t rows : {1, 3, 8, 21}) {
    const GraphPtr graph = network(rows, true);
    const auto exact = device->prepare(network(rows, false), {}).value(),
               approximate = device->prepare(graph, {}).value();
    EXPECT_NE(kernel_of(*exact), "nbits_int8");
    EXPECT_EQ(kernel_of(*approximate) == "nbits_int8", supported);
    const std::vector<float> want = run(*exact, rows, input(rows)),
                             got = run(*approximate, rows, input(rows));
    double error = 0, size = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      error += std::pow(double(got[i]) - double(want[i]), 2);
      size += std::pow(double(want[i]), 2);
    }
    EXPECT_LT(error, size * 1e-4) << rows << " rows";
    const Bytes cached = approximate->export_cache(graph).value();
    const auto restored = device->restore(graph, {}, std::make_shared<const Bytes>(cached)).value();
    EXPECT_EQ(run(*restored, rows, input(rows)), got);
  }
}

TEST(NbitsMatMul, PropagatesNonFiniteValues) {
  const auto model = make_device()->prepare(network(2, true), {}).value();
  for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    std::vector<float> x = input(2);
    x[40] = value;
    const std::vector<float> got = run(*model, 2, x);
    for (size_t column = 0; column < kColumns; ++column) {
      EXPECT_FALSE(std::isfinite(got[column])) << column;
      EXPECT_TRUE(std::isfinite(got[kColumns + column])) << column;
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
