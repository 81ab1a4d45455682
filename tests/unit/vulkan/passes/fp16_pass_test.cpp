#include "backends/vulkan/passes/fp16_pass.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/passes/check_rewrite.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"
#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

using test::GraphMaker;
using Strings = std::vector<std::string>;

constexpr int kPadConstant = 43;      // OH_NN_PAD_CONSTANT_VALUE
constexpr int kQuantCastSource = 72;  // OH_NN_QUANT_DTYPE_CAST_SRC_T
constexpr int kQuantCastTarget = 73;  // OH_NN_QUANT_DTYPE_CAST_DST_T

Graph rewritten(const GraphPtr& graph) {
  Graph fp16 = with_fp16(*graph, DevicePlan{});
  const Status status = find_fault("with_fp16", *graph, fp16, {.fp16 = true});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return fp16;
}

// Each node as operator, dtype of its first input, dtype of its output.
Strings nodes_of(const Graph& graph) {
  Strings lines;
  for (const Node& node : graph.nodes) {
    lines.push_back(cat(schema(node.op).name, " ", name(graph.tensors[node.inputs[0]].dtype), " ",
                        name(graph.tensors[node.outputs[0]].dtype)));
  }
  return lines;
}

const Tensor& input_of(const Graph& graph, Op op, size_t i) {
  const auto node = std::ranges::find(graph.nodes, op, &Node::op);
  EXPECT_NE(node, graph.nodes.end());
  return graph.tensors[node->inputs[i]];
}

TEST(Fp16PassTest, IsNotConfusedByNamesOfTheClient) {
  GraphMaker maker;
  const TensorId input = maker.input({5}, DType::f16);
  Graph graph = *maker.finish({maker.op(Op::relu, {input}, {5}, {}, DType::f16)});
  graph.tensors[input].name = "x as fp16";
  ASSERT_TRUE(is_fp16_form(graph.tensors[input]));
  const auto given = std::make_shared<const Graph>(graph);
  const GraphPtr renamed = with_distinct_names(given);
  EXPECT_FALSE(is_fp16_form(renamed->tensors[input]));
  EXPECT_EQ(with_distinct_names(renamed), renamed);
}

TEST(Fp16PassTest, StoresIntermediatesAsFp16) {
  GraphMaker maker;
  const TensorId relu = maker.op(Op::relu, {maker.input({5})}, {5});
  const Graph graph = rewritten(maker.finish({maker.op(Op::sigmoid, {relu}, {5})}));
  EXPECT_EQ(nodes_of(graph), (Strings{"CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16",
                                      "SIGMOID FLOAT16 FLOAT16", "CAST FLOAT16 FLOAT32"}));
}

TEST(Fp16PassTest, KeepsTensorIdsAndDtypesOfEdges) {
  GraphMaker maker;
  const TensorId x = maker.input({5});
  const TensorId y = maker.op(Op::sigmoid, {maker.op(Op::relu, {x}, {5})}, {5});
  const GraphPtr original = maker.finish({y});
  const Graph graph = rewritten(original);
  EXPECT_EQ(graph.inputs, std::vector{x});
  EXPECT_EQ(graph.outputs, std::vector{y});
  for (TensorId id = 0; id < original->tensors.size(); ++id) {
    EXPECT_EQ(graph.tensors[id].dtype, DType::f32);
    EXPECT_EQ(graph.tensors[id].name, original->tensors[id].name);
  }
}

TEST(Fp16PassTest, CastsInputsOnce) {
  GraphMaker maker;
  const TensorId x = maker.input({5});
  const TensorId y = maker.op(Op::add, {maker.op(Op::relu, {x}, {5}), maker.op(Op::abs, {x}, {5})}, {5});
  const Graph graph = rewritten(maker.finish({y}));
  EXPECT_EQ(nodes_of(graph), (Strings{"CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16", "ABS FLOAT16 FLOAT16",
                                      "ADD FLOAT16 FLOAT16", "CAST FLOAT16 FLOAT32"}));
}

TEST(Fp16PassTest, CastsOutputsOnce) {
  GraphMaker maker;
  const TensorId relu = maker.op(Op::relu, {maker.input({5})}, {5});
  const TensorId abs = maker.op(Op::abs, {relu}, {5});
  const Graph graph = rewritten(maker.finish({relu, abs, relu}));
  EXPECT_EQ(nodes_of(graph), (Strings{"CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16", "CAST FLOAT16 FLOAT32",
                                      "ABS FLOAT16 FLOAT16", "CAST FLOAT16 FLOAT32"}));
}

