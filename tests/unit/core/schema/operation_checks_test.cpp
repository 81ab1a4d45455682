// Operations refused by AddOperation, and the attributes it reads.
#include "core/base/fp16.h"
#include "tests/unit/core/graph/node_tables.h"

namespace nnrt {
namespace {

using namespace testing_support;

std::string complaint_of(const OneNode& node) {
  const auto attrs = node.operation_check();
  return attrs.ok() ? "ok" : attrs.error().message;
}

OneNode add(std::vector<Tensor> params) {
  return {Op::add, {floats({2}), floats({2})}, std::move(params), {floats({2})}};
}

OneNode conv2d(std::vector<Tensor> params) {
  return {Op::conv2d,
          {floats({1, 5, 5, 3}), floats({7, 3, 3, 3}), floats({7})},
          std::move(params),
          {floats({1, -1, -1, 7})}};
}

class OperationChecks : public testing::TestWithParam<Complaint> {};

TEST_P(OperationChecks, IsChecked) {
  const auto attrs = GetParam().node.operation_check();
  ASSERT_FALSE(attrs.ok());
  EXPECT_EQ(attrs.error().code, Code::invalid_parameter);
  EXPECT_EQ(attrs.error().message, GetParam().text);
}

Tensor pads(int type, size_t count) { return as_param(type, i64s(std::vector<int64_t>(count, 1))); }

const Complaint kCounts[] = {
    {"NoOutputOfMany", {Op::split, {floats({2})}, {}, {}}, "Number of outputs (0) is outside [1, 200]."},
};

const Complaint kOperands[] = {
    {"ParameterAsInput",
     {Op::relu, {as_param(1, i8(0))}, {}, {floats({2})}},
     "Tensor 0 is a parameter (type 1), not data."},
    {"ParameterAsOutput",
     {Op::relu, {floats({2})}, {}, {as_param(7, floats({2}))}},
     "Tensor 1 is a parameter (type 7), not data."},
};

const Complaint kParameters[] = {
    {"WithoutData", add({as_param(1, tensor(DType::i8, {1}))}),
     "Data of OH_NN_ADD_ACTIVATIONTYPE are not set."},
    {"UnknownDtype", add({as_param(1, constant<int8_t>(DType::unknown, {1}, {}))}),
     "Dtype of OH_NN_ADD_ACTIVATIONTYPE (UNKNOWN) is not one of INT8."},
    {"WrongCount", conv2d({as_param(11, i64s({1, 1, 1}))}),
     "Element count of OH_NN_CONV2D_STRIDES (3) is not 2."},
    {"ThreePads", conv2d({pads(14, 3)}), "Element count of OH_NN_CONV2D_PAD (3) is not 4."},
    {"PadsOfAnotherDtype", conv2d({as_param(12, i32s({1, 1, 1, 1}))}),
     "Dtype of OH_NN_CONV2D_PAD (INT32) is not one of INT64."},
    {"PadConstantOfThirdDtype",
     {Op::pad, {floats({2}), i32s({1, 1})}, {as_param(43, i64s({1}))}, {floats({4})}},
     "The dtype of the constant (INT64) is neither FLOAT32 nor the input's (FLOAT32)."},
};

INSTANTIATE_TEST_SUITE_P(Counts, OperationChecks, testing::ValuesIn(kCounts), kCaseName);
INSTANTIATE_TEST_SUITE_P(Operands, OperationChecks, testing::ValuesIn(kOperands), kCaseName);
INSTANTIATE_TEST_SUITE_P(Parameters, OperationChecks, testing::ValuesIn(kParameters), kCaseName);

TEST(OperationOperands, MayNotBeInputAndOutputAtOnce) {
  const std::vector<Tensor> tensors = {floats({2})};
  const uint32_t ids[] = {0};
  EXPECT_EQ(check_operation(schema(Op::relu), tensors, {}, ids, ids).error().message,
            "Tensor 0 is both input and output.");
}

TEST(OperationOperands, MayServeSeveralInputs) {
  const std::vector<Tensor> tensors = {floats({2}), floats({2})};
  const uint32_t inputs[] = {0, 0}, outputs[] = {1};
  EXPECT_TRUE(check_operation(schema(Op::add), tensors, {}, inputs, outputs).ok());
}

TEST(OperationOperands, OfWrongShapesAndDtypesPass) {
  const OneNode wrong = {Op::add, {tensor(DType::boolean, {2}), floats({3})}, {}, {tensor(DType::u16, {5})}};
  EXPECT_EQ(complaint_of(wrong), "ok");
}

TEST(OperationAttributes, HaveTheirDefaults) {
  const Attrs attrs = conv2d({}).operation_check().value();
  EXPECT_EQ(attrs.integers(Attr::stride)[1], 1);
  EXPECT_EQ(attrs.integers(Attr::pad).size(), 4u);
  EXPECT_EQ(attrs.at(Attr::activation).dtype, DType::i8);
  EXPECT_FALSE(attrs.has(Attr::pad_mode));
}

TEST(OperationAttributes, HaveRealDefaultsInSinglePrecision) {
  const OneNode node = {Op::layer_norm, {floats({2, 3}), floats({3}), floats({3})}, {}, {floats({2, 3})}};
  EXPECT_EQ(node.operation_check().value().real(Attr::epsilon), double(1e-7f));
}

TEST(OperationAttributes, StayAbsentWithoutADefault) {
  const OneNode node = {Op::squeeze, {floats({1, 2})}, {}, {floats({2})}};
  EXPECT_TRUE(node.operation_check().value().all().empty());
}

TEST(OperationAttributes, TakeTheLastOfTwo) {
  const Attrs attrs = conv2d({as_param(15, i8(1)), as_param(15, i8(2))}).operation_check().value();
  EXPECT_EQ(attrs.integer(Attr::activation), 2);
}

TEST(OperationAttributes, AcceptPadListAsMode) {
  const Attrs attrs = conv2d({pads(14, 4)}).operation_check().value();
  EXPECT_EQ(attrs.integers(Attr::pad)[3], 1);
  EXPECT_FALSE(attrs.has(Attr::pad_mode));
}

TEST(OperationAttributes, AcceptPadModeAsList) {
  EXPECT_EQ(conv2d({as_param(12, i8(1))}).operation_check().value().integer(Attr::pad_mode), 1);
}

TEST(OperationAttributes, ReadAnyNonzeroByteAsTrue) {
  const Tensor seven = as_param(113, constant<uint8_t>(DType::boolean, {1}, {7}));
  const OneNode node = {Op::gelu, {floats({2})}, {seven}, {floats({2})}};
  EXPECT_EQ(node.operation_check().value().integer(Attr::approximate), 1);
}

TEST(OperationAttributes, AcceptScalarForOneElement) {
  const OneNode node = add({as_param(1, constant<int8_t>(DType::i8, {}, {1}))});
  EXPECT_EQ(node.operation_check().value().integer(Attr::activation), 1);
}

TEST(OperationAttributes, AcceptEveryListedIntegerDtype) {
  for (const Tensor& axis : {i32s({-2}), i64s({-2})}) {
    const OneNode node = {Op::unstack, {floats({1, 2})}, {as_param(78, axis)}, {floats({2})}};
    EXPECT_EQ(node.operation_check().value().integer(Attr::axis), -2);
  }
}

TEST(OperationAttributes, ReadHalves) {
  const Tensor half = as_param(43, constant<Half>(DType::f16, {1}, {to_half(1.5f)}));
  const OneNode node = {Op::pad, {tensor(DType::f16, {2}), i32s({1, 1})}, {half}, {tensor(DType::f16, {4})}};
  EXPECT_EQ(node.operation_check().value().real(Attr::constant_value), 1.5);
}

}  // namespace
}  // namespace nnrt
