// Shapes and errors of the families gemm_conv, pooling, index and special.
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using namespace testing_support;

constexpr auto kCaseName = [](const auto& row) { return row.param.name; };

struct ShapeCase {
  const char* name;
  OneNode node;
  std::vector<Shape> inferred;
};

class RowShape : public testing::TestWithParam<ShapeCase> {};

TEST_P(RowShape, IsInferred) {
  OneNode node = GetParam().node;
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    node.outputs[k].shape = Shape(GetParam().inferred[k].size(), kUnknown);
  }
  const auto shapes = node.infer();
  ASSERT_TRUE(shapes.ok()) << shapes.error().message;
  EXPECT_EQ(shapes.value(), GetParam().inferred);
}

struct Complaint {
  const char* name;
  OneNode node;
  const char* text;
};

class RowComplaint : public testing::TestWithParam<Complaint> {};

TEST_P(RowComplaint, NamesTheNumbers) { EXPECT_EQ(GetParam().node.complaint(), GetParam().text); }

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
const Tensor kNchw = in_format(Format::nchw, floats({2, 6, 5, 7}));

OneNode full(std::vector<Tensor> inputs, std::vector<Tensor> params = {}) {
  return {Op::full_connection, std::move(inputs), std::move(params), {floats({-1, -1})}};
}
OneNode matmul(Shape a, Shape b) {
  return {Op::matmul, {floats(std::move(a)), floats(std::move(b))}, {}, {kOut}};
}

const ShapeCase kLinear[] = {
    {"Conv", conv2d({2, 5, 7, 6}, {10, 3, 2, 6}, {10}), {{2, 3, 6, 10}}},
    {"ConvInGroups", conv2d({2, 5, 7, 6}, {10, 3, 2, 3}, {10}, {as_param(16, i64s({2}))}), {{2, 3, 6, 10}}},
    {"ConvOfUnknown", conv2d({-1, -1, 7, -1}, {-1, 3, 2, 6}, {10}), {{-1, -1, 6, -1}}},
    {"ConvNchw", conv(Op::conv2d, kNchw, {10, 3, 2, 6}, {10}), {{2, 10, 3, 6}}},
    {"Transposed", conv(Op::conv2d_transpose, floats({2, 5, 7, 6}), {10, 3, 2, 6}, {10}), {{2, 7, 8, 10}}},
    {"Depthwise", conv(Op::depthwise_conv2d_native, kNchw, {12, 3, 2, 1}, {12}), {{2, 12, 3, 6}}},
    {"FullOfRows", full({floats({4, 15}), floats({7, 5})}), {{12, 7}}},
    {"FullFromAnAxis",
     full({floats({4, 3, 5}), floats({7, 15}), floats({7})}, {as_param(31, i64s({1}))}),
     {{4, 7}}},
    {"FullFromAxisZero", full({floats({5}), floats({7, 5})}, {as_param(31, i64s({0}))}), {{7}}},
    {"FullOfUnknown", full({floats({-1, 5}), floats({7, 5})}), {{-1, 7}}},
    {"Product", matmul({2, 1, 3, 5}, {11, 5, 7}), {{2, 11, 3, 7}}},
    {"ProductOfVectors", matmul({5}, {5}), {{}}},
    {"ProductWithAVector", matmul({2, 3, 5}, {5}), {{2, 3}}},
};
INSTANTIATE_TEST_SUITE_P(Linear, RowShape, testing::ValuesIn(kLinear), kCaseName);

