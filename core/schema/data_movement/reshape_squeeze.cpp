#include "core/base/text.h"
#include "core/schema/data_movement/data_movement.h"

#include <algorithm>

namespace nnrt::data_movement {
namespace {

// Returns whether zeros in the shape mean length 0: the input has no elements, and reading them as copied
// dimensions is impossible or would give a result with elements.
bool has_lengths_of_zero(const Shape& input, const std::vector<int64_t>& wanted) {
  const std::optional<int64_t> count = element_count(input);
  if (count.value_or(0) != 0 || wanted.empty() || std::ranges::min(wanted) != 0) return false;
  bool has_elements = true;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && i >= input.size()) return true;
    has_elements = has_elements && (wanted[i] != 0 || input[i] != 0);
  }
  return count && has_elements;
}

// Copied (0) dimensions are dropped from both sides, so that -1 can be inferred even if they are unknown.
Result<Shape> by_input_shape(const NodeView& node) {
  const Shape& input = node.shape(0);
  NNRT_ASSIGN(const std::vector<int64_t> wanted, known_list(node, 1));
  if (has_lengths_of_zero(input, wanted)) return Shape(wanted);
  Shape output = wanted;
  Shape rest_in = input;
  Shape rest_out;
  std::optional<size_t> open;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < -1) return invalid("Dimension (", wanted[i], ") of the shape is below -1.");
    if (wanted[i] == 0) {
      if (i >= input.size()) return invalid("The input has no dimension ", i, " for the 0 in the shape.");
      output[i] = input[i];
      rest_in[i] = 1;
    } else if (wanted[i] > 0) {
      rest_out.push_back(wanted[i]);
    } else if (open) {
      return invalid("The shape ", to_string(wanted), " has more than one -1.");
    } else {
      open = i;
    }
  }
  if (!open && element_count(input) == 0 && element_count(output) == 0) return output;
  const std::optional<int64_t> given = element_count(rest_out);
  if (!given) return invalid("The shape ", to_string(wanted), " is too large.");
  const std::optional<int64_t> cells = element_count(rest_in);
  if (!cells) return output;
  if (open ? *cells % *given != 0 : *cells != *given) {
    return invalid("Shapes ", to_string(input), " and ", to_string(wanted),
                   " have different numbers of elements.");
  }
  if (open) output[*open] = *cells / *given;
  return output;
}

Result<Shape> flattened(const NodeView& node) {
  const Shape input = at_least_1d(node.shape(0));
  NNRT_ASSIGN(const int64_t axis, [&]() -> Result<int64_t> {
    const int64_t rank = int64_t(input.size());
    const int64_t given = node.attrs().integer(Attr::axis);
    if (given < -rank || given > rank)
      return invalid("Axis (", given, ") is outside [", -rank, ", ", rank, "].");
    return given < 0 ? given + rank : given;
  }());
  const auto split = input.begin() + axis;
  return Shape{element_count(Shape(input.begin(), split)).value_or(kUnknown),
               element_count(Shape(split, input.end())).value_or(kUnknown)};
}

Result<Shape> squeezed(const NodeView& node) {
  const Shape& input = node.shape(0);
  const bool all = !node.attrs().has(Attr::axis);
  std::vector<bool> listed(std::max<size_t>(input.size(), 1), all);
  if (!all) {
    for (const int64_t given : node.attrs().integers(Attr::axis)) {
      NNRT_ASSIGN(const int64_t axis, normalize_axis(given, listed.size()));
      listed[size_t(axis)] = true;
    }
  }
  Shape output;
  for (size_t d = 0; d < input.size(); ++d) {
    if (listed[d] && input[d] < 0) {
      return invalid("Dimension ", d, " is dynamic; whether it is removed is not known.");
    }
    if (!listed[d] || input[d] != 1) output.push_back(input[d]);
  }
  return output;
}

// Inserts dimensions of length 1 at `positions` of the result.
Result<Shape> with_ones(const Shape& input, std::span<const int64_t> positions) {
  const size_t rank = input.size() + positions.size();
  std::vector<bool> is_new(rank);
  for (const int64_t given : positions) {
    NNRT_ASSIGN(const int64_t axis, normalize_axis(given, rank));
    if (is_new[size_t(axis)]) return invalid("Axis (", given, ") is repeated.");
    is_new[size_t(axis)] = true;
  }
  Shape output(rank, 1);
  for (size_t d = 0, from = 0; d < rank; ++d) {
    if (!is_new[d]) output[d] = input[from++];
  }
  return output;
}

}  // namespace

Result<Shape> reshaped(const NodeView& node) {
  switch (node.op()) {
    case Op::reshape: return by_input_shape(node);
    case Op::flatten: return flattened(node);
    case Op::squeeze: return squeezed(node);
    case Op::unsqueeze: return with_ones(node.shape(0), node.attrs().integers(Attr::axis));
    default: break;
  }
  NNRT_ASSIGN(const std::vector<int64_t> axis, known_list(node, 1));
  if (axis.size() != 1) return invalid("The axis has ", axis.size(), " elements, not 1.");
  return with_ones(node.shape(0), axis);
}

}  // namespace nnrt::data_movement
