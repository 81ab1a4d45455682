#include "nnapi/lower/operation_lowering.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "nnapi/lower/core_type.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

int64_t integer_of(DType dtype, ByteView bytes, size_t i) {
  switch (dtype) {
    case DType::boolean: return bytes.empty() || bytes[0] == std::byte{0} ? 0 : 1;
    case DType::u32: return element<uint32_t>(bytes, i);
    default: return element<int32_t>(bytes, i);
  }
}

}  // namespace

bool Lowering::has(size_t i) const { return i < input_count() && known_.is_there(operation_.inputs[i]); }

Value Lowering::in(size_t i) {
  if (i < input_count()) return known_.value(operation_.inputs[i]);
  fail(invalid("Input ", i, " is absent."));
}

KnownOperands::Contents Lowering::contents(size_t i) {
  if (!has(i)) fail(invalid("Input ", i, " is absent."));
  if (const auto contents = known_.contents(operation_.inputs[i])) return *contents;
  blocked_ = true;
  fail(invalid("The value of input ", i, " is not known."));
}

int64_t Lowering::integer(size_t i, std::optional<int64_t> fallback) {
  if (!has(i) && fallback) return *fallback;
  return integer_of(core_dtype(code(i)), contents(i).bytes, 0);
}

double Lowering::real(size_t i) {
  const ByteView bytes = contents(i).bytes;
  if (core_dtype(code(i)) == DType::f16) return double(to_float(element<Half>(bytes, 0)));
  return double(element<float>(bytes, 0));
}

std::vector<int64_t> Lowering::integers(size_t i) {
  const ByteView bytes = contents(i).bytes;
  std::vector<int64_t> values(bytes.size() / sizeof(int32_t));
  for (size_t k = 0; k < values.size(); ++k) values[k] = element<int32_t>(bytes, k);
  return values;
}

Bytes Lowering::client_bytes(size_t i) {
  const ByteView given = contents(i).bytes;
  const size_t count = given.size() / std::max<size_t>(size_of(core_dtype(code(i))), 1);
  Bytes bytes(count * element_bytes(code(i)));
  from_core(code(i), given.data(), bytes.data(), count);
  return bytes;
}

size_t Lowering::axis(size_t i, size_t rank, std::optional<int64_t> fallback) {
  const int64_t given = integer(i, fallback);
  const auto count = int64_t(rank);
  if (given >= -count && given < count) return size_t(given < 0 ? given + count : given);
  fail(invalid("Axis (", given, ") is outside [", -count, ", ", count, ")."));
}

void Lowering::require_indices(size_t i, int64_t limit) {
  if (i < input_count()) known_.require_indices(operation_.inputs[i], limit);
}

bool Lowering::require_regions(size_t regions, size_t images, RegionLimits limits) {
  if (std::max(regions, images) >= input_count()) return false;
  limits.regions = operation_.inputs[regions];
  limits.images = operation_.inputs[images];
  return known_.require_regions(limits);
}

ResultType Lowering::result_type(size_t i) const {
  const Operand& result = result_operand(i);
  return {core_dtype(result.type.code), core_quant(result), {}};
}

void Lowering::set(size_t i, Value value) {
  if (i < results_.size()) results_[i] = std::move(value);
}

LowerFunction find_lowering(int32_t code) {
  for (const auto rows : {elementwise_lowerings(), data_movement_lowerings(), block_lowerings(),
                          conv_lowerings(), normalization_lowerings(), reduction_lowerings(),
                          index_lowerings(), recurrent_lowerings(), detection_lowerings()}) {
    const auto found = std::ranges::find(rows, code, &LoweringRow::code);
    if (found != rows.end()) return found->lower;
  }
  return nullptr;
}

}  // namespace nnrt::nnapi
