// Loop and Scan, unrolled.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxRounds = 1024;

// A scan output with zero iterations: the body's result with an extra dimension of 0.
Result<TensorId> no_parts(Call& call, const onnx_file::ValueInfo& result, int64_t axis) {
  const auto& type = result.type().tensor_type();
  NNRT_ASSIGN(const DType dtype, stored_dtype_of(type.elem_type()));
  Dims shape;
  for (const onnx_file::Dimension& dimension : type.shape().dim()) {
    if (!dimension.has_dim_value() || dimension.dim_value() < 0)
      return unsupported("The shape of ", result.name(), ", which no iteration produces, is not known.");
    shape.push_back(dimension.dim_value());
  }
  if (!type.has_shape())
    return unsupported("The shape of ", result.name(), ", which no iteration produces, is not known.");
  NNRT_ASSIGN(axis, call.axis(axis, static_cast<int64_t>(shape.size()) + 1));
  shape.insert_at(static_cast<size_t>(axis), 0);
  return call.emitter().constant(dtype, std::move(shape), {});
}

// Stacks the equally shaped results of all iterations along a new dimension.
Result<TensorId> stacked(Call& call, const Ids& parts, const onnx_file::ValueInfo& result, int64_t axis) {
  if (parts.empty()) return no_parts(call, result, axis);
  NNRT_ASSIGN(axis, call.axis(axis, call.rank(parts[0]) + 1));
  Ids lines;
  for (const TensorId part : parts) {
    NNRT_ASSIGN(lines.emplace_back(), call.rank(part) == 0
                                          ? call.reshape(part, {1})
                                          : call.emit(OH_NN_OPS_UNSQUEEZE, {part},
                                                      {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {axis})}));
  }
  if (lines.size() == 1) return lines[0];
  return call.emit(OH_NN_OPS_CONCAT, lines, {int64_parameter(OH_NN_CONCAT_AXIS, axis)});
}

// Slices along a dimension, with the dimension removed.
Result<Ids> unstacked(Call& call, TensorId x, int64_t axis) {
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (length == kUnknown) return unsupported("The length of dimension ", axis, " is known only at run time.");
  if (length > kMaxRounds) return unsupported("More than ", kMaxRounds, " iterations are not supported.");
  Ids slices;
  for (int64_t i = 0; i < length; ++i) {
    NNRT_ASSIGN(slices.emplace_back(),
                call.emit(OH_NN_OPS_GATHER, {x, call.emitter().number(DType::i64, double(i)),
                                             call.emitter().integers({axis})}));
  }
  return slices;
}

// Loop-carried tensors, and the per-iteration results.
struct Rounds {
  Ids carried;
  List<Ids> added;

  Status take(const Ids& made, size_t first) {
    if (made.size() != first + carried.size() + added.size())
      return damaged("The body has ", made.size(), " outputs instead of ",
                     first + carried.size() + added.size(), ".");
    carried = made.from(first).before(carried.size());
    for (size_t i = 0; i < added.size(); ++i) added[i].push_back(made[first + carried.size() + i]);
    return {};
  }
};

Result<Rounds> rounds_of(Call& call, size_t first) {
  Rounds rounds;
  for (size_t i = first; i < call.input_count(); ++i) {
    NNRT_ASSIGN(rounds.carried.emplace_back(), call.plain_input(i));
  }
  return rounds;
}

// The maximum number of iterations.
Result<int64_t> trip_count(Call& call) {
  if (!call.has(0)) return kMaxRounds + 1;
  NNRT_ASSIGN(const TensorId id, call.plain_input(0));
  const auto known = call.emitter().known_integers(id);
  if (!known) return unsupported("The number of loop iterations is known only at run time.");
  if (known->size() != 1) return damaged("The number of iterations is not a scalar.");
  return known->front();
}

Result<bool> goes_on(Call& call, TensorId condition) {
  const std::optional<double> known = call.known_number(condition);
  if (!known) return unsupported("The loop condition is known only at run time.");
  return *known != 0;
}

Result<Ids> loop(Call& call) {
  NNRT_ASSIGN(const auto* const body, call.body("body"));
  NNRT_ASSIGN(const int64_t count, trip_count(call));
  NNRT_ASSIGN(Rounds rounds, rounds_of(call, 2));
  const size_t results = static_cast<size_t>(std::max(body->output_size(), 1)) - 1;
  if (results < rounds.carried.size())
    return damaged("The body has ", results, " results instead of ", rounds.carried.size(), " or more.");
  rounds.added.resize(results - rounds.carried.size());
  bool going = true;
  if (call.has(1)) {
    NNRT_ASSIGN(const TensorId condition, call.plain_input(1));
    NNRT_ASSIGN(going, goes_on(call, condition));
  }
  for (int64_t i = 0; going && i < count; ++i) {
    if (i == kMaxRounds) return unsupported("More than ", kMaxRounds, " iterations are not supported.");
    Emitter& emitter = call.emitter();
    NNRT_TRY(emitter.budget().check());
    Ids inputs{emitter.number(DType::i64, static_cast<double>(i)), emitter.number(DType::boolean, 1)};
    inputs.insert(inputs.end(), rounds.carried.begin(), rounds.carried.end());
    NNRT_ASSIGN(const Ids made, call.bodies->run_body(*body, inputs));
    NNRT_TRY(rounds.take(made, 1));
    NNRT_ASSIGN(going, goes_on(call, made[0]));
  }
  Ids made = rounds.carried;
  for (size_t i = 0; i < rounds.added.size(); ++i) {
    const bool wanted = call.wants(rounds.carried.size() + i);
    NNRT_ASSIGN(made.emplace_back(),
                wanted ? stacked(call, rounds.added[i],
                                 body->output(static_cast<int>(1 + rounds.carried.size() + i)), 0)
                       : Result<TensorId>(TensorId{}));
  }
  return made;
}