TEST(Fp16PassTest, StoresConstantsAsFp16) {
  GraphMaker maker;
  const TensorId bias = maker.floats({3}, {1, -0.5f, 65504});
  const Graph graph = rewritten(maker.finish({maker.op(Op::add, {maker.input({3}), bias}, {3})}));
  const Tensor& half = input_of(graph, Op::add, 1);
  ASSERT_EQ(half.dtype, DType::f16);
  ASSERT_EQ(half.data->size(), 3 * sizeof(Half));
  Half elements[3];
  std::memcpy(elements, half.data->data(), sizeof elements);
  EXPECT_EQ(to_float(elements[0]), 1);
  EXPECT_EQ(to_float(elements[1]), -0.5f);
  EXPECT_EQ(to_float(elements[2]), 65504);
}

TEST(Fp16PassTest, StoresConstantsOnce) {
  GraphMaker maker;
  const TensorId term = maker.floats({3}, {1, 2, 3});
  const TensorId sum = maker.op(Op::add, {maker.input({3}), term}, {3});
  const Graph graph = rewritten(maker.finish({maker.op(Op::mul, {sum, term}, {3})}));
  EXPECT_EQ(&input_of(graph, Op::add, 1), &input_of(graph, Op::mul, 1));
}

TEST(Fp16PassTest, KeepsValuesBeyondFp16) {
  const float infinity = std::numeric_limits<float>::infinity();
  struct Row {
    Op op;
    std::vector<float> constant;
    DType dtype;
  };
  const Row rows[] = {
      {Op::mul, {3, 65505}, DType::f32},      // too large
      {Op::mul, {3, -1e9f}, DType::f32},      //
      {Op::mul, {3, -infinity}, DType::f16},  // also infinity in fp16
      {Op::mul, {0, 0}, DType::f16},          //
      {Op::mul, {1e-6f, 1e-5f}, DType::f32},  // all so small that precision is lost
      {Op::mul, {3, 1e-6f}, DType::f16},      // negligible beside 3,
      {Op::div, {3, 1e-6f}, DType::f32},      // except as a divisor
      {Op::div, {3, 0}, DType::f16},          //
      {Op::div, {3, 0.0001f}, DType::f16},
  };
  for (const Row& row : rows) {
    GraphMaker maker;
    const TensorId constant = maker.floats({2}, row.constant);
    const Graph graph = rewritten(maker.finish({maker.op(row.op, {maker.input({2}), constant}, {2})}));
    EXPECT_EQ(input_of(graph, row.op, 1).dtype, row.dtype) << row.constant[1];
  }
}

TEST(Fp16PassTest, KeepsAVarianceTooSmallForFp16) {
  GraphMaker maker;
  const TensorId ones = maker.floats({2}, {1, 1});
  const TensorId variance = maker.floats({2}, {1, 1e-7f});
  const TensorId y = maker.op(Op::batch_norm, {maker.input({5, 2}), ones, ones, ones, variance}, {5, 2});
  EXPECT_EQ(nodes_of(rewritten(maker.finish({y}))), Strings{"BATCH_NORM FLOAT32 FLOAT32"});
}

TEST(Fp16PassTest, KeepsPadBeyondFp16) {
  for (const float value : {-7.0f, -1e9f}) {
    GraphMaker maker;
    const TensorId parameter = maker.parameter<float>(kPadConstant, DType::f32, {value});
    const TensorId amounts = maker.constant<int32_t>({1, 2}, DType::i32, {2, 3});
    const TensorId y = maker.op(Op::pad, {maker.input({5}), amounts}, {10}, {parameter});
    const Graph graph = rewritten(maker.finish({y}));
    EXPECT_EQ(input_of(graph, Op::pad, 0).dtype, value == -7 ? DType::f16 : DType::f32);
    EXPECT_EQ(input_of(graph, Op::pad, 1).dtype, DType::i32);
  }
}

TEST(Fp16PassTest, CastsAroundFloatNodes) {
  GraphMaker maker;
  const TensorId relu = maker.op(Op::relu, {maker.input({2})}, {2});
  const TensorId sum = maker.op(Op::add, {relu, maker.floats({2}, {1, 1e9f})}, {2});
  const Graph graph = rewritten(maker.finish({maker.op(Op::abs, {sum}, {2})}));
  EXPECT_EQ(nodes_of(graph), (Strings{"CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16", "CAST FLOAT16 FLOAT32",
                                      "ADD FLOAT32 FLOAT32", "CAST FLOAT32 FLOAT16", "ABS FLOAT16 FLOAT16",
                                      "CAST FLOAT16 FLOAT32"}));
}

TEST(Fp16PassTest, KeepsUnsupportedNodesFloat) {
  GraphMaker maker;
  const TensorId condition = maker.input({1}, DType::boolean);
  const TensorId y = maker.op(Op::assert_, {condition, maker.input({5})}, {5});
  EXPECT_EQ(nodes_of(rewritten(maker.finish({y}))), Strings{"ASSERT BOOL FLOAT32"});
}

