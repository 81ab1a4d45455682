// Operators that join tensors, cut them, or add to their edges.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

Result<Ids> concat(Call& call) {
  NNRT_ASSIGN(const Ids inputs, call.all_inputs());
  if (inputs.empty()) return damaged("Input 0 is absent.");
  const int64_t axis = call.attributes.integer("axis", 0);
  Ids parts;  // those without elements, as exported shape arithmetic has them, add nothing
  for (const TensorId id : inputs) {
    if (!std::ranges::count(call.shape(id), 0)) parts.push_back(id);
  }
  if (parts.size() == 1) return parts;
  return single(call.emit(OH_NN_OPS_CONCAT, parts, {int64_parameter(OH_NN_CONCAT_AXIS, axis)}));
}

// Lengths of equal parts, of which the last may be shorter.
std::vector<int64_t> equal_parts(int64_t length, int64_t count) {
  const int64_t part = (length + count - 1) / count;
  std::vector<int64_t> sizes(static_cast<size_t>(count), part);
  sizes.back() = length - part * (count - 1);
  return sizes;
}

Result<Ids> split(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), call.rank(x)));
  NNRT_ASSIGN(std::vector<int64_t> sizes, call.integers("split", 1));
  const size_t count = call.wanted.size();
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (sizes.empty() && length != kUnknown) sizes = equal_parts(length, static_cast<int64_t>(count));
  if (std::ranges::count(sizes, 0) > 0) return unsupported("OH_NN has no tensors without elements.");
  if (count == 1) return Ids{x};
  std::vector<Parameter> parameters{int64_parameter(OH_NN_SPLIT_AXIS, axis),
                                    int64_parameter(OH_NN_SPLIT_OUTPUT_NUM, static_cast<int64_t>(count))};
  if (!sizes.empty()) parameters.push_back(int64s_parameter(OH_NN_SPLIT_SIZE_SPLITS, sizes));
  return call.emitter().emit_many(OH_NN_OPS_SPLIT, {x}, std::move(parameters), {.count = count});
}

struct Range {
  std::vector<int64_t> begin, end, step, axes;
};

Result<Range> read_range(Call& call, int64_t rank) {
  Range range;
  NNRT_ASSIGN(range.begin, call.integers("starts", 1));
  NNRT_ASSIGN(range.end, call.integers("ends", 2));
  NNRT_ASSIGN(range.axes, call.integers("axes", 3));
  if (call.has(4)) {
    NNRT_ASSIGN(range.step, call.integers(4));
  }
  const size_t count = range.begin.size();
  if (range.axes.empty()) {
    range.axes.resize(count);
    std::iota(range.axes.begin(), range.axes.end(), int64_t{0});
  }
  if (range.step.empty()) range.step.assign(count, 1);
  if (range.end.size() != count || range.axes.size() != count || range.step.size() != count)
    return damaged("Starts, ends, axes and steps differ in length.");
  for (int64_t& axis : range.axes) {
    NNRT_ASSIGN(axis, call.axis(axis, rank));
  }
  return range;
}

bool is_empty(int64_t begin, int64_t end, int64_t step, int64_t length) {
  if (length == kUnknown || step == 0) return false;
  const int64_t min = step > 0 ? 0 : -1, max = step > 0 ? length : length - 1;
  const int64_t from = std::clamp(begin < 0 ? begin + length : begin, min, max);
  const int64_t to = std::clamp(end < 0 ? end + length : end, min, max);
  return step > 0 ? from >= to : from <= to;
}

// A part of a shape may be without dimensions; anything else has elements in OH_NN.
Result<Ids> without_elements(Call& call, TensorId x) {
  if (call.rank(x) == 1 && call.emitter().known_integers(x))
    return Ids{call.emitter().constant(call.emitter().dtype(x), {0}, {})};
  return unsupported("OH_NN has no tensors without elements.");
}

Result<Ids> slice(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  const auto rank = static_cast<size_t>(call.rank(x));
  NNRT_ASSIGN(const Range range, read_range(call, call.rank(x)));
  std::vector<int64_t> begin(rank, 0), end(rank, 0), step(rank, 1);
  int64_t whole = (int64_t{1} << rank) - 1;  // dimensions whose begin and end are not looked at
  for (size_t i = 0; i < range.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(range.axes[i]);
    begin[axis] = range.begin[i];
    end[axis] = range.end[i];
    step[axis] = range.step[i];
    whole &= ~(int64_t{1} << axis);
  }
  if (whole == (int64_t{1} << rank) - 1) return Ids{x};
  for (size_t axis = 0; axis < rank; ++axis) {
    if ((whole >> axis & 1) == 0 && is_empty(begin[axis], end[axis], step[axis], call.shape(x)[axis]))
      return without_elements(call, x);
  }
  Emitter& emitter = call.emitter();
  return single(call.emit(OH_NN_OPS_STRIDED_SLICE,
                          {x, emitter.integers(begin), emitter.integers(end), emitter.integers(step)},
                          {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, whole),
                           int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, whole)}));
}

