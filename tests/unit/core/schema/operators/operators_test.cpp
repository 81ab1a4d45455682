// Shapes and errors of the families gemm_conv, pooling, index and special.
#include "tests/unit/core/graph/node_tables.h"

namespace nnrt {
namespace {

using namespace testing_support;

const Tensor kOut = floats({});

OneNode conv(Op op, Tensor input, Shape weight, Shape bias, std::vector<Tensor> params = {}) {
  Tensor output = floats({-1, -1, -1, -1});
  output.format = input.format;
  return {op,
          {std::move(input), floats(std::move(weight)), floats(std::move(bias))},
          std::move(params),
          {std::move(output)}};
}
OneNode conv2d(Shape input, Shape weight, Shape bias, std::vector<Tensor> params = {}) {
  return conv(Op::conv2d, floats(std::move(input)), std::move(weight), std::move(bias), std::move(params));
}

OneNode full(std::vector<Tensor> inputs, std::vector<Tensor> params = {}) {
  return {Op::full_connection, std::move(inputs), std::move(params), {floats({-1, -1})}};
}

const ShapeCase kLinear[] = {
    {"ConvOfUnknown", conv2d({-1, -1, 7, -1}, {-1, 3, 2, 6}, {10}), {{-1, -1, 6, -1}}},
    {"FullOfUnknown", full({floats({-1, 5}), floats({7, 5})}), {{-1, 7}}},
};
INSTANTIATE_TEST_SUITE_P(Linear, NodeShapes, testing::ValuesIn(kLinear), kCaseName);

const Complaint kLinearComplaints[] = {
    {"ConvGroupZero", conv2d({2, 5, 7, 6}, {10, 3, 2, 6}, {10}, {as_param(16, i64s({0}))}),
     "The group (0) is outside [1, 2147483647]."},
    {"FullWeightRank", full({floats({4, 5}), floats({7})}), "The rank of the weight (1) is not 2."},
};
INSTANTIATE_TEST_SUITE_P(Linear, NodeComplaints, testing::ValuesIn(kLinearComplaints), kCaseName);

OneNode nbits(Shape input, Shape weight, Shape scales, std::vector<Tensor> params = {}) {
  return {Op::matmul_nbits,
          {floats(std::move(input)), tensor(DType::u8, std::move(weight)), floats(scales),
           tensor(DType::u8, scales)},
          std::move(params),
          {floats({-1, -1, -1})}};
}
const Tensor kEightBits = as_param(1065, i64s({8})), kBlocksOf16 = as_param(1066, i64s({16}));

const ShapeCase kNbits[] = {
    {"NbitsBlocks", nbits({-1, 3, 33}, {7, 33}, {7, 3}, {kEightBits, kBlocksOf16}), {{-1, 3, 7}}},
};
INSTANTIATE_TEST_SUITE_P(Nbits, NodeShapes, testing::ValuesIn(kNbits), kCaseName);

OneNode lstm(Shape input, Shape w_ih, Shape w_hh, std::vector<Tensor> params = {}) {
  return {Op::lstm,
          {floats(std::move(input)), floats(std::move(w_ih)), floats(std::move(w_hh)), floats({-1, 24}),
           floats({-1, 2, 3}), floats({-1, 2, 3})},
          std::move(params),
          {floats({-1, -1, -1}), floats({-1, -1, -1}), floats({-1, -1, -1})}};
}
const Tensor kBidirectional = as_param(93, boolean(true));
const Tensor kTwoLayers = as_param(97, i64s({2}));

const ShapeCase kLstm[] = {
    {"LstmOfLayers",
     lstm({-1, 2, 6}, {4, 12, 6}, {4, 12, 3}, {kBidirectional, kTwoLayers}),
     {{-1, 2, 6}, {4, 2, 3}, {4, 2, 3}}},
};
INSTANTIATE_TEST_SUITE_P(Lstm, NodeShapes, testing::ValuesIn(kLstm), kCaseName);

const Complaint kLstmComplaints[] = {
    {"LstmNegativeSize", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(95, i64s({-1}))}),
     "The input size (-1) is below 0."},
    {"LstmStates", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {kBidirectional}),
     "The weights are for 1 layers times directions, not for 1 times 2."},
    {"LstmLayerWidth", lstm({7, 2, 5}, {2, 12, 5}, {2, 12, 3}, {kTwoLayers}),
     "The input size (5) of several layers is not the output's width (3)."},
    {"LstmZoneout", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(100, f32(1.5f))}),
     "Dropout or zoneout (1.5) is outside [0, 1]."},
};
INSTANTIATE_TEST_SUITE_P(Lstm, NodeComplaints, testing::ValuesIn(kLstmComplaints), kCaseName);

