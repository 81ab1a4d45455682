#include "core/schema/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace nnrt {
namespace {

TEST(Schema, HoldsEveryOperatorOnceInOrder) {
  ASSERT_EQ(all_schemas().size(), kOpCount);
  for (size_t i = 0; i < kOpCount; ++i) {
    EXPECT_EQ(all_schemas()[i].op, kOperators[i]);
    EXPECT_NE(all_schemas()[i].infer, nullptr) << all_schemas()[i].name;
  }
}

TEST(Schema, TensorTypesAreUnique) {
  constexpr int kTensorTypes = 162;
  constexpr int kOfNoOperator = 69;  // OH_NN_LAYER_NORM_ELEMENTWISE_AFFINE
  std::multiset<int> types;
  for (const OpSchema& row : all_schemas()) {
    for (const ParamRow& param : row.params) types.insert(param.type());
  }
  EXPECT_EQ(std::set(types.begin(), types.end()).size(), types.size());
  std::erase_if(types, [](int type) { return ParamRow{.param = Param(type)}.is_extension(); });
  for (int type = 1; type <= kTensorTypes; ++type) {
    EXPECT_EQ(types.count(type), type == kOfNoOperator ? 0u : 1u) << type;
  }
  EXPECT_EQ(types.size(), size_t(kTensorTypes - 1));
}

TEST(Schema, ParameterRolesAreUnique) {
  for (const OpSchema& row : all_schemas()) {
    std::set<Attr> roles;
    for (const ParamRow& param : row.params)
      EXPECT_TRUE(roles.insert(param.attr).second) << param.type_name();
  }
}

TEST(Schema, NamesParametersAfterTheirOperator) {
  for (const OpSchema& row : all_schemas()) {
    for (const ParamRow& param : row.params) {
      EXPECT_TRUE(param.type_name().starts_with("OH_NN_" + std::string(row.name) + "_")) << param.type_name();
    }
  }
}

TEST(Schema, DefaultsFitTheirCountAndClosedList) {
  for (const OpSchema& row : all_schemas()) {
    for (const ParamRow& param : row.params) {
      SCOPED_TRACE(param.type_name());
      if (param.default_value.empty()) continue;
      EXPECT_FALSE(param.required);
      EXPECT_LE(param.default_value.size(), param.count.max);
      EXPECT_GE(param.default_value.size(), param.count.min);
      EXPECT_TRUE(param.closed_list.empty() || param.default_value == std::vector<double>{0});
    }
  }
}

TEST(Schema, OptionalAndRepeatedInputsComeLast) {
  for (const OpSchema& row : all_schemas()) {
    for (size_t i = 0; i + 1 < row.inputs.size(); ++i) {
      EXPECT_FALSE(row.inputs[i].many) << row.name;
      EXPECT_TRUE(row.inputs[i + 1].optional || !row.inputs[i].optional) << row.name;
    }
  }
}

TEST(Schema, CountsInputs) {
  EXPECT_EQ(schema(Op::lstm).min_inputs(), 6u);
  EXPECT_EQ(schema(Op::full_connection).min_inputs(), 2u);
  EXPECT_EQ(schema(Op::full_connection).max_inputs(), 3u);
  EXPECT_EQ(schema(Op::concat).min_inputs(), 2u);
  EXPECT_EQ(schema(Op::concat).max_inputs(), kManyElements);
}

TEST(Schema, RecognizesOperatorNumbers) {
  EXPECT_EQ(op_from_number(108), Op::gather_nd);
  for (const int number : {-1, 0, 109, 65537, 1000000}) EXPECT_FALSE(op_from_number(number)) << number;
  EXPECT_EQ(name(Op{}), "");
  EXPECT_EQ(name(Op{109}), "");
}

TEST(Names, AreThoseOfTheSpecification) {
  EXPECT_EQ(name(Op::assert_), "OH_NN_OPS_ASSERT");
  EXPECT_EQ(name(Op::batch_to_space_nd), "OH_NN_OPS_BATCH_TO_SPACE_ND");
  EXPECT_EQ(name(DType::unknown), "UNKNOWN");
  EXPECT_EQ(name(DType::u64), "UINT64");
  EXPECT_EQ(name(DType::f64), "FLOAT64");
  EXPECT_EQ(name(Family::special), "special");
}

}  // namespace
}  // namespace nnrt
