#include "mindspore/lite_graph/numbering.h"

#include "mindspore/lower/node_lowering.h"
#include "mindspore/v0/old_schema.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

bool takes(const LoweringRow* row, size_t inputs, size_t attributes) {
  return row != nullptr && inputs + attributes >= row->min_inputs &&
         (row->max_inputs == kMany || inputs <= row->max_inputs);
}

bool fits_old(const NodeForm& node) {
  const auto today = node.is_sound_if_old ? primitive_today(node.number) : std::nullopt;
  return today && takes(find_lowering(today->type), node.inputs, today->attributes) &&
         node.ids <= find_old_primitive(node.number)->fields.size();
}

bool fits_new(const NodeForm& node) {
  if (!node.is_sound_if_new) return false;
  const PrimitiveRow* primitive = find_primitive(node.number);
  if (primitive == nullptr || node.ids > primitive->fields.size()) return false;
  return takes(find_lowering(PrimitiveType(node.number)), node.inputs, 0);
}

}  // namespace

bool has_old_numbers(std::span<const NodeForm> nodes, bool is_old_version) {
  const auto old = std::ranges::count_if(nodes, fits_old), current = std::ranges::count_if(nodes, fits_new);
  return old > current || (old == current && is_old_version);
}

}  // namespace nnrt::mindspore
