#include "backends/vulkan/passes/dequantize_pass.h"

#include "core/base/text.h"
#include "core/passes/check_rewrite.h"
#include "core/schema/schema.h"
#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

using Strings = std::vector<std::string>;

constexpr int kAxis = 10;        // OH_NN_CONCAT_AXIS
constexpr int kActivation = 15;  // OH_NN_CONV2D_ACTIVATION_TYPE
constexpr int kPoolKernel = 36, kPoolStride = 37;
constexpr int kCastSource = 72, kCastTarget = 73;

const Quant kQuant{{0.5}, {3}}, kOther{{0.25}, {-7}};

DevicePlan software() {
  DevicePlan plan;
  plan.is_software = true;
  return plan;
}

class Maker : public test::GraphMaker {
 public:
  TensorId quantized(Shape shape, const Quant& quant = kQuant) {
    return quantized(input(std::move(shape), DType::i8, Format::nhwc), quant);
  }
  TensorId quantized(TensorId id, const Quant& quant) {
    EXPECT_TRUE(builder().set_quant(id, quant).ok());
    return id;
  }
  TensorId convolve(TensorId x, const Shape& in, int64_t channels, const Quant& quant = kQuant,
                    int8_t activation = 0) {
    const TensorId weight =
        quantized(constant({channels, 1, 1, in[3]}, DType::i8, std::vector<int8_t>(size_t(channels * in[3]))),
                  {{0.5}, {0}});
    const TensorId bias = ints(std::vector<int32_t>(size_t(channels)));
    const std::vector<TensorId> parameters{parameter<int8_t>(kActivation, DType::i8, {activation})};
    Shape out = in;
    out[3] = channels;
    return quantized(op(Op::conv2d, {x, weight, bias}, out, parameters, DType::i8, Format::nhwc), quant);
  }
  TensorId coded(Op type, const std::vector<TensorId>& inputs, Shape shape, const Quant& quant,
                 const std::vector<TensorId>& parameters = {}) {
    return quantized(op(type, inputs, std::move(shape), parameters, DType::i8, Format::nhwc), quant);
  }
};

// Each node as operator with post-ops, dtype of its first input, dtype of its output.
Strings nodes_of(const Graph& graph) {
  Strings lines;
  for (const Node& node : graph.nodes) {
    std::string line(schema(node.op).name);
    for (const PostOp& step : node.post_ops) line += cat("+", schema(step.op).name);
    lines.push_back(cat(line, " ", name(graph.tensors[node.inputs[0]].dtype), " ",
                        name(graph.tensors[node.outputs[0]].dtype)));
  }
  return lines;
}

Strings rewritten(Maker& maker, const std::vector<TensorId>& outputs) {
  const GraphPtr graph = maker.finish(outputs);
  const Graph dequantized = with_dequantized(*graph);
  const Status status = find_fault("with_dequantized", *graph, dequantized, {.dequantized = true});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return nodes_of(dequantized);
}

const Shape kImage{1, 4, 4, 8};

TEST(DequantizePassTest, KeepsRoundedValuesBetweenConvolutions) {
  Maker maker;
  const TensorId first = maker.convolve(maker.quantized(kImage), kImage, 8);
  const TensorId second = maker.convolve(first, kImage, 8, kOther);
  const TensorId third = maker.convolve(second, kImage, 8);
  const Graph graph = with_dequantized(*maker.finish({third}));
  EXPECT_EQ(nodes_of(graph), (Strings{"CONV2D+QUANT_DTYPE_CAST INT8 FLOAT32",
                                      "CONV2D+QUANT_DTYPE_CAST FLOAT32 FLOAT32", "CONV2D FLOAT32 INT8"}));
  EXPECT_EQ(graph.tensors[first].quant, kQuant);
  EXPECT_EQ(graph.tensors[second].quant, kOther);
}

TEST(DequantizePassTest, MovesAndChoosesAmongValuesWithoutRounding) {
  Maker maker;
  const TensorId x = maker.quantized(kImage);
  const TensorId a = maker.convolve(x, kImage, 8), b = maker.convolve(x, kImage, 8);
  const TensorId both = maker.coded(Op::concat, {a, b}, {1, 4, 4, 16}, kQuant,
                                    {maker.parameter<int64_t>(kAxis, DType::i64, {3})});
  const TensorId pooled = maker.coded(Op::max_pool, {both}, {1, 2, 2, 16}, kQuant,
                                      {maker.parameter<int64_t>(kPoolKernel, DType::i64, {2, 2}),
                                       maker.parameter<int64_t>(kPoolStride, DType::i64, {2, 2})});
  const Strings nodes = rewritten(maker, {maker.convolve(pooled, {1, 2, 2, 16}, 8)});
  EXPECT_EQ(nodes[2], "CONCAT FLOAT32 FLOAT32");
  EXPECT_EQ(nodes[3], "MAX_POOL FLOAT32 FLOAT32");
}

