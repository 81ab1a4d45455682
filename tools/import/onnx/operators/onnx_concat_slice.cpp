// Operators that concatenate, split, slice or pad tensors.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

Result<Ids> concat(Call& call) {
  NNRT_ASSIGN(const Ids inputs, call.all_inputs());
  if (inputs.empty()) return damaged("Input 0 is absent.");
  const int64_t axis = call.attributes.integer("axis", 0);
  Ids parts;  // without empty parts, which exported shape arithmetic produces
  for (const TensorId id : inputs) {
    if (!std::ranges::count(call.shape(id), 0)) parts.push_back(id);
  }
  if (parts.empty()) parts = inputs;
  if (parts.size() == 1) return parts;
  return single(call.emit(OH_NN_OPS_CONCAT, parts, {int64_parameter(OH_NN_CONCAT_AXIS, axis)}));
}

// Equal part lengths; the last may be shorter.
List<int64_t> equal_parts(int64_t length, int64_t count) {
  const int64_t part = (length + count - 1) / count;
  List<int64_t> sizes(static_cast<size_t>(count), part);
  sizes.back() = length - part * (count - 1);
  return sizes;
}

// Dynamic part lengths, which must add up to the dimension's.
Result<Ids> split_by_sums(Call& call, TensorId x, TensorId given, int64_t axis) {
  const auto count = static_cast<int64_t>(call.wanted.size());
  if (call.rank(given) != 1 || (call.shape(given)[0] != count && call.shape(given)[0] != kUnknown))
    return damaged("The shape of the part lengths ", to_string(call.shape(given)), " is not [", count, "].");
  Formula f(call);
  const TensorId lengths = f.reshape(f.cast(given, DType::i64), {count});
  const TensorId ends = f.emit(extension(OH_NN_OPS_CUM_SUM), {lengths}), begins = f.sub(ends, lengths);
  const TensorId shape = f.cast(f.emit(OH_NN_OPS_SHAPE, {x}), DType::i64);
  const TensorId fits = f.equal(f.slice(ends, 0, count - 1, count), f.slice(shape, 0, axis, axis + 1));
  const TensorId checked = f.emit(OH_NN_OPS_ASSERT, {f.reshape(fits, {}), x});
  const int64_t rank = call.rank(x), others = ((int64_t{1} << rank) - 1) & ~(int64_t{1} << axis);
  const auto entry = [&](TensorId all, int64_t part) {
    Ids entries{f.slice(all, 0, part, part + 1)};
    const auto zeros = [&](int64_t number) {
      return f.integers(List<int64_t>(static_cast<size_t>(number), 0));
    };
    if (axis > 0) entries.insert(entries.begin(), zeros(axis));
    if (axis + 1 < rank) entries.push_back(zeros(rank - axis - 1));
    return f.concat(entries, 0);
  };
  Dims open = call.shape(x);
  open[static_cast<size_t>(axis)] = kUnknown;
  Ids parts;
  for (int64_t part = 0; part < count; ++part) {
    const TensorId ones = f.integers(List<int64_t>(static_cast<size_t>(rank), 1));
    parts.push_back(f.emit(OH_NN_OPS_STRIDED_SLICE, {checked, entry(begins, part), entry(ends, part), ones},
                           {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, others),
                            int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, others)},
                           {.shape = open}));
  }
  return parts;
}

Result<Ids> split(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), call.rank(x)));
  if (!call.attributes.has("split") && call.has(1)) {
    NNRT_ASSIGN(const TensorId given, call.plain_input(1));
    if (!call.emitter().known_integers(given)) return split_by_sums(call, x, given, axis);
  }
  NNRT_ASSIGN(List<int64_t> sizes, call.integers("split", 1));
  const size_t count = call.wanted.size();
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  if (sizes.empty() && length != kUnknown) sizes = equal_parts(length, static_cast<int64_t>(count));
  if (count == 1) return Ids{x};
  std::vector<Parameter> parameters{int64_parameter(OH_NN_SPLIT_AXIS, axis),
                                    int64_parameter(OH_NN_SPLIT_OUTPUT_NUM, static_cast<int64_t>(count))};
  if (!sizes.empty()) parameters.push_back(int64s_parameter(OH_NN_SPLIT_SIZE_SPLITS, sizes));
  return call.emitter().emit_many(OH_NN_OPS_SPLIT, {x}, std::move(parameters), {.count = count});
}

// The constant of a Pad: a float if the input is float or quantized, otherwise of its own dtype.
Result<Parameter> pad_value(Call& call, TensorId x) {
  constexpr OH_NN_TensorType kRole = OH_NN_PAD_CONSTANT_VALUE;
  if (!call.has(2)) return float_parameter(kRole, call.attributes.real("value", 0));
  NNRT_ASSIGN(const TensorId given, call.plain_input(2));
  const nnrt::Tensor& constant = call.emitter().tensor(given);
  if (!constant.is_constant()) return unsupported("Input 2 (", constant.name, ") is not a constant.");
  const DType dtype = call.emitter().dtype(x);
  const bool is_float_or_bool = kFloat.contains(dtype) || dtype == DType::boolean;
  const bool is_own = constant.dtype == dtype && !is_float_or_bool && call.emitter().tensor(x).quant.empty();
  if (is_own && constant.data->size() == size_of(dtype))
    return Parameter{
        kRole, static_cast<OH_NN_DataType>(dtype), {}, Bytes(constant.data->begin(), constant.data->end())};
  NNRT_ASSIGN(const List<double> values, call.numbers(2));
  return float_parameter(kRole, values.empty() ? 0.0f : static_cast<float>(values[0]));
}