const Complaint kLinearComplaints[] = {
    {"ConvWeightChannels", conv2d({2, 5, 7, 6}, {10, 3, 2, 5}, {10}),
     "Dimension 3 of the weight (5) is not the input's channels in a group (6)."},
    {"ConvGroupZero", conv2d({2, 5, 7, 6}, {10, 3, 2, 6}, {10}, {as_param(16, i64s({0}))}),
     "The group (0) is outside [1, 2147483647]."},
    {"ConvGroupOfInput", conv2d({2, 5, 7, 6}, {8, 3, 2, 1}, {8}, {as_param(16, i64s({4}))}),
     "The input's channels (6) are not divisible by the group (4)."},
    {"ConvGroupOfOutput", conv2d({2, 5, 7, 6}, {10, 3, 2, 2}, {10}, {as_param(16, i64s({3}))}),
     "The output's channels (10) are not divisible by the group (3)."},
    {"ConvBias", conv2d({2, 5, 7, 6}, {10, 3, 2, 6}, {9}),
     "Dimension 0 of the bias (9) is not the number of output channels (10)."},
    {"ConvWeightRank", conv2d({2, 5, 7, 6}, {10, 3, 2}, {10}), "Rank of the weight (3) is not 4."},
    {"DepthwiseInputRank", conv(Op::depthwise_conv2d_native, floats({5, 7, 6}), {12, 3, 2, 1}, {12}),
     "Rank of the input (3) is not 4."},
    {"DepthwiseWeight", conv(Op::depthwise_conv2d_native, kNchw, {12, 3, 2, 6}, {12}),
     "Dimension 3 of the weight (6) is not one input channel (1)."},
    {"DepthwiseMultiple", conv(Op::depthwise_conv2d_native, kNchw, {10, 3, 2, 1}, {10}),
     "The output's channels (10) are not divisible by the group (6)."},
    {"FullWithoutItsBias", full({floats({4, 5}), floats({7, 5})}, {as_param(111, boolean(true))}),
     "HAS_BIAS is true, and there is no bias."},
    {"FullWeightRank", full({floats({4, 5}), floats({7})}), "The rank of the weight (1) is not 2."},
};
INSTANTIATE_TEST_SUITE_P(Linear, RowComplaint, testing::ValuesIn(kLinearComplaints), kCaseName);

OneNode nbits(Shape input, Shape weight, Shape scales, std::vector<Tensor> params = {}) {
  return {Op::matmul_nbits,
          {floats(std::move(input)), tensor(DType::u8, std::move(weight)), floats(scales),
           tensor(DType::u8, scales)},
          std::move(params),
          {floats({-1, -1, -1})}};
}
const Tensor kEightBits = as_param(1065, i64s({8})), kBlocksOf16 = as_param(1066, i64s({16}));

const ShapeCase kNbits[] = {
    {"NbitsRows", nbits({2, 3, 33}, {7, 17}, {7, 1}), {{2, 3, 7}}},
    {"NbitsBlocks", nbits({-1, 3, 33}, {7, 33}, {7, 3}, {kEightBits, kBlocksOf16}), {{-1, 3, 7}}},
};
INSTANTIATE_TEST_SUITE_P(Nbits, RowShape, testing::ValuesIn(kNbits), kCaseName);

const Complaint kNbitsComplaints[] = {
    {"NbitsBits", nbits({2, 3, 33}, {7, 17}, {7, 1}, {as_param(1065, i64s({2}))}),
     "The bits (2) are neither 4 nor 8."},
    {"NbitsBlockSize", nbits({2, 3, 33}, {7, 17}, {7, 1}, {as_param(1066, i64s({-1}))}),
     "The block size (-1) is below 0."},
    {"NbitsRowBytes", nbits({2, 3, 33}, {7, 16}, {7, 1}),
     "Dimension 1 of the weight (16) is not the bytes of a row (17)."},
    {"NbitsBlockCount", nbits({2, 3, 33}, {7, 17}, {7, 1}, {kBlocksOf16}),
     "Dimension 1 of the scales (1) is not the number of blocks (3)."},
    {"NbitsColumns", nbits({2, 3, 33}, {7, 17}, {6, 1}),
     "Dimension 0 of the scales (6) is not the number of output channels (7)."},
};
INSTANTIATE_TEST_SUITE_P(Nbits, RowComplaint, testing::ValuesIn(kNbitsComplaints), kCaseName);

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
    {"LstmForward", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}), {{7, 2, 3}, {1, 2, 3}, {1, 2, 3}}},
    {"LstmBothWays",
     lstm({7, 2, 5}, {2, 12, 5}, {2, 12, 3}, {kBidirectional}),
     {{7, 2, 6}, {2, 2, 3}, {2, 2, 3}}},
    {"LstmOfLayers",
     lstm({-1, 2, 6}, {4, 12, 6}, {4, 12, 3}, {kBidirectional, kTwoLayers}),
     {{-1, 2, 6}, {4, 2, 3}, {4, 2, 3}}},
};
INSTANTIATE_TEST_SUITE_P(Lstm, RowShape, testing::ValuesIn(kLstm), kCaseName);

