#include "core/base/fp16.h"
#include "core/schema/infer.h"
#include "tests/support/graph_maker.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace nnrt {
namespace {

using test::floats_of;
using test::GraphMaker;
using test::text_of;

constexpr int kConvPad = 12, kConvPadMode = 14, kConvActivation = 15, kAddActivation = 1,
              kBatchNormEpsilon = 7, kClipMax = 103, kClipMin = 104, kPadValue = 43, kScaleAxis = 45,
              kNbitsBits = 1065, kNbitsBlock = 1066;

int64_t activation(const Node& node) { return node.attrs.integer(Attr::activation); }

// 1x1 convolution [1,2,2,3] -> [1,2,2,2].
struct Convolution {
  GraphMaker make;
  TensorId x = make.input({1, 2, 2, 3}, DType::f32, Format::nhwc);
  TensorId weight = make.floats({2, 1, 1, 3}, {1, 2, 3, 4, 5, 6});
  TensorId bias = make.floats({2}, {10, 20});

  TensorId conv(const std::vector<TensorId>& parameters = {}) {
    return make.op(Op::conv2d, {x, weight, bias}, {1, 2, 2, 2}, parameters, DType::f32, Format::nhwc);
  }
  TensorId post_ops(Op op, const std::vector<TensorId>& inputs,
                    const std::vector<TensorId>& parameters = {}) {
    return make.op(op, inputs, {1, 2, 2, 2}, parameters, DType::f32, Format::nhwc);
  }
  Graph simplified(TensorId y) { return simplify(*make.finish({y})); }
};

TEST(Simplify, MakesReluTheConvolutionsOwn) {
  Convolution c;
  const TensorId y = c.post_ops(Op::relu, {c.conv()});
  const Graph graph = c.simplified(y);
  ASSERT_EQ(text_of(graph), "CONV2D");
  EXPECT_EQ(activation(graph.nodes[0]), 1);
  EXPECT_EQ(graph.nodes[0].outputs, std::vector<TensorId>{y});
  EXPECT_EQ(graph.nodes[0].position, 0u);
}

TEST(Simplify, ClampsToTheNarrowerOfTwo) {
  Convolution c;
  const TensorId relu = c.make.parameter<int8_t>(kConvActivation, DType::i8, {1});
  const TensorId y = c.post_ops(Op::relu6, {c.conv({relu})});
  const Graph graph = c.simplified(c.post_ops(Op::relu, {y}));
  ASSERT_EQ(text_of(graph), "CONV2D");
  EXPECT_EQ(activation(graph.nodes[0]), 2);
}

TEST(Simplify, KnowsTheBoundsOfClip) {
  const auto clipped = [](float low, float high) {
    Convolution c;
    const TensorId min = c.make.parameter<float>(kClipMin, DType::f32, {low});
    const TensorId max = c.make.parameter<float>(kClipMax, DType::f32, {high});
    return c.simplified(c.post_ops(Op::clip, {c.conv()}, {min, max}));
  };
  EXPECT_EQ(activation(clipped(0, 6).nodes.at(0)), 2);
  EXPECT_EQ(activation(clipped(0, std::numeric_limits<float>::infinity()).nodes.at(0)), 1);
  EXPECT_EQ(text_of(clipped(0, 5)), "CONV2D CLIP");
  EXPECT_EQ(text_of(clipped(-1, 6)), "CONV2D CLIP");
}

TEST(Simplify, KeepsActivationOfSharedInput) {
  Convolution c;
  const TensorId y = c.conv();
  const Graph graph = simplify(*c.make.finish({y, c.post_ops(Op::relu, {y})}));
  EXPECT_EQ(text_of(graph), "CONV2D RELU");
  Convolution two;
  const TensorId z = two.conv();
  const Graph both = simplify(*two.make.finish({two.post_ops(Op::relu, {z}), two.post_ops(Op::abs, {z})}));
  EXPECT_EQ(text_of(both), "CONV2D RELU ABS");
}

TEST(Simplify, KeepsAnActivationOfAnOperatorWithoutOne) {
  GraphMaker make;
  const TensorId y = make.op(Op::relu, {make.op(Op::abs, {make.input({5})}, {5})}, {5});
  EXPECT_EQ(text_of(simplify(*make.finish({y}))), "ABS RELU");
}

TEST(Simplify, FoldsABatchNormIntoWeightAndBias) {
  Convolution c;
  const TensorId epsilon = c.make.parameter<float>(kBatchNormEpsilon, DType::f32, {0.0f});
  const std::vector<TensorId> inputs{c.conv(), c.make.floats({2}, {2, 3}), c.make.floats({2}, {100, 200}),
                                     c.make.floats({2}, {7, 8}), c.make.floats({2}, {4, 9})};
  const Graph graph = c.simplified(c.post_ops(Op::batch_norm, inputs, {epsilon}));
  ASSERT_EQ(text_of(graph), "CONV2D");
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{103, 212}));
}

