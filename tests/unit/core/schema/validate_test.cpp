// Errors in a node's dtypes, quantization and shapes, found by Finish.
#include "core/schema/validate.h"

#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <limits>

namespace nnrt {
namespace {

using namespace testing_support;

const Tensor kI32 = tensor(DType::i32, {3});
const Tensor kU8 = tensor(DType::u8, {3});
const Tensor kPlainI8 = tensor(DType::i8, {3});
const Tensor kBool = tensor(DType::boolean, {3});

Tensor quantized_u8(Shape shape) {
  Tensor result = quantized(std::move(shape));
  result.dtype = DType::u8;
  return result;
}

Tensor with_zero_point(Tensor tensor, int32_t zero_point) {
  tensor.quant.zero_points.back() = zero_point;
  return tensor;
}

OneNode conv2d(Tensor input, Tensor weight, Tensor bias, Tensor output) {
  return {Op::conv2d, {std::move(input), std::move(weight), std::move(bias)}, {}, {std::move(output)}};
}

struct MeaningCase {
  const char* name;
  OneNode node;
  Code code;
  const char* complaint;
};

class Meaning : public testing::TestWithParam<MeaningCase> {};

TEST_P(Meaning, IsChecked) {
  const auto result = GetParam().node.infer();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, GetParam().code);
  EXPECT_EQ(result.error().message, GetParam().complaint);
}

const MeaningCase kDtypes[] = {
    {"ValueDtype",
     {Op::reshape, {floats({2}), floats({1})}, {}, {floats({2})}},
     Code::unsupported,
     "Dtype of the inputShape (FLOAT32) is not one of INT32, INT64."},
    {"IndexOutput",
     {Op::arg_max, {floats({3})}, {}, {floats({})}},
     Code::invalid_parameter,
     "Output dtype (FLOAT32) of positions is neither INT32 nor INT64."},
    {"BoolWithActivation",
     {Op::add, {kBool, kBool}, {as_param(1, i8(1))}, {kBool}},
     Code::invalid_parameter,
     "Activation (1) is not 0, which is the only one for a BOOL result."},
};

const MeaningCase kQuantization[] = {
    {"PlainInt8",
     {Op::tanh, {kPlainI8}, {}, {kPlainI8}},
     Code::unsupported,
     "INT8 of the input has no quantization parameters."},
    {"PlainOutput",
     {Op::relu, {quantized({3})}, {}, {kPlainI8}},
     Code::invalid_parameter,
     "INT8 of output 0 has no quantization parameters, unlike the first input."},
    {"PlainSecondInput",
     {Op::matmul, {quantized({1, 1}), tensor(DType::i8, {1, 1})}, {}, {quantized({1, 1})}},
     Code::invalid_parameter,
     "INT8 of input2 has no quantization parameters, unlike the first input."},
    {"PlainFirstInput",
     {Op::add, {kPlainI8, quantized({3})}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Quantized INT8 of input2 does not mix with INT8 of input1."},
    {"NeverPromoted",
     {Op::mul, {quantized({3}), floats({3})}, {}, {floats({3})}},
     Code::invalid_parameter,
     "Quantized INT8 of input1 does not mix with FLOAT32 of input2."},
    {"CodesOfTwoDtypes",
     {Op::less, {quantized({3}), quantized_u8({3})}, {}, {kBool}},
     Code::invalid_parameter,
     "Quantized INT8 of input1 does not mix with quantized UINT8 of input2."},
    {"ZeroScale",
     {Op::relu, {quantized({3}, {0.0})}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Scale of the input (0) is not a positive number of float32."},
    {"ScaleBelowFloat32",
     {Op::relu, {quantized({3}, {1e-60})}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Scale of the input (1e-60) is not a positive number of float32."},
    {"ScaleAboveFloat32",
     {Op::relu, {quantized({3}, {1e60})}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Scale of the input (1e+60) is not a positive number of float32."},
    {"ZeroPointAboveInt8",
     {Op::relu, {quantized({3})}, {}, {with_zero_point(quantized({3}), 128)}},
     Code::invalid_parameter,
     "Zero point of output 0 (128) is outside [-128, 127]."},
    {"ZeroPointBelowInt8",
     {Op::relu, {with_zero_point(quantized({3}), -129)}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Zero point of the input (-129) is outside [-128, 127]."},
    {"ZeroPointOfOneChannel",
     conv2d(quantized({1, 3, 3, 1}), with_zero_point(quantized({2, 3, 3, 1}, {1, 2}), 1000),
            tensor(DType::i32, {2}), quantized({1, 1, 1, 2})),
     Code::invalid_parameter, "Zero point of the weight (1000) is outside [-128, 127]."},
    {"ZeroPointBelowUint8",
     {Op::less, {with_zero_point(quantized_u8({3}), -1), quantized_u8({3})}, {}, {kBool}},
     Code::invalid_parameter,
     "Zero point of input1 (-1) is outside [0, 255]."},
    {"ZeroPointAboveUint8",
     {Op::less, {quantized_u8({3}), with_zero_point(quantized_u8({3}), 256)}, {}, {kBool}},
     Code::invalid_parameter,
     "Zero point of input2 (256) is outside [0, 255]."},
    {"ZeroPointOfWhatIsCopied",
     {Op::reshape, {with_zero_point(quantized({3}), 128), i32s({3})}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Zero point of the input (128) is outside [-128, 127]."},
    {"NotANumberScale",
     {Op::reshape,
      {quantized({3}), i32s({3})},
      {},
      {quantized({3}, {std::numeric_limits<double>::quiet_NaN()})}},
     Code::invalid_parameter,
     "Scale of output 0 (nan) is not a positive number of float32."},
    {"SeveralScalesOfData",
     {Op::relu, {quantized({3}, {1, 2, 3})}, {}, {quantized({3})}},
     Code::invalid_parameter,
     "Number of scales of the input (3) is not 1."},
    {"ScalesOfWeight",
     conv2d(quantized({1, 3, 3, 1}), quantized({5, 3, 3, 1}, {1, 2, 3}), tensor(DType::i32, {5}),
            quantized({1, 1, 1, 5})),
     Code::invalid_parameter, "Number of scales of the weight (3) is neither 1 nor its dimension 0 (5)."},
    {"RequantizingSeveralScales",
     {Op::reshape, {quantized({3}, {1, 2, 3}), i32s({3})}, {}, {quantized({3})}},
     Code::unsupported,
     "Requantizing from 3 to 1 scales is not supported."},
    {"SelectOfTwoScales",
     {Op::select, {kBool, quantized({3}, {1}), quantized({3}, {2})}, {}, {quantized({3}, {1})}},
     Code::invalid_parameter,
     "Quantization parameters of the data tensors differ."},
};

const MeaningCase kShapes[] = {
    {"InputRank",
     {Op::relu, {floats(Shape(9, 1))}, {}, {floats(Shape(9, 1))}},
     Code::unsupported,
     "Rank of the input (9) is above 8."},
    {"OutputRank",
     {Op::stack, std::vector<Tensor>(2, floats(Shape(8, 1))), {}, {floats(Shape(9, -1))}},
     Code::unsupported,
     "Rank of output 0 (9) is above 8."},
    {"Overflow",
     {Op::fill, {floats({}), i64s({1 << 30, 1 << 30, 4})}, {}, {floats({-1, -1, -1})}},
     Code::invalid_parameter,
     "Shape of output 0 [1073741824, 1073741824, 4] has too many bytes."},
    {"HugeDimension",
     {Op::fill, {floats({}), i64s({1, int64_t{1} << 31})}, {}, {floats({-1, -1})}},
     Code::invalid_parameter,
     "Shape of output 0 [1, 2147483648] has a dimension (2147483648) above 2147483647."},
    {"Layout",
     {Op::lrn,
      {in_format(Format::nchw, floats({1, 3, 2, 2}))},
      {},
      {in_format(Format::nd, floats({1, 3, 2, 2}))}},
     Code::invalid_parameter,
     "Format of output 0 (ND) does not match the input's (NCHW)."},
    {"InstanceNormLayout",
     {Op::instance_norm,
      {in_format(Format::nhwc, floats({1, 2, 2, 3})), floats({3}), floats({3})},
      {},
      {floats({1, 2, 2, 3})}},
     Code::invalid_parameter,
     "Format of output 0 (NONE) does not match the input's (NHWC)."},
};

constexpr auto kCaseName = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Dtypes, Meaning, testing::ValuesIn(kDtypes), kCaseName);
INSTANTIATE_TEST_SUITE_P(Quantization, Meaning, testing::ValuesIn(kQuantization), kCaseName);
INSTANTIATE_TEST_SUITE_P(Shapes, Meaning, testing::ValuesIn(kShapes), kCaseName);

struct AcceptedCase {
  const char* name;
  OneNode node;
};

class Accepted : public testing::TestWithParam<AcceptedCase> {};
TEST_P(Accepted, PassesValidation) { EXPECT_EQ(GetParam().node.complaint(), "ok"); }

const AcceptedCase kAccepted[] = {
    {"PlainInt8IsAnInteger", {Op::add, {kPlainI8, kPlainI8}, {}, {kPlainI8}}},
    {"Uint8WithParametersIsAnInteger", {Op::add, {quantized_u8({3}), kU8}, {}, {kU8}}},
    {"Promotion",
     {Op::mod, {tensor(DType::i16, {3}), tensor(DType::f64, {3})}, {}, {tensor(DType::f64, {3})}}},
    {"ComparisonOfCodesNeedsNoOutputParameters",
     {Op::equal, {quantized({3}), quantized({3}, {2})}, {}, {kBool}}},
    {"ScaleForEachChannelOfAWeight", conv2d(quantized({1, 3, 3, 1}), quantized({2, 3, 3, 1}, {1, 2}),
                                            tensor(DType::i32, {2}), quantized({1, 1, 1, 2}))},
    {"SeveralScalesCopied", {Op::reshape, {quantized({2}, {1, 2}), i32s({2})}, {}, {quantized({2}, {1, 2})}}},
    {"RequantizedCopy", {Op::reshape, {quantized({3}, {1}), i32s({3})}, {}, {quantized({3}, {2})}}},
    {"CastIgnoresQuantization", {Op::cast, {quantized({3}, {0.0}), i32s({4})}, {}, {kI32}}},
    {"Uint8FromInt8WithoutParameters",
     {Op::quant_dtype_cast, {kPlainI8}, {as_param(72, i64s({2})), as_param(73, i64s({37}))}, {kU8}}},
    {"NhwcMixesWithNone",
     {Op::lrn, {in_format(Format::nhwc, floats({1, 2, 2, 3}))}, {}, {floats({1, 2, 2, 3})}}},
    {"InstanceNormOfNdIntoNchw",
     {Op::instance_norm,
      {in_format(Format::nd, floats({1, 3, 2, 2})), floats({3}), floats({3})},
      {},
      {in_format(Format::nchw, floats({1, 3, 2, 2}))}}},
};
INSTANTIATE_TEST_SUITE_P(Meaning, Accepted, testing::ValuesIn(kAccepted), kCaseName);

TEST(InferNode, TakesDimensionsFromEitherSide) {
  const OneNode node = {Op::relu, {floats({-1, 3, -1})}, {}, {floats({2, -1, -1})}};
  EXPECT_EQ(node.infer().value()[0], (Shape{2, 3, -1}));
}

TEST(InferNode, AnswersInTheDeclaredRankOfOneElement) {
  const OneNode declared_1 = {Op::arg_max, {floats({3})}, {}, {tensor(DType::i32, {1})}};
  const OneNode declared_any = {Op::arg_max, {floats({3})}, {}, {tensor(DType::i32, {-1})}};
  const OneNode declared_scalar = {Op::rank, {floats({3})}, {}, {tensor(DType::i32, {})}};
  EXPECT_EQ(declared_1.infer().value()[0], Shape{1});
  EXPECT_EQ(declared_any.infer().value()[0], Shape{1});
  EXPECT_EQ(declared_scalar.infer().value()[0], Shape{});
}

TEST(InferNode, KeepsDeclaredShapeWithoutValues) {
  const OneNode node = {Op::reduce_sum, {floats({2, 3}), tensor(DType::i32, {1})}, {}, {floats({-1, 3})}};
  EXPECT_EQ(node.infer().value()[0], (Shape{-1, 3}));
}

TEST(NodeView, IsQuantizedForRealValuedOperators) {
  const auto is_quantized = [](Op op, const Tensor& input) {
    Graph graph;
    graph.tensors = {input};
    Node node;
    node.op = op;
    node.inputs = {0};
    return NodeView(graph, node, {}, {}).is_quantized();
  };
  EXPECT_TRUE(is_quantized(Op::relu, quantized({3})));
  EXPECT_TRUE(is_quantized(Op::less, quantized_u8({3})));
  EXPECT_TRUE(is_quantized(Op::quant_dtype_cast, quantized_u8({3})));
  EXPECT_FALSE(is_quantized(Op::add, quantized_u8({3})));
  EXPECT_FALSE(is_quantized(Op::less, kU8));
  EXPECT_FALSE(is_quantized(Op::reshape, quantized({3})));
}

}  // namespace
}  // namespace nnrt
