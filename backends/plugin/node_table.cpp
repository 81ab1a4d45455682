#include "backends/plugin/node_table.h"

#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::plugin {
namespace {

// Returns whether upstream sends the field: a padding list is not sent beside a padding mode.
bool is_sent(const Field& field, const Attrs& attrs) {
  if (!attrs.has(field.attr)) return false;
  const bool given = attrs.at(field.attr).given;
  if (field.attr == Attr::pad && attrs.has(Attr::pad_mode)) return given;
  return given || field.sends_default;
}

// Operators that share a node type differ in the attributes' mode.
bool has_mode_of(const hdi::NodeAttr& attr, const hdi::NodeAttr& row) {
  if (attr.index() != row.index()) return false;
  if (const auto* activation = std::get_if<hdi::Activation>(&attr))
    return activation->activationType == std::get<hdi::Activation>(row).activationType;
  if (const auto* reduce = std::get_if<hdi::ReduceFusion>(&attr))
    return reduce->mode == std::get<hdi::ReduceFusion>(row).mode;
  if (const auto* resize = std::get_if<hdi::Resize>(&attr))
    return resize->method == std::get<hdi::Resize>(row).method;
  return true;
}

// V2_0 has a different struct for this node.
hdi::NodeAttr in_v2_1(const hdi::NodeAttr& attr) {
  const auto* cast = std::get_if<hdi::QuantDTypeCast>(&attr);
  return cast == nullptr ? attr : hdi::NodeAttr(hdi::QuantDTypeCastV2{cast->srcT, cast->dstT, 0});
}

// A convolution with as many groups as input channels, and one channel per weight, is core's depthwise
// convolution.
bool is_depthwise(const hdi::Model& model, const hdi::Node& node) {
  const auto* conv = std::get_if<hdi::Conv2DFusion>(&node.attr);
  if (conv == nullptr || node.inputIndex.size() < 2) return false;
  const std::vector<int32_t>& input = model.allTensors[node.inputIndex[0]].dims;
  const std::vector<int32_t>& weight = model.allTensors[node.inputIndex[1]].dims;
  return conv->group > 1 && input.size() == 4 && input[3] == conv->group && weight.size() == 4 &&
         weight[3] == 1;
}

DType dtype_of(const ParamRow& row) {
  for (const DType dtype : {DType::f32, DType::boolean, DType::i8, DType::i32, DType::i64}) {
    if (row.dtypes.contains(dtype)) return dtype;
  }
  return DType::i64;
}

AttrValue default_of(const ParamRow& row) {
  AttrValue value{.dtype = dtype_of(row), .integers = {}, .floats = {}, .given = false};
  for (const double number : row.default_value) {
    if (is_float(value.dtype)) {
      value.floats.push_back(double(float(number)));
    } else {
      value.integers.push_back(int64_t(number));
    }
  }
  return value;
}

}  // namespace

hdi::NodeAttr attributes_of(const Graph& graph, const nnrt::Node& node, uint32_t minor) {
  const NodeRow& row = *find_row(node.op);
  hdi::NodeAttr attr = row.attr;
  for (const Field& field : row.fields) {
    if (is_sent(field, node.attrs)) field.store(node.attrs.at(field.attr), attr);
  }
  if (row.derive != nullptr) row.derive(graph, node, attr);
  if (const auto* cast = std::get_if<hdi::QuantDTypeCastV2>(&attr); cast != nullptr && minor == 0)
    attr = hdi::QuantDTypeCast{cast->srcT, cast->dstT};
  return attr;
}

const NodeRow* find_row(const hdi::Model& model, const hdi::Node& node) {
  if (node.nodeType == hdi::NODE_TYPE_CONV2D_FUSION && is_depthwise(model, node))
    return find_row(Op::depthwise_conv2d_native);
  const hdi::NodeAttr attr = in_v2_1(node.attr);
  for (const NodeRow& row : all_rows()) {
    if (row.type == node.nodeType && has_mode_of(attr, row.attr)) return &row;
  }
  return nullptr;
}

Attrs attrs_of(const NodeRow& row, const hdi::NodeAttr& sent) {
  const hdi::NodeAttr attr = in_v2_1(sent);
  Attrs attrs;
  for (const ParamRow& param : schema(row.op).params) {
    const auto field = std::ranges::find(row.fields, param.attr, &Field::attr);
    std::optional<AttrValue> value;
    if (field != row.fields.end()) value = field->load(attr, dtype_of(param));
    if (!value && !param.default_value.empty()) value = default_of(param);
    if (value) attrs.set(param.attr, *std::move(value));
  }
  // The axis of a full connection counts only if useAxis is set.
  if (const auto* full = std::get_if<hdi::FullConnection>(&attr); full != nullptr && !full->useAxis) {
    Attrs used;
    for (const auto& [key, value] : attrs.all()) {
      if (key != Attr::axis) used.set(key, value);
    }
    return used;
  }
  return attrs;
}

}  // namespace nnrt::plugin