Result<TensorId> padded(Call& call, TensorId x, TensorId paddings, Parameter value) {
  const std::string mode = call.attributes.text("mode", "constant");
  const Outputs open{.shape = Dims(static_cast<size_t>(call.rank(x)), kUnknown)};
  if (mode == "edge") return call.emit(OH_NN_OPS_PAD_EDGE, {x, paddings}, {}, open);
  if (mode == "wrap") return call.emit(OH_NN_OPS_PAD_WRAP, {x, paddings}, {}, open);
  if (mode != "constant" && mode != "reflect")
    return unsupported("Padding mode (", mode, ") is not supported.");
  return call.emit(OH_NN_OPS_PAD, {x, paddings},
                   {std::move(value), int32_parameter(OH_NN_PAD_PADDING_MODE, mode == "reflect" ? 1 : 0)},
                   open);
}

// Pads in PAD's layout, [rank, 2].
Result<TensorId> read_paddings(Call& call, int64_t rank) {
  constexpr int64_t kMaxPad = std::numeric_limits<int32_t>::max();
  Formula f(call);
  const bool is_attribute = call.attributes.has("pads");
  const TensorId given = is_attribute ? f.integers(call.attributes.integers("pads")) : f.input(1);
  for (const int64_t pad : call.emitter().known_integers(given).value_or(List<int64_t>())) {
    if (pad < -kMaxPad || pad > kMaxPad)
      return damaged("A pad (", pad, ") is outside [", -kMaxPad, ", ", kMaxPad, "].");
  }
  List<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (!is_attribute && call.has(3)) {
    NNRT_ASSIGN(axes, call.integers(3));
  }
  const auto count = static_cast<int64_t>(axes.size());
  if (!compatible(call.shape(given), {2 * count}))
    return damaged("The number of pads ", to_string(call.shape(given)), " is not twice the number of axes (",
                   count, ").");
  List<int64_t> places(static_cast<size_t>(2 * rank), 2 * count);  // 2 * count: a zero
  for (int64_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(const int64_t axis, call.axis(axes[static_cast<size_t>(i)], rank));
    places[static_cast<size_t>(2 * axis)] = i;
    places[static_cast<size_t>(2 * axis + 1)] = count + i;
  }
  const TensorId all = f.concat({f.reshape(f.cast(given, DType::i64), {2 * count}), f.integers({0})}, 0);
  return f.reshape(f.gather(all, f.integers(places), 0), {rank, 2});
}

// Pads in PAD's layout, as far as known, may not crop more elements than there are.
Status check_crop(const Dims& shape, const List<int64_t>& pads) {
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t before = pads[2 * d], after = pads[2 * d + 1];
    if (shape[d] != kUnknown && shape[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) < 0)
      return damaged("The pads (", before, " and ", after, ") crop more than dimension ", d, " (", shape[d],
                     ") has.");
  }
  return {};
}

// Crops by negative pads, which become 0.
TensorId cropped(Formula& f, TensorId x, TensorId& paddings) {
  const int64_t rank = f.rank(x);
  const TensorId before = f.reshape(f.slice(paddings, 1, 0, 1), {rank});
  const TensorId after = f.reshape(f.slice(paddings, 1, 1, 2), {rank});
  const TensorId zero = f.number(after, 0), whole = f.number(after, std::numeric_limits<int32_t>::max());
  const TensorId end = f.where(f.less(after, zero), after, whole);
  paddings = f.max(paddings, zero);
  return f.emit(OH_NN_OPS_STRIDED_SLICE,
                {x, f.max(f.neg(before), zero), end, f.integers(List<int64_t>(static_cast<size_t>(rank), 1))},
                {}, {.shape = Dims(static_cast<size_t>(rank), kUnknown)});
}

Result<Ids> pad(Call& call) {
  NNRT_ASSIGN(TensorId x, call.input(0));
  const int64_t rank = call.rank(x);
  NNRT_ASSIGN(Parameter value, pad_value(call, x));
  NNRT_ASSIGN(TensorId paddings, read_paddings(call, rank));
  const auto known = call.emitter().known_integers(paddings);
  if (known && std::ranges::all_of(*known, [](int64_t pad) { return pad == 0; })) return Ids{x};
  if (!known || std::ranges::any_of(*known, [](int64_t pad) { return pad < 0; })) {
    if (known) NNRT_TRY(check_crop(call.shape(x), *known));
    Formula f(call);
    x = cropped(f, x, paddings);
  }
  return single(padded(call, x, paddings, std::move(value)));
}

}  // namespace

std::vector<Row> concat_slice_rows() {
  return {
      {"Concat", concat, {}, kAllInputsQuantized},
      {"Pad", pad, {}, 1},
      {"Split", split},
  };
}

}  // namespace nnrt::import::onnx
