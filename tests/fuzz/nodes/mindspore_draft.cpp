#include "mindspore/lower/node_lowering.h"
#include "tests/fuzz/nodes/node_drafts.h"

#include <algorithm>

namespace nnrt::test {
namespace {

using namespace mindspore;

const std::vector<const LoweringRow*>& lowerings() {
  static const std::vector<const LoweringRow*> rows = [] {
    std::vector<const LoweringRow*> all;
    for (int number = 0; number < 256; ++number) {
      if (find_primitive(number) == nullptr) continue;
      if (const LoweringRow* row = find_lowering(PrimitiveType(number))) all.push_back(row);
    }
    return all;
  }();
  return rows;
}

FieldValue draw_field(Choices& choices, FieldType type) {
  const auto integer = [&] { return choices.integer(); };
  switch (type) {
    case FieldType::boolean: return int64_t(choices.below(2));
    case FieldType::enumeration8: return int64_t(choices.below(24));
    case FieldType::integer32:
    case FieldType::integer64: return integer();
    case FieldType::real: return choices.real();
    case FieldType::text: return choices.of<std::string>({"", "linear", "half_pixel", "int32", "sum"});
    case FieldType::integers32:
    case FieldType::integers64: return Integers(choices.list<int64_t>(integer));
    case FieldType::reals: return Reals(choices.list<float>([&] { return choices.real(); }));
    case FieldType::lists: {
      std::vector<Integers> lists(choices.below(5));
      for (Integers& list : lists) list = choices.list<int64_t>(integer);
      return lists;
    }
  }
  return {};
}

SourceTensor draw_tensor(Choices& choices, const Dims& usual, bool may_be_constant) {
  SourceTensor tensor;
  tensor.type_id = choices.of<int64_t>({kTypeFloat32, kTypeFloat32, kTypeFloat32, kTypeInt8 + 2, kTypeInt8,
                                        kTypeFloat16, kTypeInt64, kTypeBool, kTypeUInt8, kTypeFloat64, 0});
  const bool is_constant = may_be_constant && choices.one_in(2);
  tensor.dims = choices.one_in(3) ? Dims(choices.shape(!is_constant)) : usual;
  tensor.format = choices.below(2) == 0 ? kNhwc : kNchw;
  for (size_t i = choices.of<size_t>({0, 0, 0, 1, 2, 4}); i-- > 0;)
    tensor.quant.push_back({choices.real(), int32_t(choices.below(8)), 8, !choices.one_in(4)});
  if (!is_constant) return tensor;
  std::ranges::replace(tensor.dims, kUnknown, 1);
  const std::string bytes = small_elements(choices, tensor.dims, size_of(dtype_of(tensor.type_id)));
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  tensor.data = std::make_shared<const Bytes>(first, first + bytes.size());
  return tensor;
}

}  // namespace

SourceGraph draft_mindspore(Choices& choices) {
  const LoweringRow& row = *lowerings()[choices.below(lowerings().size())];
  SourceGraph graph;
  graph.version = {1, choices.of<int>({5, 1, 8}), 0};
  graph.is_from_builders = choices.one_in(8);
  SourceNode node;
  node.primitive.emplace(row.type);
  node.quant_type = int(choices.below(7));
  for (size_t id = 0; id < node.primitive->row().fields.size(); ++id)
    if (choices.one_in(2))
      node.primitive->set(id, draw_field(choices, node.primitive->row().fields[id].type));
  const Dims usual = choices.shape(true);
  const size_t most = row.max_inputs == mindspore::kMany ? 5 : size_t{row.max_inputs} + 1;
  const size_t count = choices.one_in(4) ? choices.below(most + 1) : row.min_inputs;
  for (size_t i = 0; i < count; ++i) {
    const bool is_repeated = !graph.tensors.empty() && choices.one_in(8);
    if (!is_repeated) graph.tensors.push_back(draw_tensor(choices, usual, true));
    const auto id = uint32_t(graph.tensors.size() - 1);
    node.inputs.push_back(id);
    if (!is_repeated && !graph.tensors[id].has_data() && !choices.one_in(16)) graph.inputs.push_back(id);
  }
  for (size_t i = choices.of<size_t>({1, 1, 2, 3, 0, 5}); i-- > 0;) {
    node.outputs.push_back(uint32_t(graph.tensors.size()));
    graph.outputs.push_back(node.outputs.back());
    graph.tensors.push_back(draw_tensor(choices, usual, false));
  }
  graph.nodes.push_back(std::move(node));
  return graph;
}

}  // namespace nnrt::test
