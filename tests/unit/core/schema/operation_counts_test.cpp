// For every operator: a node with valid counts passes AddOperation, and every structural error is refused.
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt {
namespace {

using namespace testing_support;

DType first_of(DTypeSet dtypes) {
  int dtype = 0;
  while (!dtypes.contains(DType(dtype))) ++dtype;
  return DType(dtype);
}

DType first_not_of(DTypeSet dtypes) {
  int dtype = 1;
  while (dtypes.contains(DType(dtype))) ++dtype;
  return DType(dtype);
}

// Zeros as parameter data, with the rank required by the row.
Tensor zeros(const ParamRow& row, DType dtype, size_t count) {
  const size_t rank = row.rank == kNone ? 1 : size_t(row.rank);
  Shape shape(rank, 1);
  shape[0] = int64_t(count);
  Tensor result = tensor(dtype, shape);
  result.role = row.type();
  result.data = std::make_shared<const Bytes>(count * size_of(dtype));
  return result;
}

Tensor input_of(const InputRow& row) {
  if (row.constant) return i32s({int32_t(DType::f32)});
  return tensor(first_of(row.dtypes), Shape(4, kUnknown));
}

class Row : public testing::TestWithParam<Op> {
 protected:
  const OpSchema& row() const { return schema(GetParam()); }

  OneNode node() const {
    OneNode result{.op = row().op};
    for (const InputRow& input : row().inputs) {
      for (int times = input.many ? 2 : 1; times > 0; --times) result.inputs.push_back(input_of(input));
    }
    for (const OutputRow& output : row().outputs) {
      result.outputs.push_back(tensor(first_of(output.dtypes), Shape(4, kUnknown)));
    }
    if (row().op == Op::conv3d) result.inputs[1].shape = Shape(5, kUnknown);
    if (row().op == Op::layer_norm) result.inputs = {floats({2, 3}), floats({3}), floats({3})};
    return result;
  }

  void expect_refused(const OneNode& broken) const {
    const auto attrs = broken.operation_check();
    ASSERT_FALSE(attrs.ok());
    EXPECT_EQ(attrs.error().code, Code::invalid_parameter);
  }

  void expect_refused(const Tensor& param) const {
    OneNode broken = node();
    broken.params = {param};
    expect_refused(broken);
  }
};

TEST_P(Row, AcceptsTheRightCounts) {
  const auto attrs = node().operation_check();
  EXPECT_TRUE(attrs.ok()) << attrs.error().message;
}

TEST_P(Row, FillsInItsDefaults) {
  const Attrs attrs = node().operation_check().value();
  for (const ParamRow& param : row().params) {
    ASSERT_EQ(attrs.has(param.attr), !param.default_value.empty()) << param.type_name();
    if (!attrs.has(param.attr)) continue;
    EXPECT_TRUE(param.dtypes.contains(attrs.at(param.attr).dtype)) << param.type_name();
    EXPECT_EQ(attrs.at(param.attr).count(), param.default_value.size()) << param.type_name();
  }
}

TEST_P(Row, RefusesTooFewAndTooManyOperands) {
  OneNode few = node(), many = node();
  few.inputs.resize(row().min_inputs() - 1);
  many.inputs.resize(std::min<size_t>(row().max_inputs(), 200) + 1, floats({1}));
  expect_refused(few);
  expect_refused(many);
}

TEST_P(Row, RefusesTooFewAndTooManyResults) {
  OneNode few = node(), many = node();
  few.outputs.pop_back();
  many.outputs.resize(row().outputs.back().many ? 201 : row().outputs.size() + 1, floats({1}));
  expect_refused(few);
  expect_refused(many);
}

TEST_P(Row, RefusesAForeignParameter) {
  const ParamRow foreign{.param =
                             row().op == Op::mul ? Param::add_activationtype : Param::mul_activation_type};
  expect_refused(zeros(foreign, DType::i8, 1));
}

TEST_P(Row, RefusesParametersOfAnotherDtype) {
  for (const ParamRow& param : row().params) {
    SCOPED_TRACE(param.type_name());
    const DTypeSet taken = param.either_pad ? DTypeSet{DType::i8, DType::i64} : param.dtypes;
    expect_refused(zeros(param, first_not_of(taken), param.count.min));
  }
}

TEST_P(Row, RefusesParametersOfAnotherCount) {
  for (const ParamRow& param : row().params) {
    SCOPED_TRACE(param.type_name());
    if (param.count.max < kManyElements) {
      expect_refused(zeros(param, first_of(param.dtypes), param.count.max + 1));
    }
    expect_refused(zeros(param, first_of(param.dtypes), param.count.min - 1));
  }
}

TEST_P(Row, RefusesParametersWithoutData) {
  for (const ParamRow& param : row().params) {
    SCOPED_TRACE(param.type_name());
    Tensor empty = zeros(param, first_of(param.dtypes), param.count.min);
    empty.data = nullptr;
    expect_refused(empty);
  }
}

TEST_P(Row, RefusesValuesOutsideClosedLists) {
  for (const ParamRow& param : row().params) {
    if (param.closed_list.empty()) continue;
    SCOPED_TRACE(param.type_name());
    const DType dtype = first_of(param.dtypes);
    Bytes bytes(size_of(dtype));
    bytes[0] = std::byte(param.closed_list.size());
    Tensor outside = zeros(param, dtype, 1);
    outside.data = std::make_shared<const Bytes>(bytes);
    expect_refused(outside);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Row, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

}  // namespace
}  // namespace nnrt