const Complaint kLstmComplaints[] = {
    {"LstmProjection", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(102, i64s({2}))}),
     "The projection size (2) is not 0."},
    {"LstmHiddenSize", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(96, i64s({4}))}),
     "The hidden size is 4 and 3."},
    {"LstmNegativeSize", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(95, i64s({-1}))}),
     "The input size (-1) is below 0."},
    {"LstmGates", lstm({7, 2, 5}, {1, 9, 5}, {1, 12, 3}),
     "Dimension 1 of the wIh (9) is not 4 hidden sizes (12)."},
    {"LstmStates", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {kBidirectional}),
     "The weights are for 1 layers times directions, not for 1 times 2."},
    {"LstmDirections", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(98, i64s({2}))}),
     "The number of directions is 1 and 2."},
    {"LstmLayerWidth", lstm({7, 2, 5}, {2, 12, 5}, {2, 12, 3}, {kTwoLayers}),
     "The input size (5) of several layers is not the output's width (3)."},
    {"LstmZoneout", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(100, f32(1.5f))}),
     "Dropout or zoneout (1.5) is outside [0, 1]."},
    {"LstmCellClip", lstm({7, 2, 5}, {1, 12, 5}, {1, 12, 3}, {as_param(1117, f32(-1))}),
     "The cell clip (-1) is below 0."},
};
INSTANTIATE_TEST_SUITE_P(Lstm, RowComplaint, testing::ValuesIn(kLstmComplaints), kCaseName);

OneNode recurrent(Op op, Shape input, Shape w_ih, Shape w_hh, Shape bias, Shape hx,
                  std::vector<Tensor> params = {}) {
  return {op,
          {floats(std::move(input)), floats(std::move(w_ih)), floats(std::move(w_hh)),
           floats(std::move(bias)), floats(std::move(hx))},
          std::move(params),
          {floats({-1, -1, -1}), floats({-1, -1, -1})}};
}
const Tensor kGruBothWays = as_param(1070, i8(2)), kRnnBackward = as_param(1072, i8(1));

const ShapeCase kRecurrent[] = {
    {"GruForward",
     recurrent(Op::gru, {7, 2, 5}, {1, 9, 5}, {1, 9, 3}, {1, 18}, {1, 2, 3}),
     {{7, 2, 3}, {1, 2, 3}}},
    {"GruBothWays",
     recurrent(Op::gru, {-1, -1, 5}, {2, 9, 5}, {2, 9, 3}, {2, 18}, {2, -1, 3}, {kGruBothWays}),
     {{-1, -1, 6}, {2, -1, 3}}},
    {"RnnBackward",
     recurrent(Op::rnn, {7, 2, 5}, {1, 3, 5}, {1, 3, 3}, {1, 6}, {1, 2, 3}, {kRnnBackward}),
     {{7, 2, 3}, {1, 2, 3}}},
    {"RnnOfAnOpenState",
     recurrent(Op::rnn, {7, 2, 5}, {1, 3, 5}, {1, 3, 3}, {1, 6}, {-1, -1, -1}),
     {{7, 2, 3}, {1, 2, 3}}},
};
INSTANTIATE_TEST_SUITE_P(Recurrent, RowShape, testing::ValuesIn(kRecurrent), kCaseName);