// [begins, ends] of all dimensions.
Result<std::vector<int64_t>> read_pads(Call& call, size_t rank) {
  NNRT_ASSIGN(const std::vector<int64_t> pads, call.integers("pads", 1));
  constexpr int64_t kMaxPad = std::numeric_limits<int32_t>::max();
  for (const int64_t pad : pads) {
    if (pad < -kMaxPad || pad > kMaxPad)
      return damaged("A pad (", pad, ") is outside [", -kMaxPad, ", ", kMaxPad, "].");
  }
  if (!call.has(3)) return pads;
  NNRT_ASSIGN(std::vector<int64_t> axes, call.integers(3));
  if (pads.size() != 2 * axes.size())
    return damaged("The number of pads (", pads.size(), ") is not twice that of axes.");
  std::vector<int64_t> all(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    NNRT_ASSIGN(const int64_t axis, call.axis(axes[i], static_cast<int64_t>(rank)));
    all[static_cast<size_t>(axis)] = pads[i];
    all[rank + static_cast<size_t>(axis)] = pads[axes.size() + i];
  }
  return all;
}

// Negative pads cut.
Result<TensorId> cropped(Call& call, TensorId x, std::vector<int64_t>& pads) {
  const size_t rank = pads.size() / 2;
  if (std::ranges::none_of(pads, [](int64_t pad) { return pad < 0; })) return x;
  std::vector<int64_t> begin(rank, 0), end(rank, std::numeric_limits<int32_t>::max());
  for (size_t d = 0; d < rank; ++d) {
    if (pads[d] < 0) begin[d] = -pads[d];
    if (pads[rank + d] < 0) end[d] = pads[rank + d];
  }
  for (int64_t& pad : pads) pad = std::max<int64_t>(pad, 0);
  Emitter& emitter = call.emitter();
  return call.emit(OH_NN_OPS_STRIDED_SLICE, {x, emitter.integers(begin), emitter.integers(end),
                                             emitter.integers(std::vector<int64_t>(rank, 1))});
}

// The constant of a Pad: a float where the input has these or quantized values, else of its own type.
Result<Parameter> pad_value(Call& call, TensorId x) {
  constexpr OH_NN_TensorType kRole = OH_NN_PAD_CONSTANT_VALUE;
  if (!call.has(2)) return float_parameter(kRole, call.attributes.real("value", 0));
  NNRT_ASSIGN(const TensorId given, call.plain_input(2));
  const nnrt::Tensor& constant = call.emitter().tensor(given);
  if (!constant.is_constant()) return unsupported("Input 2 (", constant.name, ") is not a constant.");
  const DType dtype = call.emitter().dtype(x);
  const bool is_own =
      constant.dtype == dtype && !kFloat.contains(dtype) && call.emitter().tensor(x).quant.empty();
  if (is_own && constant.data->size() == size_of(dtype))
    return Parameter{
        kRole, static_cast<OH_NN_DataType>(dtype), {}, Bytes(constant.data->begin(), constant.data->end())};
  NNRT_ASSIGN(const std::vector<double> values, call.numbers(2));
  return float_parameter(kRole, values.empty() ? 0.0f : static_cast<float>(values[0]));
}

Result<TensorId> padded(Call& call, TensorId x, TensorId paddings, Parameter value) {
  const std::string mode = call.attributes.text("mode", "constant");
  if (mode == "edge") return call.emit(OH_NN_OPS_PAD_EDGE, {x, paddings});
  if (mode == "wrap") return call.emit(OH_NN_OPS_PAD_WRAP, {x, paddings});
  if (mode != "constant" && mode != "reflect")
    return unsupported("Padding of mode (", mode, ") is not supported.");
  return call.emit(OH_NN_OPS_PAD, {x, paddings},
                   {std::move(value), int32_parameter(OH_NN_PAD_PADDING_MODE, mode == "reflect" ? 1 : 0)});
}

Result<Ids> pad(Call& call) {
  NNRT_ASSIGN(TensorId x, call.input(0));
  const auto rank = static_cast<size_t>(call.rank(x));
  NNRT_ASSIGN(std::vector<int64_t> pads, read_pads(call, rank));
  if (pads.size() != 2 * rank)
    return damaged("The number of pads (", pads.size(), ") is not twice the rank ", rank, ".");
  NNRT_ASSIGN(Parameter value, pad_value(call, x));
  NNRT_ASSIGN(x, cropped(call, x, pads));
  if (std::ranges::all_of(pads, [](int64_t amount) { return amount == 0; })) return Ids{x};
  std::vector<int64_t> pairs;
  for (size_t d = 0; d < rank; ++d) pairs.insert(pairs.end(), {pads[d], pads[rank + d]});
  NNRT_ASSIGN(const TensorId paddings,
              call.reshape(call.emitter().integers(pairs), {static_cast<int64_t>(rank), 2}));
  return single(padded(call, x, paddings, std::move(value)));
}

}  // namespace

std::vector<Row> concat_slice_rows() {
  return {
      {"Concat", concat, {}, kAllInputsQuantized},
      {"Pad", pad, {}, 1},
      {"Slice", slice, {}, 1},
      {"Split", split},
  };
}

}  // namespace nnrt::import::onnx
