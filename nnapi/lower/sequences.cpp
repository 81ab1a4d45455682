#include "nnapi/lower/sequences.h"

#include "core/base/text.h"
#include "nnapi/lower/compose.h"

#include <algorithm>

namespace nnrt::nnapi {

void set_float(Lowering& op, size_t i, const Value& value) {
  if (i < op.output_count()) op.set(i, cast(op.graph, value, op.result_type(i).dtype));
}

Steps steps_of(Lowering& op, size_t input, bool is_time_major) {
  Value x = cast(op.graph, op.in(input), DType::f32);
  if (x.rank() != 3) op.fail(invalid("The rank of a sequence (", x.rank(), ") is not 3."));
  if (!is_time_major) x = transpose(op.graph, x, {1, 0, 2});
  const int64_t count = x.dim(0), batch = x.dim(1);
  return {reshape(op.graph, x, {count * batch, x.dim(2)}), count, batch};
}

Value ordered(GraphWriter& graph, const Value& outputs, bool is_time_major) {
  return is_time_major ? outputs : transpose(graph, outputs, {1, 0, 2});
}

Auxiliary auxiliary_of(Lowering& op, size_t input, const std::vector<size_t>& weights, bool is_time_major) {
  if (!op.has(input)) return {};
  const Value rows = steps_of(op, input, is_time_major).rows;
  const bool has_weights = std::ranges::any_of(weights, [&](size_t i) { return op.has(i); });
  if (has_weights) return {.added = rows, .instead = {}};
  return {.added = {}, .instead = rows};
}

void set_directions(Lowering& op, const Directions& outputs, bool merges, const std::vector<Value>& states) {
  size_t next = 0;
  if (merges) {
    set_float(op, next++, concat(op.graph, {outputs.forward, outputs.backward}, 2));
  } else {
    set_float(op, next++, outputs.forward);
    set_float(op, next++, outputs.backward);
  }
  for (const Value& state : states) set_float(op, next++, state);
}

}  // namespace nnrt::nnapi