const Complaint kRecurrentComplaints[] = {
    {"GruGates", recurrent(Op::gru, {7, 2, 5}, {1, 12, 5}, {1, 9, 3}, {1, 18}, {1, 2, 3}),
     "Dimension 1 of the wIh (12) is not 3 hidden sizes (9)."},
    {"GruBias", recurrent(Op::gru, {7, 2, 5}, {1, 9, 5}, {1, 9, 3}, {1, 9}, {1, 2, 3}),
     "Dimension 1 of the bias (9) is not 6 hidden sizes (18)."},
    {"GruDirections", recurrent(Op::gru, {7, 2, 5}, {1, 9, 5}, {1, 9, 3}, {1, 18}, {1, 2, 3}, {kGruBothWays}),
     "Dimension 0 of the wIh (1) is not the number of directions (2)."},
    {"RnnInputSize", recurrent(Op::rnn, {7, 2, 5}, {1, 3, 4}, {1, 3, 3}, {1, 6}, {1, 2, 3}),
     "Dimension 2 of the wIh (4) is not the input size (5)."},
    {"RnnState", recurrent(Op::rnn, {7, 2, 5}, {1, 3, 5}, {1, 3, 3}, {1, 6}, {1, 3, 3}),
     "Dimension 1 of the hx (3) is not the batch (2)."},
    {"RnnRank", recurrent(Op::rnn, {7, 5}, {1, 3, 5}, {1, 3, 3}, {1, 6}, {1, 2, 3}),
     "Rank of the input (2) is not 3."},
};
INSTANTIATE_TEST_SUITE_P(Recurrent, RowComplaint, testing::ValuesIn(kRecurrentComplaints), kCaseName);

OneNode resize(Shape input, int64_t height, int64_t width, std::vector<Tensor> params = {}) {
  params.push_back(as_param(61, i64s({height})));
  params.push_back(as_param(62, i64s({width})));
  return {Op::resize_bilinear, {floats(std::move(input))}, std::move(params), {floats({-1, -1, -1, -1})}};
}
const Tensor kKeepAspect = as_param(63, boolean(true));

const ShapeCase kSpatial[] = {
    {"Resize", resize({2, 5, 7, 3}, 10, 11), {{2, 10, 11, 3}}},
    {"ResizeOfUnknown", resize({-1, -1, 7, 3}, 10, 11, {kKeepAspect}), {{-1, 10, 11, 3}}},
    {"ResizeKeepingTheAspect", resize({2, 5, 7, 3}, 10, 14, {kKeepAspect}), {{2, 10, 14, 3}}},
};
INSTANTIATE_TEST_SUITE_P(SpatialParams, RowShape, testing::ValuesIn(kSpatial), kCaseName);

const Complaint kSpatialComplaints[] = {
    {"ResizeRank", resize({5, 7, 3}, 10, 11), "Rank of the input (3) is not 4."},
    {"ResizeToNothing", resize({2, 5, 7, 3}, 0, 11), "The new size (0) is outside [1, 2147483647]."},
    {"ResizeAspect", resize({2, 5, 7, 3}, 10, 11, {kKeepAspect}),
     "The aspect ratio of 10 by 11 is not that of 5 by 7."},
    {"ResizeOutside", resize({2, 5, 7, 3}, 10, 11, {as_param(65, i64s({2}))}),
     "Exclude outside (2) is neither 0 nor 1."},
};
INSTANTIATE_TEST_SUITE_P(SpatialParams, RowComplaint, testing::ValuesIn(kSpatialComplaints), kCaseName);

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
    {"Scatter", scatter(Op::scatter_nd, rows({1, 2}, 1), {2, 5}, i32s({3, 5})), {{3, 5}}},
    {"ScatterToAnUnknownShape",
     scatter(Op::scatter_nd, rows({1, 2}, 1), {2, 5}, tensor(DType::i64, {2})),
     {{-1, -1}}},
    {"SparseToDense", scatter(Op::sparse_to_dense, rows({1, 2}, 2), {1}, i32s({3, 5})), {{3, 5}}},
    {"OneHotLast", one_hot({3, -1}, i32s({5}), -1), {{3, -1, 5}}},
    {"OneHotFirst", one_hot({3}, tensor(DType::i32, {1}), 0), {{-1, 3}}},
    {"TopK", top_k({3, 5}, i32s({2})), {{3, 2}, {3, 2}}},
    {"TopKOfUnknown", top_k({-1, 5}, tensor(DType::i32, {}), 0), {{-1, 5}, {-1, 5}}},
};
INSTANTIATE_TEST_SUITE_P(Index, RowShape, testing::ValuesIn(kIndexShapes), kCaseName);