TEST(Fp16PassTest, KeepsDtypeOfCast) {
  GraphMaker maker;
  const TensorId x = maker.input({5}, DType::i32);
  const TensorId floats = maker.op(Op::cast, {x, maker.ints({int(DType::f32)})}, {5});
  const Graph graph = rewritten(maker.finish({maker.op(Op::relu, {floats}, {5})}));
  EXPECT_EQ(nodes_of(graph), (Strings{"CAST INT32 FLOAT32", "CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16",
                                      "CAST FLOAT16 FLOAT32"}));
}

TEST(Fp16PassTest, ComparesInputsUnrounded) {
  GraphMaker maker;
  const TensorId y = maker.op(Op::less, {maker.input({5}), maker.input({5})}, {5}, {}, DType::boolean);
  EXPECT_EQ(nodes_of(rewritten(maker.finish({y}))), Strings{"LESS FLOAT32 BOOL"});
}

TEST(Fp16PassTest, ComparesFp16AsFp16) {
  GraphMaker maker;
  const TensorId relu = maker.op(Op::relu, {maker.input({5})}, {5});
  const TensorId y = maker.op(Op::less, {relu, maker.floats({1}, {0.1f})}, {5}, {}, DType::boolean);
  EXPECT_EQ(nodes_of(rewritten(maker.finish({y}))),
            (Strings{"CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16", "LESS FLOAT16 BOOL"}));
}

TEST(Fp16PassTest, ComparesAHalfWithAnInputAsFloats) {
  GraphMaker maker;
  const TensorId x = maker.input({5});
  const TensorId relu = maker.op(Op::relu, {x}, {5});
  const TensorId y = maker.op(Op::less, {relu, x}, {5}, {}, DType::boolean);
  EXPECT_EQ(nodes_of(rewritten(maker.finish({y}))), (Strings{"CAST FLOAT32 FLOAT16", "RELU FLOAT16 FLOAT16",
                                                             "CAST FLOAT16 FLOAT32", "LESS FLOAT32 BOOL"}));
}

TEST(Fp16PassTest, LeavesIntegersAlone) {
  GraphMaker maker;
  const TensorId x = maker.input({5}, DType::i32);
  const TensorId sum = maker.op(Op::add, {x, maker.ints({7})}, {5}, {}, DType::i32);
  const GraphPtr original = maker.finish({maker.op(Op::neg, {sum}, {5}, {}, DType::i32)});
  const Graph graph = rewritten(original);
  EXPECT_EQ(nodes_of(graph), (Strings{"ADD INT32 INT32", "NEG INT32 INT32"}));
  EXPECT_EQ(graph.tensors.size(), original->tensors.size());
}

TEST(Fp16PassTest, LeavesAQuantizedModelAlone) {
  GraphMaker maker;
  const auto quantized = [&](TensorId id) {
    EXPECT_TRUE(maker.builder().set_quant(id, {{0.5}, {0}}).ok());
    return id;
  };
  const auto type = [&](int role, int64_t code) {
    return maker.parameter<int64_t>(role, DType::i64, {code});
  };
  const int64_t floats = int64_t(DType::f32);
  const int64_t int8 = int64_t(DType::i8);
  const TensorId x = maker.input({5});
  const TensorId coded = maker.tensor({5}, DType::i8);
  const TensorId relu = maker.tensor({5}, DType::i8);
  const TensorId y = maker.tensor({5});
  for (const TensorId id : {coded, relu}) quantized(id);
  const auto add = [&](Op op, std::vector<TensorId> parameters, TensorId from, TensorId to) {
    EXPECT_TRUE(maker.builder().add_operation(int(op), parameters, std::vector{from}, std::vector{to}).ok());
  };
  add(Op::quant_dtype_cast, {type(kQuantCastSource, floats), type(kQuantCastTarget, int8)}, x, coded);
  add(Op::relu, {}, coded, relu);
  add(Op::quant_dtype_cast, {type(kQuantCastSource, int8), type(kQuantCastTarget, floats)}, relu, y);
  EXPECT_EQ(nodes_of(rewritten(maker.finish({y}))),
            (Strings{"QUANT_DTYPE_CAST FLOAT32 INT8", "RELU INT8 INT8", "QUANT_DTYPE_CAST INT8 FLOAT32"}));
}

TEST(Fp16PassTest, SupportsDynamicShapes) {
  GraphMaker maker;
  const TensorId x = maker.input({-1, 3});
  const TensorId relu = maker.op(Op::relu, {x}, {-1, 3});
  const TensorId y = maker.op(Op::add, {relu, maker.floats({3}, {1, 2, 3})}, {-1, 3});
  const Graph graph = rewritten(maker.finish({y}));
  const auto shapes = infer_run(graph, std::vector<Shape>{{7, 3}}).value();
  for (const Node& node : graph.nodes) EXPECT_EQ(shapes[node.outputs[0]], (Shape{7, 3}));
}

}  // namespace
}  // namespace nnrt::vulkan
