#include "tools/import/mindspore/quantizer/ms_int8_writer.h"

#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"

#include <algorithm>

namespace nnrt::import::mindspore {

using namespace nnrt::mindspore;

namespace {

QuantEntry entry_of(float scale, int32_t zero_point, int32_t bits) {
  return {.scale = double(scale), .zero_point = zero_point, .bits = bits, .inited = true};
}

std::vector<QuantEntry> entries_of(const std::vector<float>& scales, int32_t bits) {
  std::vector<QuantEntry> entries;
  for (const float scale : scales) entries.push_back(entry_of(scale, 0, bits));
  return entries;
}

}  // namespace

Int8Writer::Int8Writer(const FloatModel& model, const QuantizationPlan& plan, CodingOf coding_of)
    : model_(model), plan_(plan), coding_of_(std::move(coding_of)), written_(model.graph()) {
  for (const QuantizableNode& node : plan.nodes) by_position_.emplace(node.position, &node);
  for (const SourceNode& node : written_.nodes)
    for (const uint32_t id : node.inputs) ++readers_[id];
  for (const uint32_t id : written_.outputs) ++readers_[id];
  find_float_uses();
  choose_tensors();
}

// Model inputs and outputs, and values that unchanged nodes read or write.
void Int8Writer::find_float_uses() {
  const auto add = [&](const std::vector<uint32_t>& ids) { float_uses_.insert(ids.begin(), ids.end()); };
  add(written_.inputs);
  add(written_.outputs);
  for (size_t i = 0; i < written_.nodes.size(); ++i) {
    if (by_position_.contains(static_cast<int>(i))) continue;
    add(written_.nodes[i].inputs);
    add(written_.nodes[i].outputs);
  }
}

// A tensor not needed as float becomes the quantized one, keeping name and number.
void Int8Writer::choose_tensors() {
  const auto count = static_cast<uint32_t>(written_.tensors.size());
  for (uint32_t id = 0; id < count; ++id) {
    if (!plan_.sources.contains(value_name(id))) continue;
    const uint32_t made = float_uses_.contains(id) ? add_copy(id, "_int8") : id;
    set_coding(made, coding_of(id));
    quantized_.emplace(id, made);
  }
}

uint32_t Int8Writer::add_copy(uint32_t id, const std::string& suffix) {
  SourceTensor copy = written_.tensors[id];
  copy.name += suffix;
  written_.tensors.push_back(std::move(copy));
  return static_cast<uint32_t>(written_.tensors.size() - 1);
}

void Int8Writer::set_coding(uint32_t id, const Int8Coding& coding) {
  written_.tensors[id].type_id = kTypeInt8;
  written_.tensors[id].quant = {entry_of(coding.scale, coding.zero_point, 8)};
}

void Int8Writer::write_conversion(uint32_t from, uint32_t to) {
  SourceNode node;
  node.primitive.emplace(PrimitiveType::quant_dtype_cast);
  node.primitive->set("src_t", written_.tensors[from].type_id);
  node.primitive->set("dst_t", written_.tensors[to].type_id);
  node.name = cat(node.primitive->row().name, "-", nodes_.size());
  node.inputs = {from};
  node.outputs = {to};
  node.quant_type = kQuantAll;
  nodes_.push_back(std::move(node));
}

template <typename T>
uint32_t Int8Writer::replace_constant(uint32_t id, const std::vector<T>& values) {
  const uint32_t made = readers_[id] == 1 ? id : add_copy(id, "_int8");
  const auto bytes = std::as_bytes(std::span(values));
  SourceTensor& tensor = written_.tensors[made];
  tensor.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  tensor.type_id = type_id_of(sizeof(T) == 1 ? DType::i8 : DType::i32);
  return made;
}

void Int8Writer::write_weights(SourceNode& written, float input_scale) {
  const bool has_bias = written.inputs.size() > kBias;
  const std::vector<float> bias =
      has_bias ? model_.floats(written.inputs[kBias]).values : std::vector<float>();
  const CodedConstant coded =
      coded_weights(model_.floats(written.inputs[kWeights]), channel_axis(written), bias, input_scale);
  written.inputs[kWeights] = replace_constant(written.inputs[kWeights], coded.values);
  written_.tensors[written.inputs[kWeights]].quant = entries_of(coded.scales, 8);
  if (!has_bias) return;
  std::vector<float> scales = coded.scales;
  for (float& scale : scales) scale *= input_scale;
  written.inputs[kBias] =
      replace_constant(written.inputs[kBias], coded_bias(bias, coded.scales, input_scale));
  written_.tensors[written.inputs[kBias]].quant = entries_of(scales, 32);
}

// The INT8 operand, with the result's coding if the primitive requires a single one.
uint32_t Int8Writer::write_operand(const Int8Primitive& form, const QuantizableNode& node, uint32_t id) {
  const Int8Coding result = coding_of(*tensor_of(node.result, model_.graph().tensors.size()));
  if (model_.is_constant(id)) {
    const FloatConstant constant = model_.floats(id);
    const Int8Coding coding = form.has_one_scale ? result : import::coding_of(constant.values);
    const uint32_t made = replace_constant(id, coded_values(constant.values, coding));
    set_coding(made, coding);
    return made;
  }
  const uint32_t given = quantized_.at(id);
  if (!form.has_one_scale || coding_of(id) == result) return given;
  const uint32_t made = add_copy(given, "_requantized");
  set_coding(made, result);
  write_conversion(given, made);
  return made;
}

void Int8Writer::write_quantized(const QuantizableNode& node, SourceNode& written) {
  const Int8Primitive form = *int8_form(written);
  written.quant_type = kQuantAll;
  if (form.kind == NodeKind::weighted) write_weights(written, coding_of(written.inputs[0]).scale);
  for (size_t i = 0; i < node.input_count; ++i)
    written.inputs[i] = write_operand(form, node, written.inputs[i]);
  written.outputs[0] = quantized_.at(written.outputs[0]);
}

void Int8Writer::write_node(size_t position) {
  SourceNode written = written_.nodes[position];
  const std::vector<uint32_t> results = written.outputs;
  const auto node = by_position_.find(static_cast<int>(position));
  const bool computes_on_int8 = node != by_position_.end();
  if (computes_on_int8) write_quantized(*node->second, written);
  nodes_.push_back(std::move(written));
  for (const uint32_t result : results) {
    const auto quantized = quantized_.find(result);
    if (quantized == quantized_.end() || quantized->second == result) continue;
    if (computes_on_int8) {
      write_conversion(quantized->second, result);
    } else {
      write_conversion(result, quantized->second);
    }
  }
}

// Tensor numbers stay; float constants replaced by INT8 are cleared.
void Int8Writer::clear_unread_constants() {
  std::unordered_set<uint32_t> used(written_.outputs.begin(), written_.outputs.end());
  for (const SourceNode& node : written_.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  for (uint32_t id = 0; id < written_.tensors.size(); ++id)
    if (!used.contains(id)) written_.tensors[id].data = nullptr;
}

SourceGraph Int8Writer::write() && {
  for (const uint32_t input : written_.inputs)
    if (const auto found = quantized_.find(input); found != quantized_.end())
      write_conversion(input, found->second);
  for (size_t i = 0; i < model_.graph().nodes.size(); ++i) write_node(i);
  written_.nodes = std::move(nodes_);
  clear_unread_constants();
  return std::move(written_);
}

}  // namespace nnrt::import::mindspore