const Complaint kIndexComplaints[] = {
    {"GatherAxis", gather({3}, kFedIndices, i32s({1})), "Axis (1) is outside [-1, 1)."},
    {"GatherIndex", gather({3}, i32s({2, -4}), i32s({0})), "Index (-4) is outside [-3, 3)."},
    {"GatherRowIndex", gather_nd({3, 5}, rows({1, 5}, 2)), "Index (5) is outside [0, 5)."},
    {"GatherRowWidth", gather_nd({3}, rows({1, 1}, 2)),
     "The last dimension of the indices (2) is outside [1, 1]."},
    {"ScatterRank", scatter(Op::scatter_nd, i32s({1}), {1}, i32s({3})),
     "The rank of the indices (1) is below 2."},
    {"ScatterUpdates", scatter(Op::scatter_nd, rows({1, 2}, 1), {2, 7}, i32s({3, 5})),
     "The shape of the updates [2, 7] is not [2, 5]."},
    {"ScatterIndex", scatter(Op::scatter_nd, rows({1, -1}, 1), {2, 5}, i32s({3, 5})),
     "Index (-1) is outside [0, 3)."},
    {"ScatterToAnAbsurdRank",
     scatter(Op::scatter_nd, rows({1, 2}, 1), {2, 5}, tensor(DType::i32, {INT32_MAX})),
     "Length of the shape (2147483647) is above 8."},
    {"SparseWidth", scatter(Op::sparse_to_dense, rows({1, 2}, 1), {2}, i32s({3, 5})),
     "Dimension 1 of the indices (1) is not the length of the shape (2)."},
    {"SparseValues", scatter(Op::sparse_to_dense, rows({1, 2, 0, 0}, 2), {3}, i32s({3, 5})),
     "Dimension 0 of the values (3) is not the number of indices (2)."},
    {"OneHotAxis", one_hot({3}, i32s({5}), -2), "Axis (-2) is outside [-1, 1]."},
    {"OneHotDepth", one_hot({3}, i32s({0}), -1), "The depth (0) is below 1."},
    {"TopKTooMany", top_k({3, 5}, i32s({6})), "k (6) is outside [1, 5]."},
    {"TopKNone", top_k({3, 5}, i32s({0})), "k (0) is outside [1, 5]."},
};
INSTANTIATE_TEST_SUITE_P(Index, RowComplaint, testing::ValuesIn(kIndexComplaints), kCaseName);

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
INSTANTIATE_TEST_SUITE_P(Special, RowShape, testing::ValuesIn(kSpecial), kCaseName);

const Complaint kSpecialComplaints[] = {
    {"AssertOfTwo",
     {Op::assert_, {tensor(DType::boolean, {2}), floats({3})}, {}, {floats({3})}},
     "Shape of the condition ([2]) is not that of one element."},
    {"DetectionBatch", detection({2, 7, 4}, {1, 7, 4}, {7, 4}, 5),
     "Dimension 0 of the bbox (2) is not the only batch (1)."},
    {"DetectionAnchors", detection({1, 7, 4}, {1, 7, 4}, {6, 4}, 5),
     "Dimension 0 of the anchors (6) is not the number of boxes (7)."},
    {"DetectionScores", detection({1, 7, 4}, {1, 7, 5}, {7, 4}, 5),
     "The columns of the scores (5) are neither 3 nor 4."},
    {"DetectionNone", detection({1, 7, 4}, {1, 7, 4}, {7, 4}, 0),
     "The maximum number of detections (0) is outside [1, 2147483647]."},
};
INSTANTIATE_TEST_SUITE_P(Special, RowComplaint, testing::ValuesIn(kSpecialComplaints), kCaseName);

}  // namespace
}  // namespace nnrt
