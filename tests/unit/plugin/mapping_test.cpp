// Checks the table of operators and nodes against tests/data/hdi_nodes.json, which lists per operator its
// node type, each field's value without parameters, and the field of each parameter.
#include "backends/plugin/hdi_to_model.h"
#include "backends/plugin/node_table.h"
#include "core/schema/schema.h"
#include "tests/unit/plugin/attr_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace nnrt::plugin {
namespace {

using nlohmann::json;

json read_properties() {
  std::ifstream file(NNRT_TEST_DATA "/hdi_nodes.json");
  return json::parse(file);
}

AttrValue numbers(const ParamRow& row, std::vector<double> values, bool given) {
  const bool is_real = row.dtypes.contains(DType::f32);
  AttrValue value{.dtype = is_real ? DType::f32 : DType::i64, .integers = {}, .floats = {}, .given = given};
  if (is_real) {
    value.floats = std::move(values);
  } else {
    value.integers.assign(values.begin(), values.end());
  }
  return value;
}

// A node as AddOperation creates it without parameters, with operands of rank 4.
struct SampleNode {
  Graph graph;
  nnrt::Node node;
};
SampleNode sample_of(Op op) {
  SampleNode operation;
  const OpSchema& row = schema(op);
  operation.node.op = op;
  for (size_t i = 0; i < row.min_inputs() + 1; ++i) {
    const nnrt::Shape shape{int64_t(i) + 6, 3, 5, 4};
    operation.graph.tensors.push_back({});
    operation.graph.tensors.back().shape = shape;
    operation.graph.shapes.push_back(shape);
    if (i < row.min_inputs()) {
      operation.node.inputs.push_back(TensorId(i));
    } else {
      for (size_t k = 0; k < row.outputs.size(); ++k) operation.node.outputs.push_back(TensorId(i));
    }
  }
  for (const ParamRow& param : row.params) {
    if (!param.default_value.empty())
      operation.node.attrs.set(param.attr, numbers(param, param.default_value, false));
  }
  return operation;
}

json sent(const SampleNode& operation, uint32_t minor = 1) {
  return hdi::json_of(attributes_of(operation.graph, operation.node, minor));
}

json expected_fields(const json& row, const SampleNode& operation) {
  json fields = row.at("fields");
  const nnrt::Shape& input = operation.graph.shapes[0];
  for (auto& [name, value] : fields.items()) {
    if (value == "outputs") value = operation.node.outputs.size();
    if (value.is_number_float()) value = double(float(value));
    if (value != "operands") continue;
    const nnrt::Shape& weight = operation.graph.shapes[1];
    if (name == "kernelSize") value = {weight[1], weight[2]};
    if (name == "outChannel") value = weight[0];
    if (name == "inChannel") value = row.at("operator") == 10 ? input[3] : weight[3];
    if (name == "group") value = input[3];
  }
  return fields;
}

// Non-default values, as many as the parameter takes.
std::vector<double> sample(const ParamRow& row) {
  if (!row.closed_list.empty()) return {double(row.closed_list.back())};
  if (row.dtypes == DTypeSet(DType::boolean))
    return {row.default_value.empty() || row.default_value[0] == 0 ? 1. : 0.};
  const size_t count = std::max<size_t>(row.count.min, row.count.max > 1 ? 2 : 1);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(double(i) + (row.dtypes.contains(DType::f32) ? 2.5 : 7));
  return values;
}

// The expected field for these values; `plain` is its value without the parameter.
json in_field(const std::string& field, const json& plain, const ParamRow& row,
              const std::vector<double>& values) {
  if (field == "activationType") return values[0] == 2 ? 3 : int(values[0]);
  if (field == "normRegion") return "ACROSS_CHANNELS";
  if (plain.is_string()) return values[0] == 0 ? "DCR" : "CRD";
  if (plain.is_boolean()) return values[0] != 0;
  if (field == "crops" || (field == "paddings" && row.attr == Attr::paddings))
    return json{{int(values[0]), int(values[1])}, {int(values[2]), int(values[3])}};
  json list = json::array();
  for (const double value : values) {
    if (row.dtypes.contains(DType::f32))
      list.push_back(value);
    else
      list.push_back(int64_t(value));
  }
  return plain.is_array() ? list : list.at(0);
}

const json& cases() {
  static const json all = read_properties();
  return all;
}

class Mapping : public testing::TestWithParam<size_t> {
 protected:
  const json& golden() const { return cases().at(GetParam()); }
  Op op() const { return Op(golden().at("operator")); }
};

TEST_P(Mapping, HasTypesAndFieldsOfTheContract) {
  EXPECT_EQ(golden().at("name"), schema(op()).name);
  ASSERT_NE(find_row(op()), nullptr);
  const NodeRow& row = *find_row(op());
  EXPECT_EQ(row.op, op());
  EXPECT_EQ(golden().at("type"), uint32_t(row.type));
  EXPECT_EQ(golden().at("v2_1"), row.needs_v2_1);
  const SampleNode operation = sample_of(op());
  EXPECT_EQ(sent(operation), expected_fields(golden(), operation));
}

TEST_P(Mapping, PutsEachParameterIntoItsField) {
  const OpSchema& row = schema(op());
  // not in the interface: refused
  const auto own = size_t(std::ranges::count_if(row.params, &ParamRow::is_extension));
  ASSERT_EQ(golden().at("params").size(), row.params.size() - own);
  for (const json& param : golden().at("params")) {
    const ParamRow* found = row.param(param.at("type"));
    ASSERT_NE(found, nullptr) << param;
    SampleNode operation = sample_of(op());
    json expected = expected_fields(golden(), operation);
    const std::vector<double> values = sample(*found);
    operation.node.attrs.set(found->attr, numbers(*found, values, true));
    if (found->attr == Attr::pad_mode) {
      expected[param.at("mode_field")] = int(values[0]) + 1;
      expected[param.at("list_field")] = json::array();
    } else if (found->attr == Attr::pad) {
      expected[param.at("list_field")] = {7, 8, 9, 10};
    } else {
      const std::string field = param.at("field");
      expected[field] = in_field(field, expected.at(field), *found, values);
      if (op() == Op::full_connection && field == "axis") expected["useAxis"] = true;
    }
    EXPECT_EQ(sent(operation), expected) << found->type_name();
    // Converted back.
    const Attrs back = attrs_of(*find_row(op()), attributes_of(operation.graph, operation.node, 1));
    ASSERT_TRUE(back.has(found->attr)) << found->type_name();
    const AttrValue& value = back.at(found->attr);
    EXPECT_EQ(is_float(value.dtype) ? value.floats
                                    : std::vector<double>(value.integers.begin(), value.integers.end()),
              values)
        << found->type_name();
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Mapping, testing::Range(size_t{0}, cases().size()),
                         [](const auto& test) { return cases().at(test.param).at("name"); });

TEST(MappingOfOperators, CoversContractOnly) {
  EXPECT_EQ(all_rows().size(), cases().size());
  EXPECT_EQ(find_row(Op{}), nullptr);
}

TEST(MappingOfVersions, QuantDtypeCastLacksAxisInV2_0) {
  SampleNode operation = sample_of(Op::quant_dtype_cast);
  EXPECT_EQ(sent(operation, 0), (json{{"srcT", 0}, {"dstT", 0}}));
}

// The operands show whether there is a bias; the attribute is what the client set.
TEST(MappingOfFullConnection, HasNoBiasUnlessTheClientSaysSo) {
  SampleNode operation = sample_of(Op::full_connection);
  operation.node.inputs.push_back(operation.node.inputs.back());
  EXPECT_EQ(sent(operation).at("hasBias"), false);
  const ParamRow& param = *schema(Op::full_connection).param(111);
  for (const bool said : {false, true}) {
    operation.node.attrs.set(Attr::has_bias, numbers(param, {double(said)}, true));
    EXPECT_EQ(sent(operation).at("hasBias"), said);
    Graph graph = operation.graph;
    graph.nodes.push_back(operation.node);
    EXPECT_EQ(to_model(graph, plan_constants(graph), {}, 1).nodes[0].inputIndex.size(), said ? 3u : 2u);
  }
}

TEST(MappingOfVersions, SixtyThreeOperatorsAreOfV2_0) {
  size_t old = 0;
  for (const NodeRow& row : all_rows()) old += row.needs_v2_1 ? 0 : 1;
  EXPECT_EQ(old, 63u);  // REDUCE_L2's node type exists, its mode does not
}

}  // namespace
}  // namespace nnrt::plugin
