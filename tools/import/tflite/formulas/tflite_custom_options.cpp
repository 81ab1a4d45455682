#include "tools/import/tflite/formulas/tflite_custom_options.h"

#include "core/base/counted.h"

#include <cmath>
#include <cstring>

namespace nnrt::import::tflite {
namespace {

// 0 if the number does not fit in 64 bits.
int64_t to_integer(const flexbuffers::Reference& number) {
  constexpr double kMax = 0x1p62;
  return number.IsFloat() && !(std::abs(number.AsDouble()) < kMax) ? 0 : number.AsInt64();
}

}  // namespace

CustomOptions CustomOptions::read(const Operator& op) {
  constexpr size_t kMaxBytes = 1 << 16;
  CustomOptions options;
  if (const auto* bytes = op.table().custom_options()) options.bytes_.assign(bytes->begin(), bytes->end());
  const size_t size = options.bytes_.size();
  options.bytes_.resize(size + 1);
  List<uint8_t> seen;
  if (size < 3 || size > kMaxBytes || !flexbuffers::VerifyBuffer(options.bytes_.data(), size, &seen))
    op.damaged("has damaged options");
  if (!flexbuffers::GetRoot(options.bytes_.data(), size).IsMap())
    op.damaged("has options that are not a map");
  return options;
}

int64_t CustomOptions::integer(const char* name) const { return to_integer(value(name)); }

// AsBool() would convert a float to an integer, which may be out of range.
bool CustomOptions::flag(const char* name) const {
  const auto number = value(name);
  return number.IsFloat() ? number.AsDouble() != 0 : number.AsBool();
}

List<int64_t> CustomOptions::integers(const char* name) const {
  const auto list = found(name);
  List<int64_t> values;
  const auto add_all = [&](const auto& vector) {
    for (size_t i = 0; i < vector.size(); ++i)
      values.push_back(vector[i].IsNumeric() ? to_integer(vector[i]) : 0);
  };
  if (list.IsTypedVector()) {
    add_all(list.AsTypedVector());
  } else if (list.IsFixedTypedVector()) {
    add_all(list.AsFixedTypedVector());
  } else if (list.IsUntypedVector()) {
    add_all(list.AsVector());
  }
  return values;
}

List<int32_t> structure_options(const Operator& op, size_t count) {
  const auto* bytes = op.table().custom_options();
  if (bytes == nullptr || bytes->size() < count * sizeof(int32_t))
    op.damaged("has options with fewer than ", counted(count, "number"));
  List<int32_t> values(count);
  std::memcpy(values.data(), bytes->data(), count * sizeof(int32_t));
  for (int32_t& value : values) value = flatbuffers::EndianScalar(value);
  return values;
}

}  // namespace nnrt::import::tflite