int64_t listed(const List<int64_t>& values, size_t i) { return i < values.size() ? values[i] : 0; }

// Unrolls a Scan over `sequences`, one slice of each per iteration.
Result<Ids> scan(Call& call, Rounds rounds, const List<Ids>& sequences) {
  NNRT_ASSIGN(const auto* const body, call.body("body"));
  const auto results = static_cast<size_t>(body->output_size());
  if (results < rounds.carried.size() || sequences.empty())
    return damaged("The body has ", results, " results, and the node ", sequences.size(), " sequences.");
  rounds.added.resize(results - rounds.carried.size());
  const size_t length = sequences[0].size();
  for (const Ids& sequence : sequences) {
    if (sequence.size() != length) return damaged("The sequences differ in length.");
  }
  for (size_t i = 0; i < length; ++i) {
    Ids inputs = rounds.carried;
    for (const Ids& sequence : sequences) inputs.push_back(sequence[i]);
    NNRT_ASSIGN(const Ids made, call.bodies->run_body(*body, inputs));
    NNRT_TRY(rounds.take(made, 0));
  }
  const List<int64_t> axes = call.attributes.integers("scan_output_axes"),
                      directions = call.attributes.integers("scan_output_directions");
  Ids made = rounds.carried;
  for (size_t i = 0; i < rounds.added.size(); ++i) {
    if (listed(directions, i) != 0) std::ranges::reverse(rounds.added[i]);
    NNRT_ASSIGN(made.emplace_back(),
                stacked(call, rounds.added[i], body->output(static_cast<int>(rounds.carried.size() + i)),
                        listed(axes, i)));
  }
  return made;
}

// The last inputs are sequences, the others are loop-carried.
Result<Ids> scan_sequences(Call& call, const Ids& inputs) {
  const int64_t given = call.attributes.integer("num_scan_inputs", 0);
  if (given < 1 || given > static_cast<int64_t>(inputs.size()))
    return damaged("The number of sequences (", given, ") is outside [1, ", inputs.size(), "].");
  const size_t count = static_cast<size_t>(given), first = inputs.size() - count;
  const bool is_old = call.attributes.has("directions");
  const List<int64_t> axes = call.attributes.integers("scan_input_axes"),
                      directions = call.attributes.integers(is_old ? "directions" : "scan_input_directions");
  List<Ids> sequences;
  for (size_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(const int64_t axis, call.axis(listed(axes, i), call.rank(inputs[first + i])));
    NNRT_ASSIGN(Ids slices, unstacked(call, inputs[first + i], axis));
    if (listed(directions, i) != 0) std::ranges::reverse(slices);
    sequences.push_back(std::move(slices));
  }
  return scan(call, {inputs.before(first), {}}, sequences);
}

// Before opset 9, each batch element is scanned separately.
Result<Ids> scan_batch(Call& call) {
  if (call.has(0)) return unsupported("Sequences of different lengths are not supported.");
  NNRT_ASSIGN(const Rounds inputs, rounds_of(call, 1));
  List<Ids> elements;  // per input
  for (const TensorId id : inputs.carried) {
    if (call.rank(id) == 0) return damaged("An input has no dimension.");
    NNRT_ASSIGN(elements.emplace_back(), unstacked(call, id, 0));
  }
  List<Ids> results;
  for (size_t i = 0; !elements.empty() && i < elements[0].size(); ++i) {
    Ids element;
    for (const Ids& one : elements) {
      if (one.size() != elements[0].size()) return damaged("The inputs have different batch sizes.");
      element.push_back(one[i]);
    }
    NNRT_ASSIGN(const Ids made, scan_sequences(call, element));
    results.resize(made.size());
    for (size_t k = 0; k < made.size(); ++k) results[k].push_back(made[k]);
  }
  Ids made;
  for (const Ids& result : results) {
    NNRT_ASSIGN(made.emplace_back(), stacked(call, result, {}, 0));
  }
  return made;
}

Result<Ids> scan_node(Call& call) {
  constexpr int64_t kWithoutBatch = 9;
  if (call.opset() < kWithoutBatch) return scan_batch(call);
  NNRT_ASSIGN(const Rounds inputs, rounds_of(call, 0));
  return scan_sequences(call, inputs.carried);
}

}  // namespace

std::vector<Row> control_flow_rows() {
  return {
      {.type = "Loop", .handler = loop, .required = 0},
      {"Scan", scan_node},
  };
}

}  // namespace nnrt::import::onnx
