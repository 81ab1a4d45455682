#include "tools/import/onnx/onnx_attributes.h"

#include "core/base/text.h"

#include <limits>

namespace nnrt::import::onnx {

const onnx_file::AttributeProto* Attributes::find(std::string_view name) const {
  for (const onnx_file::AttributeProto& attribute : node_->attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

int64_t Attributes::integer(std::string_view name, int64_t fallback) const {
  const auto* const found = find(name);
  return found != nullptr && found->has_i() ? found->i() : fallback;
}

int64_t Attributes::count(std::string_view name, int64_t fallback) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t value = integer(name, fallback);
  if (value < 0 || value > kMost)
    throw ConversionError(
        {Code::invalid_file, cat("Attribute ", name, " (", value, ") is outside [0, ", kMost, "].")});
  return value;
}

float Attributes::real(std::string_view name, float fallback) const {
  const auto* const found = find(name);
  return found != nullptr && found->has_f() ? found->f() : fallback;
}

std::string Attributes::text(std::string_view name, std::string_view fallback) const {
  const auto* const found = find(name);
  return found != nullptr && found->has_s() ? found->s() : std::string(fallback);
}

List<int64_t> Attributes::integers(std::string_view name) const {
  const auto* const found = find(name);
  if (found == nullptr) return {};
  return {found->ints().begin(), found->ints().end()};
}

List<float> Attributes::floats(std::string_view name) const {
  const auto* const found = find(name);
  if (found == nullptr) return {};
  return {found->floats().begin(), found->floats().end()};
}

List<std::string> Attributes::texts(std::string_view name) const {
  const auto* const found = find(name);
  if (found == nullptr) return {};
  return {found->strings().begin(), found->strings().end()};
}

const onnx_file::TensorProto* Attributes::tensor(std::string_view name) const {
  const auto* const found = find(name);
  return found != nullptr && found->has_t() ? &found->t() : nullptr;
}

const onnx_file::SparseTensor* Attributes::sparse_tensor(std::string_view name) const {
  const auto* const found = find(name);
  return found != nullptr && found->has_sparse_tensor() ? &found->sparse_tensor() : nullptr;
}

const onnx_file::GraphProto* Attributes::graph(std::string_view name) const {
  const auto* const found = find(name);
  return found != nullptr && found->has_g() ? &found->g() : nullptr;
}

}  // namespace nnrt::import::onnx