TEST(DequantizePassTest, RequantizesAtScaleChanges) {
  Maker maker;
  const TensorId a = maker.convolve(maker.quantized(kImage), kImage, 8, kOther);
  const TensorId both = maker.coded(Op::concat, {a, a}, {1, 4, 4, 16}, kQuant,
                                    {maker.parameter<int64_t>(kAxis, DType::i64, {3})});
  EXPECT_EQ(rewritten(maker, {maker.convolve(both, {1, 4, 4, 16}, 8)}),
            (Strings{"CONV2D+QUANT_DTYPE_CAST INT8 FLOAT32", "QUANT_DTYPE_CAST+QUANT_DTYPE_CAST FLOAT32 INT8",
                     "CONCAT INT8 INT8", "CONV2D INT8 INT8"}));
}

TEST(DequantizePassTest, AddsValuesInAFusion) {
  Maker maker;
  const TensorId x = maker.quantized(kImage);
  const TensorId a = maker.convolve(x, kImage, 8), b = maker.convolve(x, kImage, 8, kOther);
  const TensorId sum = maker.coded(Op::add, {a, b}, kImage, kQuant);
  const Strings nodes = rewritten(maker, {maker.convolve(sum, kImage, 8)});
  EXPECT_EQ(nodes[2], "ADD+QUANT_DTYPE_CAST FLOAT32 FLOAT32");
}

TEST(DequantizePassTest, QuantizesOnceForAllReaders) {
  Maker maker;
  const TensorId a = maker.convolve(maker.quantized(kImage), kImage, 8);
  const TensorId tables = maker.coded(Op::sigmoid, {a}, kImage, kOther);
  const TensorId others = maker.coded(Op::tanh, {a}, kImage, kOther);
  const GraphPtr original = maker.finish({tables, others, maker.convolve(a, kImage, 8)});
  const Graph graph = with_dequantized(*original);
  EXPECT_EQ(nodes_of(graph),
            (Strings{"CONV2D+QUANT_DTYPE_CAST INT8 FLOAT32", "QUANT_DTYPE_CAST+QUANT_DTYPE_CAST FLOAT32 INT8",
                     "SIGMOID INT8 INT8", "TANH INT8 INT8", "CONV2D FLOAT32 INT8"}));
  EXPECT_EQ(graph.nodes[2].inputs[0], original->tensors.size() + a);
}

// The check must distinguish the CAST that makes the quantized values from the one that reads them.
TEST(DequantizePassTest, MakesQuantizedValuesForCastsToAnyDtype) {
  Maker maker;
  const TensorId a = maker.convolve(maker.quantized(kImage), kImage, 8);
  const std::vector<TensorId> to_float{
      maker.parameter<int64_t>(kCastSource, DType::i64, {int64_t(DType::i8)}),
      maker.parameter<int64_t>(kCastTarget, DType::i64, {int64_t(DType::f32)})};
  const TensorId numbers = maker.op(Op::quant_dtype_cast, {a}, kImage, to_float, DType::f32, Format::nhwc);
  EXPECT_EQ(rewritten(maker, {numbers, maker.convolve(a, kImage, 8)}),
            (Strings{"CONV2D+QUANT_DTYPE_CAST INT8 FLOAT32", "QUANT_DTYPE_CAST+QUANT_DTYPE_CAST FLOAT32 INT8",
                     "QUANT_DTYPE_CAST INT8 FLOAT32", "CONV2D FLOAT32 INT8"}));
}

TEST(DequantizePassTest, KeepsInt8ForGraphOutputs) {
  Maker maker;
  const TensorId a = maker.convolve(maker.quantized(kImage), kImage, 8);
  const TensorId b = maker.convolve(a, kImage, 8);
  const TensorId table = maker.coded(Op::sigmoid, {b}, kImage, kOther);
  EXPECT_EQ(rewritten(maker, {a, table}),
            (Strings{"CONV2D INT8 INT8", "CONV2D INT8 INT8", "SIGMOID INT8 INT8"}));
}

TEST(DequantizePassTest, RunsOnSoftwareWithoutInt8Dots) {
  Maker maker;
  const TensorId a = maker.convolve(maker.quantized(kImage), kImage, 8);
  const GraphPtr graph = maker.finish({maker.convolve(a, kImage, 8)});
  DevicePlan int8_dot = software();
  int8_dot.int8_dot = true;
  EXPECT_FALSE(why_not_dequantized(*graph, software()));
  EXPECT_EQ(why_not_dequantized(*graph, DevicePlan{}).text(), "GPUs convert quantized values fast.");
  EXPECT_EQ(why_not_dequantized(*graph, int8_dot).text(), "The device has kernels for quantized products.");
  Maker plain;
  const GraphPtr floats = plain.finish({plain.op(Op::relu, {plain.input({4})}, {4})});
  EXPECT_EQ(why_not_dequantized(*floats, software()).text(), "It has no quantized tensors.");
}

}  // namespace
}  // namespace nnrt::vulkan