TEST(Simplify, TurnsBatchNormWithActivationIntoScale) {
  const auto normed = [](bool is_read_twice) {
    GraphMaker make;
    const TensorId epsilon = make.parameter<float>(kBatchNormEpsilon, DType::f32, {0.0f});
    const TensorId y = make.op(Op::batch_norm,
                               {make.input({3, 2}), make.floats({2}, {2, 3}), make.floats({2}, {100, 200}),
                                make.floats({2}, {7, 8}), make.floats({2}, {4, 9})},
                               {3, 2}, {epsilon});
    std::vector<TensorId> outputs{make.op(Op::relu6, {y}, {3, 2})};
    if (is_read_twice) outputs.push_back(y);
    return simplify(*make.finish(outputs));
  };
  const Graph graph = normed(false);
  ASSERT_EQ(text_of(graph), "SCALE");
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{1, 1}));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{93, 192}));
  EXPECT_EQ(activation(graph.nodes[0]), 2);
  EXPECT_EQ(text_of(normed(true)), "BATCH_NORM RELU6");
}

TEST(Simplify, FoldsArithmeticWithConstants) {
  Convolution c;
  TensorId y = c.post_ops(Op::mul, {c.conv(), c.make.floats({2}, {2, 3})});
  y = c.post_ops(Op::sub, {y, c.make.floats({1, 1, 1, 2}, {1, 2})});
  y = c.post_ops(Op::div, {y, c.make.floats({1}, {2})});
  y = c.post_ops(Op::sub, {c.make.floats({1}, {1}), y});
  y = c.post_ops(Op::bias_add, {y, c.make.floats({2}, {10, 20})});
  const TensorId relu6 = c.make.parameter<int8_t>(kAddActivation, DType::i8, {2});
  const Graph graph = c.simplified(c.post_ops(Op::add, {c.make.floats({2}, {5, 6}), y}, {relu6}));
  ASSERT_EQ(text_of(graph), "CONV2D");
  EXPECT_EQ(graph.nodes[0].fused_positions, (std::vector<uint32_t>{1, 2, 3, 4, 5, 6}));
  // 1 - (2 y - 1) / 2 + 10 + 5 and 1 - (3 y - 2) / 2 + 20 + 6
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[1]), (std::vector<float>{-1, -2, -3, -6, -7.5, -9}));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{6.5, -2}));
  EXPECT_EQ(activation(graph.nodes[0]), 2);
}

TEST(Simplify, FoldsScale) {
  Convolution c;
  const TensorId axis = c.make.parameter<int64_t>(kScaleAxis, DType::i64, {-1});
  const std::vector<TensorId> inputs{c.conv(), c.make.floats({2}, {2, 3}), c.make.floats({2}, {4, 5})};
  const Graph graph = c.simplified(c.post_ops(Op::scale, inputs, {axis}));
  ASSERT_EQ(text_of(graph), "CONV2D");
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{24, 65}));
}

