#include "tools/import/mindspore/quantizer/ms_int8_writer.h"

#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"

#include <algorithm>
#include <unordered_set>

namespace nnrt::import::mindspore {

using namespace nnrt::mindspore;

namespace {

QuantEntry entry_of(float scale, int32_t zero_point, int32_t bits) {
  return {.scale = double(scale), .zero_point = zero_point, .bits = bits, .inited = true};
}

// Trailing optional inputs are omitted.
std::vector<uint32_t> numbers_of(const Int8File::Tensors& tensors) {
  std::vector<uint32_t> numbers;
  for (const auto& tensor : tensors) numbers.push_back(static_cast<uint32_t>(*tensor));
  return numbers;
}

}  // namespace

size_t Int8Writer::copy(size_t id, const std::string& suffix) {
  SourceTensor copy = written_.tensors[id];
  copy.name += suffix;
  written_.tensors.push_back(std::move(copy));
  return written_.tensors.size() - 1;
}

void Int8Writer::set_coding(size_t id, const Int8Coding& coding) {
  written_.tensors[id].type_id = kTypeInt8;
  written_.tensors[id].quant = {entry_of(coding.scale, coding.zero_point, 8)};
}

void Int8Writer::set_constant(size_t id, const CodedTensor& coded) {
  SourceTensor& tensor = written_.tensors[id];
  tensor.data = std::make_shared<const Bytes>(coded.data.begin(), coded.data.end());
  tensor.type_id = type_id_of(coded.is_bias ? DType::i32 : DType::i8);
  tensor.quant.clear();
  for (const float scale : coded.scales)
    tensor.quant.push_back(entry_of(scale, coded.zero_point, coded.is_bias ? 32 : 8));
}

void Int8Writer::add_conversion(size_t from, size_t to) {
  SourceNode node;
  node.primitive.emplace(PrimitiveType::quant_dtype_cast);
  node.primitive->set("src_t", written_.tensors[from].type_id);
  node.primitive->set("dst_t", written_.tensors[to].type_id);
  node.name = cat(node.primitive->row().name, "-", nodes_.size());
  node.inputs = {static_cast<uint32_t>(from)};
  node.outputs = {static_cast<uint32_t>(to)};
  node.quant_type = kQuantAll;
  nodes_.push_back(std::move(node));
}

void Int8Writer::add_node(size_t position, const Tensors& inputs, const Tensors& outputs, bool is_quantized) {
  SourceNode node = written_.nodes[position];
  node.inputs = numbers_of(inputs);
  node.outputs = numbers_of(outputs);
  if (is_quantized) node.quant_type = kQuantAll;
  nodes_.push_back(std::move(node));
}

// Tensor numbers stay; float constants replaced by INT8 are cleared.
void Int8Writer::clear_unread_constants() {
  std::unordered_set<uint32_t> used(written_.outputs.begin(), written_.outputs.end());
  for (const SourceNode& node : written_.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  for (uint32_t id = 0; id < written_.tensors.size(); ++id)
    if (!used.contains(id)) written_.tensors[id].data = nullptr;
}

SourceGraph Int8Writer::finish() && {
  written_.nodes = std::move(nodes_);
  clear_unread_constants();
  return std::move(written_);
}

}  // namespace nnrt::import::mindspore