OneNode recurrent(Op op, Shape input, Shape w_ih, Shape w_hh, Shape bias, Shape hx,
                  std::vector<Tensor> params = {}) {
  return {op,
          {floats(std::move(input)), floats(std::move(w_ih)), floats(std::move(w_hh)),
           floats(std::move(bias)), floats(std::move(hx))},
          std::move(params),
          {floats({-1, -1, -1}), floats({-1, -1, -1})}};
}
const Tensor kGruBothWays = as_param(1070, i8(2));

const ShapeCase kRecurrent[] = {
    {"GruBothWays",
     recurrent(Op::gru, {-1, -1, 5}, {2, 9, 5}, {2, 9, 3}, {2, 18}, {2, -1, 3}, {kGruBothWays}),
     {{-1, -1, 6}, {2, -1, 3}}},
    {"RnnOfAnOpenState",
     recurrent(Op::rnn, {7, 2, 5}, {1, 3, 5}, {1, 3, 3}, {1, 6}, {-1, -1, -1}),
     {{7, 2, 3}, {1, 2, 3}}},
};
INSTANTIATE_TEST_SUITE_P(Recurrent, NodeShapes, testing::ValuesIn(kRecurrent), kCaseName);

const Complaint kRecurrentComplaints[] = {
    {"RnnState", recurrent(Op::rnn, {7, 2, 5}, {1, 3, 5}, {1, 3, 3}, {1, 6}, {1, 3, 3}),
     "Dimension 1 of the hx (3) is not the batch (2)."},
};
INSTANTIATE_TEST_SUITE_P(Recurrent, NodeComplaints, testing::ValuesIn(kRecurrentComplaints), kCaseName);

OneNode resize(Shape input, int64_t height, int64_t width, std::vector<Tensor> params = {}) {
  params.push_back(as_param(61, i64s({height})));
  params.push_back(as_param(62, i64s({width})));
  return {Op::resize_bilinear, {floats(std::move(input))}, std::move(params), {floats({-1, -1, -1, -1})}};
}
const Tensor kKeepAspect = as_param(63, boolean(true));

const ShapeCase kSpatial[] = {
    {"ResizeOfUnknown", resize({-1, -1, 7, 3}, 10, 11, {kKeepAspect}), {{-1, 10, 11, 3}}},
};
INSTANTIATE_TEST_SUITE_P(SpatialParams, NodeShapes, testing::ValuesIn(kSpatial), kCaseName);

const Complaint kSpatialComplaints[] = {
    {"ResizeOutside", resize({2, 5, 7, 3}, 10, 11, {as_param(65, i64s({2}))}),
     "Exclude outside (2) is neither 0 nor 1."},
};
INSTANTIATE_TEST_SUITE_P(SpatialParams, NodeComplaints, testing::ValuesIn(kSpatialComplaints), kCaseName);

TEST(ResizeBilinear, OfAnotherAspectIsUnsupported) {
  EXPECT_EQ(resize({2, 5, 7, 3}, 10, 11, {kKeepAspect}).infer().error().code, Code::unsupported);
}

const Tensor kFedIndices = tensor(DType::i32, {2, -1});