TEST(Simplify, FoldsChannelsIntoScalesOfFewBits) {
  GraphMaker make;
  const TensorId bits = make.parameter<int64_t>(kNbitsBits, DType::i64, {8});
  const TensorId block = make.parameter<int64_t>(kNbitsBlock, DType::i64, {2});
  const TensorId x = make.input({-1, 4}),
                 weight = make.constant<uint8_t>({2, 4}, DType::u8, {1, 2, 3, 4, 5, 6, 7, 8}),
                 scales = make.floats({2, 2}, {1, 2, 3, 4}),
                 zeros = make.constant<uint8_t>({2, 2}, DType::u8, {0, 0, 0, 0});
  TensorId y = make.op(Op::matmul_nbits, {x, weight, scales, zeros}, {-1, 2}, {bits, block});
  y = make.op(Op::mul, {y, make.floats({2}, {10, 100})}, {-1, 2});
  y = make.op(Op::relu, {make.op(Op::add, {y, make.floats({2}, {5, 6})}, {-1, 2})}, {-1, 2});
  const Graph graph = simplify(*make.finish({y}));
  ASSERT_EQ(text_of(graph), "MATMUL_NBITS");
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{10, 20, 300, 400}));
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[4]), (std::vector<float>{5, 6}));
  EXPECT_EQ(activation(graph.nodes[0]), 1);
}

TEST(Simplify, GivesAFullConnectionABias) {
  GraphMaker make;
  const TensorId x = make.input({-1, 2}), weight = make.floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const TensorId y = make.op(Op::full_connection, {x, weight}, {-1, 3});
  const Graph graph = simplify(*make.finish({make.op(Op::add, {y, make.floats({3}, {7, 8, 9})}, {-1, 3})}));
  ASSERT_EQ(text_of(graph), "FULL_CONNECTION");
  EXPECT_EQ(graph.nodes[0].inputs[1], weight);
  EXPECT_EQ(floats_of(graph, graph.nodes[0].inputs[2]), (std::vector<float>{7, 8, 9}));
}

TEST(Simplify, FoldsIntoHalves) {
  GraphMaker make;
  const auto fp16_values = [&](Shape shape, const std::vector<float>& values) {
    std::vector<Half> all;
    for (const float value : values) all.push_back(to_half(value));
    return make.constant(std::move(shape), DType::f16, all);
  };
  const TensorId x = make.input({1, 2}, DType::f16);
  const TensorId y = make.op(Op::full_connection, {x, fp16_values({1, 2}, {1, 3})}, {1, 1}, {}, DType::f16);
  const GraphPtr model =
      make.finish({make.op(Op::mul, {y, fp16_values({1}, {0.5})}, {1, 1}, {}, DType::f16)});
  const Graph graph = simplify(*model);
  ASSERT_EQ(text_of(graph), "FULL_CONNECTION");
  const ByteView bytes = *graph.tensors[graph.nodes[0].inputs[1]].data;
  Half last;
  std::memcpy(&last, bytes.data() + sizeof(Half), sizeof(Half));
  EXPECT_EQ(to_float(last), 1.5f);
}

TEST(Simplify, KeepsUnfoldableOperands) {
  {
    Convolution c;  // RELU between the convolution and the sum
    const TensorId relu = c.make.parameter<int8_t>(kConvActivation, DType::i8, {1});
    EXPECT_EQ(text_of(c.simplified(c.post_ops(Op::add, {c.conv({relu}), c.make.floats({1}, {1})}))),
              "CONV2D ADD");
  }
  {
    Convolution c;  // not one value per channel
    const TensorId all = c.make.floats({2, 2}, {1, 2, 3, 4});
    EXPECT_EQ(text_of(c.simplified(c.post_ops(Op::mul, {c.conv(), all}))), "CONV2D MUL");
  }
  {
    Convolution c;  // weight not finite
    EXPECT_EQ(text_of(c.simplified(c.post_ops(Op::div, {c.conv(), c.make.floats({1}, {0})}))), "CONV2D DIV");
  }
  {
    Convolution c;  // the convolution is the divisor
    EXPECT_EQ(text_of(c.simplified(c.post_ops(Op::div, {c.make.floats({1}, {2}), c.conv()}))), "CONV2D DIV");
  }
  {
    Convolution c;  // read twice
    const TensorId y = c.conv();
    EXPECT_EQ(text_of(simplify(*c.make.finish({c.post_ops(Op::add, {y, c.make.floats({1}, {1})}), y}))),
              "CONV2D ADD");
  }
  {
    Convolution c;  // a weight only known at run time
    c.weight = c.make.input({2, 1, 1, 3});
    EXPECT_EQ(text_of(c.simplified(c.post_ops(Op::add, {c.conv(), c.make.floats({1}, {1})}))), "CONV2D ADD");
  }
  {
    GraphMaker make;  // the sum is larger than the product
    const TensorId y =
        make.op(Op::full_connection, {make.input({1, 2}), make.floats({1, 2}, {1, 2})}, {1, 1});
    const TensorId z = make.op(Op::add, {y, make.floats({3}, {1, 2, 3})}, {1, 3});
    EXPECT_EQ(text_of(simplify(*make.finish({z}))), "FULL_CONNECTION ADD");
  }
}

