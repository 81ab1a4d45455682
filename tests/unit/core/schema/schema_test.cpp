// Compares the operator table with tests/data/ops.json, the specification in machine-readable form.
#include "core/schema/schema.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

namespace nnrt {
namespace {

using nlohmann::json;

const json& specified() {
  static const json all = json::parse(std::ifstream(NNRT_TEST_DATA "/ops.json"));
  return all;
}

const OpSchema& row_of(const json& op) { return schema(Op(op.at("number").get<int>())); }

std::vector<std::string> names_of(DTypeSet dtypes) {
  std::vector<std::string> names;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (dtypes.contains(DType(i))) names.emplace_back(name(DType(i)));
  }
  return names;
}

std::vector<std::string> strings(const json& list) { return list.get<std::vector<std::string>>(); }

// A default as the row writes it.
std::vector<double> numbers(const json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return {double(value.get<bool>())};
  if (value.is_array()) return value.get<std::vector<double>>();
  return {value.get<double>()};
}

std::pair<size_t, size_t> count_of(const json& count) {
  if (!count.is_array()) return {count.get<size_t>(), count.get<size_t>()};
  return {count[0].get<size_t>(), count[1].is_null() ? kManyElements : count[1].get<size_t>()};
}

DTypeRule rule_of(const std::string& text) {
  static const std::set<std::string> kFixed = {"BOOL", "INT32", "FLOAT32", "INT32, or INT64 if declared so"};
  if (text == "promoted") return DTypeRule::promoted;
  if (text.starts_with("as ")) return DTypeRule::same_as;
  return kFixed.contains(text) ? DTypeRule::fixed : DTypeRule::from_attrs;
}

// The name of the input whose dtype is repeated, or null.
json name_of_input(const OpSchema& row, int input) {
  return input == kNone ? json() : json(row.inputs.at(size_t(input)).name);
}

void compare_input(const OpSchema& row, const InputRow& input, const json& wanted) {
  SCOPED_TRACE(input.name);
  EXPECT_EQ(input.name, wanted.at("name").get<std::string>());
  EXPECT_EQ(names_of(input.dtypes), strings(wanted.at("dtypes")));
  EXPECT_EQ(name_of_input(row, input.same_as), wanted.at("same_as"));
  EXPECT_EQ(input.quantized_only, wanted.at("quantized_only").get<bool>());
  EXPECT_EQ(input.value, wanted.at("value").get<bool>());
  EXPECT_EQ(input.constant, wanted.at("constant").get<bool>());
  EXPECT_EQ(input.optional, wanted.at("optional").get<bool>());
  EXPECT_EQ(input.many, wanted.at("many").get<bool>());
}

void compare_param(const ParamRow& param, const json& wanted) {
  SCOPED_TRACE(param.type_name());
  EXPECT_EQ(param.type(), wanted.at("number").get<int>());
  EXPECT_EQ(param.type_name(), wanted.at("tensor_type").get<std::string>());
  EXPECT_EQ(param.since(), wanted.at("since").get<int>());
  EXPECT_EQ(names_of(param.dtypes), strings(wanted.at("dtypes")));
  EXPECT_EQ(std::pair(param.count.min, param.count.max), count_of(wanted.at("count")));
  EXPECT_EQ(param.required, wanted.at("required").get<bool>());
  const json& list = wanted.at("closed_list");
  EXPECT_EQ(param.closed_list, list.is_null() ? std::vector<int64_t>() : list.get<std::vector<int64_t>>());
  // Its default only applies with USE_AXIS, which defaults to whether this one is given.
  constexpr int kFullConnectionAxis = 31;
  if (param.type() == kFullConnectionAxis) return;
  EXPECT_EQ(param.default_value, numbers(wanted.at("default")));
}

void compare_output(const OpSchema& row, const OutputRow& output, const json& wanted) {
  SCOPED_TRACE(output.name);
  EXPECT_EQ(output.name, wanted.at("name").get<std::string>());
  EXPECT_EQ(output.rule, rule_of(wanted.at("rule").get<std::string>()));
  EXPECT_EQ(names_of(output.dtypes), strings(wanted.at("dtypes")));
  EXPECT_EQ(output.many, wanted.at("many").get<bool>());
  if (output.rule != DTypeRule::same_as) return;
  EXPECT_EQ(name_of_input(row, output.same_as), wanted.at("same_as"));
}

class Specified : public testing::TestWithParam<size_t> {
 protected:
  const json& wanted() const { return specified().at(GetParam()); }
  const OpSchema& row() const { return row_of(wanted()); }
};

TEST_P(Specified, OperatorHasItsFlags) {
  EXPECT_EQ(int(row().op), wanted().at("number").get<int>());
  EXPECT_EQ(row().name, wanted().at("name").get<std::string>());
  EXPECT_EQ(row().since(), wanted().at("since").get<int>());
  EXPECT_EQ(name(row().family), wanted().at("family").get<std::string>());
  EXPECT_EQ(row().quantized, wanted().at("quantized").get<bool>());
  EXPECT_EQ(row().copy, wanted().at("copy").get<bool>());
  EXPECT_EQ(row().layout_dependent, wanted().at("layout_dependent").get<bool>());
}

TEST_P(Specified, OperatorHasItsInputs) {
  const json& inputs = wanted().at("inputs");
  ASSERT_EQ(row().inputs.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) compare_input(row(), row().inputs[i], inputs[i]);
}

TEST_P(Specified, OperatorHasItsParameters) {
  const json& params = wanted().at("params");
  const auto own = std::ranges::count_if(row().params, &ParamRow::is_extension);
  ASSERT_EQ(row().params.size() - size_t(own), params.size());
  for (const json& param : params) {
    const ParamRow* found = row().param(param.at("number").get<int>());
    ASSERT_NE(found, nullptr) << param.at("tensor_type");
    compare_param(*found, param);
  }
}

TEST_P(Specified, OperatorHasItsOutputs) {
  const json& outputs = wanted().at("outputs");
  ASSERT_EQ(row().outputs.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) compare_output(row(), row().outputs[i], outputs[i]);
}

TEST_P(Specified, OperatorHasAShapeRule) { EXPECT_NE(row().infer, nullptr); }

INSTANTIATE_TEST_SUITE_P(Schema, Specified, testing::Range(size_t{0}, specified().size()),
                         [](const auto& test) { return specified().at(test.param).at("name"); });

TEST(Schema, HoldsEveryOperatorOnceInOrder) {
  ASSERT_EQ(all_schemas().size(), kOpCount);
  for (size_t i = 0; i < kOpCount; ++i) EXPECT_EQ(all_schemas()[i].op, kOperators[i]);
}

TEST(Schema, ReservesNumbersBelow1000) {
  EXPECT_EQ(size_t(std::ranges::count_if(kOperators, [](Op op) { return !is_extension(op); })),
            specified().size());
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

TEST(Schema, FindsParametersByTensorType) {
  EXPECT_EQ(schema(Op::add).param(1)->attr, Attr::activation);
  EXPECT_EQ(schema(Op::add).param(2), nullptr);
}

TEST(Schema, KnowsWhichNumbersAreOperators) {
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
