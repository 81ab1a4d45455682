#include "api/model/graph_extensions.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace nnrt {
namespace {

constexpr std::string_view kInputDims = "InputDims", kDynamicDims = "DynamicDims";

std::string_view name_of(const OH_NN_Extension& extension) {
  return {extension.name, strnlen(extension.name, sizeof extension.name)};
}

using Numbers = std::vector<int32_t>;

// The value as INT32 elements; empty if no extension has the name.
Result<std::optional<Numbers>> find_numbers(std::span<const OH_NN_Extension> extensions,
                                            std::string_view name) {
  const auto found = std::ranges::find(extensions, name, name_of);
  if (found == extensions.end()) return std::optional<Numbers>();
  if (found->value == nullptr || found->valueSize == 0 || found->valueSize % sizeof(int32_t) != 0)
    return invalid("Extension ", name, " (", found->valueSize, " bytes) is not an array of INT32.");
  constexpr size_t kMaxBytes = size_t{1} << 20;
  if (found->valueSize > kMaxBytes)
    return invalid("Extension ", name, " has ", found->valueSize, " bytes, more than ", kMaxBytes, ".");
  Numbers numbers(found->valueSize / sizeof(int32_t));
  std::memcpy(numbers.data(), found->value, found->valueSize);
  return std::optional(std::move(numbers));
}

// DynamicDims lists combinations of lengths for the unknown dimensions. Any length is prepared on first use,
// so they are only checked.
Status check_lengths(const Numbers& shapes, const Numbers& lengths) {
  const auto unknown = size_t(std::ranges::count(shapes, int32_t(kUnknown)));
  if (unknown == 0) return invalid(kInputDims, " has no unknown dimension (-1) for ", kDynamicDims, ".");
  if (lengths.size() % unknown != 0)
    return invalid(kDynamicDims, " has ", lengths.size(), " elements, not a multiple of the ", unknown,
                   " unknown dimensions of ", kInputDims, ".");
  const auto wrong = std::ranges::find_if(lengths, [](int32_t length) { return length < 1; });
  if (wrong != lengths.end()) return invalid(kDynamicDims, " has a length (", *wrong, ") below 1.");
  return {};
}

Status set_input_shapes(const Numbers& shapes, mindspore::SourceGraph& graph) {
  size_t expected = 0;
  for (const uint32_t input : graph.inputs) expected += graph.tensors[input].dims.size();
  if (shapes.size() != expected)
    return invalid(kInputDims, " has ", shapes.size(), " elements, but the graph's inputs have ", expected,
                   " dimensions.");
  const auto wrong = std::ranges::find_if(shapes, [](int32_t length) { return length < 1 && length != -1; });
  if (wrong != shapes.end())
    return invalid(kInputDims, " has a dimension (", *wrong, ") that is not -1 or above 0.");
  auto next = shapes.begin();
  for (const uint32_t input : graph.inputs)
    for (int64_t& length : graph.tensors[input].dims) length = *next++;
  return {};
}

}  // namespace

Result<std::span<const OH_NN_Extension>> checked_extensions(const OH_NN_Extension* extensions, size_t count) {
  constexpr size_t kMaxExtensions = 200;
  if (count > kMaxExtensions)
    return invalid("The number of extensions (", count, ") exceeds ", kMaxExtensions, ".");
  if (count > 0 && extensions == nullptr) return invalid("The array of ", count, " extensions is null.");
  return std::span(extensions, count);
}

Status apply_extensions(std::span<const OH_NN_Extension> extensions, mindspore::SourceGraph& graph) {
  NNRT_ASSIGN(const std::optional<Numbers> shapes, find_numbers(extensions, kInputDims));
  NNRT_ASSIGN(const std::optional<Numbers> lengths, find_numbers(extensions, kDynamicDims));
  if (!shapes || !lengths) return {};
  NNRT_TRY(check_lengths(*shapes, *lengths));
  return set_input_shapes(*shapes, graph);
}

}  // namespace nnrt