// A 3x3 convolution after a PAD of [1,4,4,3].
Graph padded_convolution(const std::vector<int32_t>& amounts, Shape padded, Shape result, int pad_mode,
                         float value = 0) {
  GraphMaker make;
  const TensorId x = make.input({1, 4, 4, 3}, DType::f32, Format::nhwc);
  const TensorId paddings = make.constant({4, 2}, DType::i32, amounts);
  const TensorId fill = make.parameter<float>(kPadValue, DType::f32, {value});
  const TensorId y = make.op(Op::pad, {x, paddings}, std::move(padded), {fill}, DType::f32, Format::nhwc);
  const TensorId weight = make.floats({2, 3, 3, 3}, std::vector<float>(54, 1));
  const TensorId mode = pad_mode >= 0 ? make.parameter<int8_t>(kConvPadMode, DType::i8, {int8_t(pad_mode)})
                                      : make.parameter<int64_t>(kConvPad, DType::i64, {1, 0, 0, 2});
  const TensorId z = make.op(Op::conv2d, {y, weight, make.floats({2}, {0, 0})}, std::move(result), {mode},
                             DType::f32, Format::nhwc);
  return simplify(*make.finish({z}));
}

TEST(Simplify, MovesZerosIntoTheWindow) {
  const Graph valid = padded_convolution({0, 0, 1, 2, 3, 4, 0, 0}, {1, 7, 11, 3}, {1, 5, 9, 2}, 1);
  ASSERT_EQ(text_of(valid), "CONV2D");
  const auto pads = [](const Graph& graph) {
    const auto pad = graph.nodes[0].attrs.integers(Attr::pad);
    return std::vector<int64_t>(pad.begin(), pad.end());
  };
  EXPECT_EQ(pads(valid), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_FALSE(valid.nodes[0].attrs.has(Attr::pad_mode));
  Graph again = valid;
  infer(again);
  EXPECT_EQ(again.shapes, valid.shapes);
  const Graph list = padded_convolution({0, 0, 1, 2, 3, 4, 0, 0}, {1, 7, 11, 3}, {1, 6, 11, 2}, -1);
  ASSERT_EQ(text_of(list), "CONV2D");
  EXPECT_EQ(pads(list), (std::vector<int64_t>{2, 2, 3, 6}));
}

TEST(Simplify, KeepsOtherPaddings) {
  EXPECT_EQ(text_of(padded_convolution({0, 0, 1, 1, 1, 1, 0, 0}, {1, 6, 6, 3}, {1, 6, 6, 2}, 0)),
            "PAD CONV2D");
  EXPECT_EQ(text_of(padded_convolution({0, 0, 1, 1, 1, 1, 0, 0}, {1, 6, 6, 3}, {1, 4, 4, 2}, 1, 0.5f)),
            "PAD CONV2D");
  EXPECT_EQ(text_of(padded_convolution({1, 0, 1, 1, 1, 1, 0, 0}, {2, 6, 6, 3}, {2, 4, 4, 2}, 1)),
            "PAD CONV2D");
}

TEST(Simplify, DropsInverseTransposes) {
  GraphMaker make;
  const TensorId x = make.input({2, 3, 5});
  const TensorId a = make.op(Op::transpose, {x, make.ints({1, 2, 0})}, {3, 5, 2});
  const TensorId b = make.op(Op::transpose, {a, make.ints({2, 0, 1})}, {2, 3, 5});
  const Graph graph = simplify(*make.finish({make.op(Op::abs, {b}, {2, 3, 5})}));
  ASSERT_EQ(text_of(graph), "ABS");
  EXPECT_EQ(graph.nodes[0].inputs, std::vector<TensorId>{x});
}

TEST(Simplify, MakesOneOfTwoTransposes) {
  GraphMaker make;
  const TensorId a = make.op(Op::transpose, {make.input({2, 3, 5}), make.ints({1, 2, 0})}, {3, 5, 2});
  const TensorId b = make.op(Op::transpose, {a, make.ints({1, 2, 0})}, {5, 2, 3});
  Graph graph = simplify(*make.finish({b}));
  ASSERT_EQ(text_of(graph), "TRANSPOSE");
  infer(graph);
  EXPECT_FALSE(graph.nodes[0].diagnosis);
  EXPECT_EQ(graph.shapes[b], (Shape{5, 2, 3}));
}

TEST(Simplify, KeepsTransposeOfGraphOutput) {
  GraphMaker make;
  const TensorId a = make.op(Op::transpose, {make.input({2, 3}), make.ints({1, 0})}, {3, 2});
  const TensorId b = make.op(Op::transpose, {a, make.ints({1, 0})}, {2, 3});
  EXPECT_EQ(text_of(simplify(*make.finish({a, b}))), "TRANSPOSE TRANSPOSE");
}

TEST(Simplify, MakesOneOfTwoReshapes) {
  GraphMaker make;
  const TensorId a = make.op(Op::reshape, {make.input({2, 15}), make.ints({6, 5})}, {6, 5});
  const TensorId b = make.op(Op::reshape, {a, make.ints({-1, 3})}, {10, 3});
  Graph graph = simplify(*make.finish({b}));
  ASSERT_EQ(text_of(graph), "RESHAPE");
  infer(graph);
  EXPECT_EQ(graph.shapes[b], (Shape{10, 3}));
}

TEST(Simplify, DropsIdentities) {
  GraphMaker make;
  const TensorId x = make.input({5});
  const TensorId y =
      make.op(Op::div, {make.op(Op::mul, {x, make.floats({1}, {1})}, {5}), make.floats({1}, {1})}, {5});
  EXPECT_EQ(text_of(simplify(*make.finish({make.op(Op::abs, {y}, {5})}))), "ABS");
  GraphMaker zero;
  const TensorId sum = zero.op(Op::add, {zero.input({5}), zero.floats({1}, {0})}, {5});
  EXPECT_EQ(text_of(simplify(*zero.finish({zero.op(Op::abs, {sum}, {5})}))), "ADD ABS");
}

TEST(Simplify, KeepsTensorsAndTheirNumbers) {
  Convolution c;
  const TensorId y = c.post_ops(Op::mul, {c.conv(), c.make.floats({1}, {2})});
  const GraphPtr before = c.make.finish({y});
  const Graph after = simplify(*before);
  ASSERT_GT(after.tensors.size(), before->tensors.size());
  for (size_t id = 0; id < before->tensors.size(); ++id) {
    EXPECT_EQ(after.tensors[id].name, before->tensors[id].name);
    EXPECT_EQ(after.tensors[id].data == nullptr, before->tensors[id].data == nullptr);
  }
  EXPECT_EQ(after.inputs, before->inputs);
  EXPECT_EQ(after.outputs, before->outputs);
  EXPECT_EQ(after.shapes.size(), after.tensors.size());
}

TEST(Simplify, CanBeDisabled) {
  Convolution c;
  const TensorId y = c.post_ops(Op::relu, {c.conv()});
  const GraphPtr graph = c.make.finish({y});
  ASSERT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
  EXPECT_EQ(text_of(simplify(*graph)), "CONV2D RELU");
  ASSERT_EQ(unsetenv("NNRT_TEST_FUSE"), 0);
  EXPECT_EQ(text_of(simplify(*graph)), "CONV2D");
}

}  // namespace
}  // namespace nnrt
