#include "nnapi/plan/constant_value.h"

#include "core/base/text.h"
#include "nnapi/lower/core_type.h"

#include <cstring>

namespace nnrt::nnapi {

Result<HostValue> constant_value(const Operand& operand, const RunState& state) {
  if (operand.source == Source::omitted) return HostValue{.omitted = true, .shape = {}, .view = {}};
  if (operand.source != Source::constant) return invalid("An operand has no value.");
  const SharedBytes bytes = core_bytes(operand);
  NNRT_ASSIGN(auto memory, state.buffers->take(bytes->size()));
  std::memcpy(memory->data(), bytes->data(), bytes->size());
  const Shape shape = core_shape(operand.type.dimensions);
  return HostValue{false, shape, {std::move(memory), 0, bytes->size(), shape}};
}

}  // namespace nnrt::nnapi
