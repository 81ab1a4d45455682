// LSTM. Gates stand in the same order in ONNX and OH_NN.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

struct Sizes {
  int64_t steps, batch, directions, hidden;
};

Status check_variant(Call& call) {
  const Attributes& attributes = call.attributes;
  if (attributes.has("clip")) return unsupported("An LSTM that clips is not supported.");
  if (attributes.integer("input_forget", 0) != 0)
    return unsupported("An LSTM that couples gates is not supported.");
  const std::vector<std::string> functions = attributes.texts("activations");
  constexpr std::string_view kDefault[] = {"Sigmoid", "Tanh", "Tanh"};
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i] != kDefault[i % 3])
      return unsupported("The activation (", functions[i], ") of an LSTM is not supported.");
  }
  if (call.has(7)) return unsupported("An LSTM with peepholes is not supported.");
  return {};
}

Status check_lengths(Call& call, int64_t steps) {
  if (!call.has(4)) return {};
  NNRT_ASSIGN(const std::vector<int64_t> lengths, call.integers(4));
  if (std::ranges::all_of(lengths, [&](int64_t length) { return length == steps; })) return {};
  return unsupported("Sequences of different lengths are not supported.");
}

// Zeros for [directions, batch, hidden], of which only a run may know the batch.
Result<TensorId> zero_state(Call& call, TensorId x, const Sizes& sizes) {
  Emitter& emitter = call.emitter();
  const DType dtype = emitter.dtype(x);
  const nnrt::Shape shape{sizes.directions, sizes.batch, sizes.hidden};
  if (sizes.batch != kUnknown) return emitter.filled(dtype, shape, 0);
  NNRT_ASSIGN(const TensorId dimensions, call.emit(OH_NN_OPS_SHAPE, {x}));
  NNRT_ASSIGN(const TensorId batch,
              call.emit(OH_NN_OPS_SLICE, {dimensions, emitter.integers({1}), emitter.integers({1})}));
  NNRT_ASSIGN(const TensorId wide, call.cast(batch, DType::i64));
  NNRT_ASSIGN(const TensorId all, call.emit(OH_NN_OPS_CONCAT, {emitter.integers({sizes.directions}), wide,
                                                               emitter.integers({sizes.hidden})}));
  return call.emit(OH_NN_OPS_FILL, {emitter.number(dtype, 0), all}, {}, {.shape = shape});
}

Result<TensorId> reversed(Call& call, TensorId x) {
  Emitter& emitter = call.emitter();
  const TensorId end = emitter.integers({std::numeric_limits<int32_t>::min()});
  return call.emit(OH_NN_OPS_STRIDED_SLICE, {x, emitter.integers({-1}), end, emitter.integers({-1})});
}

Result<TensorId> state(Call& call, size_t input, TensorId x, const Sizes& sizes, bool batch_first) {
  if (!call.has(input)) return zero_state(call, x, sizes);
  NNRT_ASSIGN(const TensorId given, call.input(input));
  if (!batch_first) return given;
  return call.transpose(given, {1, 0, 2});
}

// [S, B, D * H] to ONNX's [S, D, B, H], or [B, S, D, H].
Result<TensorId> as_output(Call& call, TensorId y, const Sizes& sizes, bool batch_first) {
  NNRT_ASSIGN(
      const TensorId parts,
      call.emit(OH_NN_OPS_RESHAPE, {y, call.emitter().integers({0, 0, sizes.directions, sizes.hidden})}));
  return call.transpose(parts,
                        batch_first ? std::vector<int64_t>{1, 0, 2, 3} : std::vector<int64_t>{0, 2, 1, 3});
}

Result<Ids> lstm(Call& call) {
  NNRT_TRY(check_variant(call));
  const std::string direction = call.attributes.text("direction", "forward");
  const bool batch_first = call.attributes.integer("layout", 0) != 0, backward = direction == "reverse";
  NNRT_ASSIGN(TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId w, call.input(1));
  NNRT_ASSIGN(const TensorId r, call.input(2));
  if (call.rank(x) != 3 || call.rank(w) != 3 || call.rank(r) != 3)
    return damaged("An input of the LSTM has not rank 3.");
  if (batch_first) {
    NNRT_ASSIGN(x, call.transpose(x, {1, 0, 2}));
  }
  const Sizes sizes{call.shape(x)[0], call.shape(x)[1], direction == "bidirectional" ? 2 : 1,
                    call.shape(r)[2]};
  if (sizes.hidden < 1 || sizes.hidden > std::numeric_limits<int32_t>::max() / 8)
    return damaged("The hidden size (", sizes.hidden, ") is not supported.");
  NNRT_TRY(check_lengths(call, sizes.steps));
  if (backward) {
    NNRT_ASSIGN(x, reversed(call, x));
  }
  NNRT_ASSIGN(const TensorId bias,
              call.has(3)
                  ? call.input(3)
                  : call.emitter().filled(call.emitter().dtype(x), {sizes.directions, 8 * sizes.hidden}, 0));
  NNRT_ASSIGN(const TensorId h, state(call, 5, x, sizes, batch_first));
  NNRT_ASSIGN(const TensorId c, state(call, 6, x, sizes, batch_first));
  NNRT_ASSIGN(Ids made,
              call.emitter().emit_many(OH_NN_OPS_LSTM, {x, w, r, bias, h, c},
                                       {bool_parameter(OH_NN_LSTM_BIDIRECTIONAL, sizes.directions == 2),
                                        bool_parameter(OH_NN_LSTM_HAS_BIAS, true)},
                                       {.count = 3}));
  if (backward) {
    NNRT_ASSIGN(made[0], reversed(call, made[0]));
  }
  if (call.wants(0)) {
    NNRT_ASSIGN(made[0], as_output(call, made[0], sizes, batch_first));
  }
  for (size_t i = 1; batch_first && i < 3; ++i) {
    NNRT_ASSIGN(made[i], call.transpose(made[i], {1, 0, 2}));
  }
  return made;
}

}  // namespace

std::vector<Row> recurrent_rows() { return {{"LSTM", lstm}}; }

}  // namespace nnrt::import::onnx