OneNode gather(Shape input, Tensor indices, Tensor axis) {
  return {Op::gather, {floats(std::move(input)), std::move(indices), std::move(axis)}, {}, {floats({-1})}};
}
OneNode gather_nd(Shape input, Tensor indices) {
  return {Op::gather_nd, {floats(std::move(input)), std::move(indices)}, {}, {floats({-1})}};
}
OneNode scatter(Op op, Tensor indices, Shape updates, Tensor shape) {
  return {op, {std::move(indices), floats(std::move(updates)), std::move(shape)}, {}, {floats({-1, -1})}};
}
Tensor rows(const std::vector<int32_t>& values, int64_t width) {
  return constant<int32_t>(DType::i32, {int64_t(values.size()) / width, width}, values);
}
OneNode one_hot(Shape indices, Tensor depth, int64_t axis) {
  return {Op::one_hot,
          {tensor(DType::i32, std::move(indices)), std::move(depth), floats({1}), floats({})},
          {as_param(42, i64s({axis}))},
          {floats({-1, -1})}};
}
OneNode top_k(Shape input, Tensor k, int64_t axis = -1) {
  return {Op::top_k,
          {floats(std::move(input)), std::move(k)},
          {as_param(123, i64s({axis}))},
          {floats({-1, -1}), tensor(DType::i64, {-1, -1})}};
}

const ShapeCase kIndexShapes[] = {
    {"Gather", gather({3, 5, 7}, kFedIndices, i32s({-2})), {{3, 2, -1, 7}}},
    {"GatherOfOneIndex", gather({3}, tensor(DType::i32, {}), i32s({0})), {{}}},
    {"GatherAtAnUnknownAxis", gather({3, 5}, kFedIndices, tensor(DType::i32, {1})), {{-1, -1, -1}}},
    {"GatherRows", gather_nd({3, 5, 7}, tensor(DType::i32, {11, 13, 2})), {{11, 13, 7}}},
    {"GatherRowsOfUnknownWidth", gather_nd({3, 5, 7}, kFedIndices), {{-1, -1}}},
    {"ScatterToAnUnknownShape",
     scatter(Op::scatter_nd, rows({1, 2}, 1), {2, 5}, tensor(DType::i64, {2})),
     {{-1, -1}}},
    {"OneHotLast", one_hot({3, -1}, i32s({5}), -1), {{3, -1, 5}}},
    {"OneHotFirst", one_hot({3}, tensor(DType::i32, {1}), 0), {{-1, 3}}},
    {"TopKOfUnknown", top_k({-1, 5}, tensor(DType::i32, {}), 0), {{-1, 5}, {-1, 5}}},
};
INSTANTIATE_TEST_SUITE_P(Index, NodeShapes, testing::ValuesIn(kIndexShapes), kCaseName);

const Complaint kIndexComplaints[] = {
    {"ScatterToAnAbsurdRank",
     scatter(Op::scatter_nd, rows({1, 2}, 1), {2, 5}, tensor(DType::i32, {INT32_MAX})),
     "Length of the shape (2147483647) is above 8."},
};
INSTANTIATE_TEST_SUITE_P(Index, NodeComplaints, testing::ValuesIn(kIndexComplaints), kCaseName);

OneNode detection(Shape boxes, Shape scores, Shape anchors, int64_t max) {
  const Tensor scale = constant<float>(DType::f32, {4}, {5, 5, 10, 10});
  return {
      Op::detection_post_process,
      {floats(std::move(boxes)), floats(std::move(scores)), floats(std::move(anchors))},
      {as_param(132, scale), as_param(135, i64s({max})), as_param(137, i64s({2})), as_param(138, i64s({3}))},
      {floats({-1, -1, -1}), floats({-1, -1}), floats({-1, -1}), floats({-1})}};
}

const ShapeCase kSpecial[] = {
    {"Assert", {Op::assert_, {tensor(DType::boolean, {1}), floats({3, -1})}, {}, {kOut}}, {{3, -1}}},
    {"Detection", detection({1, -1, 4}, {1, 7, 4}, {7, 4}, 5), {{1, 10, 4}, {1, 10}, {1, 10}, {1}}},
};
INSTANTIATE_TEST_SUITE_P(Special, NodeShapes, testing::ValuesIn(kSpecial), kCaseName);

const Complaint kSpecialComplaints[] = {
    {"DetectionAnchors", detection({1, 7, 4}, {1, 7, 4}, {6, 4}, 5),
     "Dimension 0 of the anchors (6) is not the number of boxes (7)."},
    {"DetectionNone", detection({1, 7, 4}, {1, 7, 4}, {7, 4}, 0),
     "The maximum number of detections (0) is outside [1, 2147483647]."},
};
INSTANTIATE_TEST_SUITE_P(Special, NodeComplaints, testing::ValuesIn(kSpecialComplaints), kCaseName);

}  // namespace
}  // namespace nnrt
