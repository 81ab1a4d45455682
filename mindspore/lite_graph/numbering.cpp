#include "mindspore/lite_graph/numbering.h"

#include "mindspore/lower/node_lowering.h"
#include "mindspore/v0/old_table.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

// Inputs of the old schema's common primitives, constants included.
struct OldForm {
  int number = 0;
  size_t min = 1, max = 1;
};
constexpr OldForm kOldForms[] = {
    {1, 1, 200},  {2, 1, 1},    {3, 1, 1},   {4, 2, 3},   {5, 5, 5},   {6, 3, 3},   {7, 2, 2},   {8, 1, 1},
    {10, 2, 3},   {11, 2, 3},   {12, 1, 2},  {13, 3, 3},  {14, 2, 3},  {15, 1, 2},  {16, 2, 3},  {17, 2, 3},
    {18, 1, 2},   {19, 2, 200}, {21, 2, 2},  {22, 2, 2},  {23, 2, 3},  {24, 1, 5},  {25, 1, 2},  {26, 1, 3},
    {27, 1, 200}, {28, 2, 2},   {29, 2, 2},  {30, 1, 2},  {31, 2, 2},  {32, 2, 2},  {33, 1, 2},  {34, 1, 1},
    {35, 1, 1},   {36, 1, 1},   {37, 1, 1},  {38, 2, 2},  {40, 1, 1},  {41, 1, 2},  {42, 1, 2},  {43, 1, 2},
    {44, 1, 1},   {45, 1, 1},   {46, 1, 1},  {47, 1, 1},  {48, 1, 2},  {49, 1, 1},  {51, 2, 2},  {52, 2, 2},
    {53, 2, 2},   {54, 2, 2},   {55, 2, 2},  {56, 2, 2},  {58, 1, 1},  {59, 1, 1},  {60, 1, 1},  {61, 1, 1},
    {62, 1, 1},   {63, 1, 1},   {64, 1, 1},  {66, 1, 1},  {70, 1, 1},  {71, 1, 2},  {72, 1, 1},  {73, 1, 1},
    {77, 1, 2},   {80, 1, 2},   {81, 1, 1},  {86, 2, 3},  {87, 2, 2},  {88, 1, 2},  {89, 1, 1},  {90, 1, 1},
    {93, 1, 1},   {96, 2, 2},   {97, 2, 2},  {98, 1, 1},  {99, 1, 1},  {101, 1, 2}, {103, 1, 1}, {107, 1, 1},
    {109, 1, 1},  {121, 2, 2},  {122, 1, 1}, {125, 2, 2}, {127, 3, 4}, {128, 6, 6}, {144, 1, 1}, {154, 1, 1},
    {172, 3, 3},  {173, 1, 1},  {174, 1, 3}, {204, 1, 1},
};

bool fits_old(const NodeForm& node) {
  if (!node.is_sound_if_old) return false;
  const auto found = std::ranges::find(kOldForms, node.number, &OldForm::number);
  return found != std::end(kOldForms) && node.inputs >= found->min && node.inputs <= found->max &&
         node.ids <= find_old_primitive(node.number)->fields.size();
}

bool fits_new(const NodeForm& node) {
  if (!node.is_sound_if_new) return false;
  const PrimitiveRow* primitive = find_primitive(node.number);
  if (primitive == nullptr || node.ids > primitive->fields.size()) return false;
  const LoweringRow* row = find_lowering(PrimitiveType(node.number));
  return row != nullptr && node.inputs >= row->min_inputs &&
         (row->max_inputs == kMany || node.inputs <= row->max_inputs);
}

}  // namespace

bool has_old_numbers(std::span<const NodeForm> nodes, bool is_old_version) {
  const auto old = std::ranges::count_if(nodes, fits_old), current = std::ranges::count_if(nodes, fits_new);
  return old > current || (old == current && is_old_version);
}

}  // namespace nnrt::mindspore
