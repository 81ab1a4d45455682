// Integer LSTMs: INT8 operands, INT16 state.
#include "core/schema/rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt {
namespace {

constexpr double kValueScale = 1.0 / 128, kStateScale = 1.0 / 2048;  // fixed by QUANTIZED_16BIT_LSTM

Status require_scale(const Tensor& tensor, std::string_view what) {
  const std::vector<double>& scales = tensor.quant.scales;
  if (scales.size() != 1 || !(float(scales[0]) > 0) || std::isinf(float(scales[0])))
    return invalid("The quantization of ", what, " has no scale, or not one that is positive.");
  const int32_t zero_point = tensor.quant.zero_points[0];
  if (zero_point >= INT8_MIN && zero_point <= INT8_MAX) return {};
  return invalid("Zero point of ", what, " (", zero_point, ") is outside [", INT8_MIN, ", ", INT8_MAX, "].");
}

Status require_quantization(const Tensor& tensor, double scale, std::string_view what) {
  NNRT_TRY(require_scale(tensor, what));
  if (float(tensor.quant.scales[0]) == float(scale) && tensor.quant.zero_points[0] == 0) return {};
  return invalid("Scale and zero point of ", what, " (", tensor.quant.scales[0], ", ",
                 tensor.quant.zero_points[0], ") are not ", scale, " and 0.");
}

// Inputs [first, last] have this shape.
Status require_shapes(const NodeView& node, size_t first, size_t last, const Shape& shape,
                      std::string_view what) {
  for (size_t i = first; i <= last; ++i) {
    NNRT_TRY(require_rank(node, i, shape.size(), shape.size()));
    const Shape given = node.shape(i).empty() ? Shape{1} : node.shape(i);
    if (compatible(given, shape)) continue;
    return invalid("Shape of ", describe_input(node, i), " ", to_string(given), " is not that of ", what, " ",
                   to_string(shape), ".");
  }
  return {};
}

std::vector<InputRow> operands(std::initializer_list<std::string_view> names, DType dtype) {
  std::vector<InputRow> rows;
  for (const std::string_view name : names) rows.push_back({.name = name, .dtypes = dtype});
  return rows;
}

std::vector<InputRow> all_of(std::initializer_list<std::vector<InputRow>> lists) {
  std::vector<InputRow> rows;
  for (const std::vector<InputRow>& list : lists) rows.insert(rows.end(), list.begin(), list.end());
  return rows;
}

OutputRow output(std::string_view name, DType dtype) {
  return {.name = name, .rule = DTypeRule::fixed, .dtypes = dtype};
}

// QUANTIZED_16BIT_LSTM: input, 4 + 4 weights, 4 biases, cx, hx.
Status check_16bit_lstm(const NodeView& node) {
  NNRT_TRY(require_quantization(node.input(0), kValueScale, "the input"));
  NNRT_TRY(require_quantization(node.input(14), kValueScale, "the hx"));
  NNRT_TRY(require_quantization(node.output(1), kValueScale, "the hy"));
  NNRT_TRY(require_quantization(node.input(13), kStateScale, "the cx"));
  NNRT_TRY(require_quantization(node.output(0), kStateScale, "the cy"));
  for (size_t i = 1; i <= 8; ++i) {
    NNRT_TRY(require_scale(node.input(i), describe_input(node, i)));
    if (node.input(i).quant != node.input(1).quant)
      return invalid("The weights differ in their quantization parameters.");
  }
  return {};
}

Result<Shapes> lstm_16bit_shape(const NodeView& node) {
  for (const size_t i : {0, 1, 5, 13, 14}) NNRT_TRY(require_rank(node, i, 2, 2));
  const int64_t batch = node.shape(0)[0], length = node.shape(0)[1], units = node.shape(5)[0];
  NNRT_TRY(require_shapes(node, 1, 4, {units, length}, "the input's weights"));
  NNRT_TRY(require_shapes(node, 5, 8, {units, units}, "the state's weights"));
  NNRT_TRY(require_shapes(node, 9, 12, {units}, "a bias"));
  NNRT_TRY(require_shapes(node, 13, 14, {batch, units}, "the state"));
  return Shapes{{batch, units}, {batch, units}};
}

OpSchema quantized_16bit_lstm() {
  return {.op = Op::quantized_16bit_lstm,
          .inputs =
              all_of({operands({"input", "wIi", "wIf", "wIc", "wIo", "wHi", "wHf", "wHc", "wHo"}, DType::i8),
                      operands({"bI", "bF", "bC", "bO"}, DType::i32), operands({"cx"}, DType::i16),
                      operands({"hx"}, DType::i8)}),
          .outputs = {output("cy", DType::i16), output("hy", DType::i8)},
          .infer = lstm_16bit_shape,
          .check = check_16bit_lstm};
}

// Input indices of QUANTIZED_LSTM.
constexpr size_t kInputs = 24;
enum : size_t {
  kInput,
  kWeights = 1,
  kRecurrent = 5,
  kPeephole = 9,
  kBias = 12,
  kProjection = 16,
  kProjectionBias = 17,
  kHx = 18,
  kCx = 19,
  kNorm = 20
};

std::span<const int64_t> omitted_list(const Attrs& attrs) {
  return attrs.has(Attr::omitted) ? attrs.integers(Attr::omitted) : std::span<const int64_t>();
}

class OmittedInputs {
 public:
  explicit OmittedInputs(const NodeView& node) {
    for (const int64_t i : omitted_list(node.attrs()))
      if (i >= 0 && i < int64_t(kInputs)) is_omitted_[size_t(i)] = true;
  }
  bool operator[](size_t input) const { return is_omitted_[input]; }

  // Returns whether all or none of [first, last] are present.
  bool agree(size_t first, size_t last) const {
    return std::all_of(&is_omitted_[first], &is_omitted_[last] + 1,
                       [&](bool omitted) { return omitted == is_omitted_[first]; });
  }

 private:
  bool is_omitted_[kInputs] = {};
};

Status check_omitted(const NodeView& node) {
  constexpr std::array<size_t, 12> kOptional = {1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23};
  for (const int64_t i : omitted_list(node.attrs())) {
    if (std::ranges::find(kOptional, size_t(i)) == kOptional.end())
      return invalid("Input ", i, " cannot be omitted.");
  }
  const OmittedInputs omitted(node);
  const bool coupled = omitted[kWeights];
  const char* const kGates = "Some, but not all, operands of the input gate are present.";
  if (omitted[kRecurrent] != coupled || (omitted[kBias] != coupled && !omitted[kBias]))
    return invalid(kGates);
  if (!omitted.agree(kPeephole + 1, kPeephole + 2) ||
      (!coupled && !omitted.agree(kPeephole, kPeephole + 1)) || (coupled && !omitted[kPeephole]))
    return invalid("Some, but not all, peephole weights are present.");
  if (!omitted.agree(kNorm + 1, kNorm + 3) || (!coupled && !omitted.agree(kNorm, kNorm + 1)) ||
      (coupled && !omitted[kNorm]))
    return invalid("Some, but not all, norm weights are present.");
  if (omitted[kProjection] && !omitted[kProjectionBias])
    return invalid("The projection has a bias, but no weights.");
  return {};
}

Status check_lstm_scales(const NodeView& node, const OmittedInputs& omitted) {
  for (size_t i = 0; i < kInputs; ++i) {
    const bool is_bias = node.dtype(i) == DType::i32;
    if (omitted[i] || is_bias) continue;
    NNRT_TRY(require_scale(node.input(i), describe_input(node, i)));
    if (i == kInput || i == kHx || node.input(i).quant.zero_points[0] == 0) continue;
    return invalid("Zero point of ", describe_input(node, i), " (", node.input(i).quant.zero_points[0],
                   ") is not 0.");
  }
  const double scale = node.input(kCx).quant.scales[0];
  constexpr int kMin = -15, kMax = -9;
  constexpr double kTolerance = 1e-3;  // scales in model files are rounded decimals
  const double exponent = std::log2(scale), nearest = std::round(exponent);
  if (nearest < kMin || nearest > kMax || std::abs(exponent - nearest) > kTolerance) {
    return invalid("Scale of the cx (", scale, ") is not a power of two from 2^", kMin, " to 2^", kMax, ".");
  }
  if (node.output(1).quant != node.input(kCx).quant)
    return invalid("The quantization parameters of cx and cy differ.");
  for (const size_t i : {0, 2}) {
    if (node.output(i).quant != node.input(kHx).quant)
      return invalid("The quantization parameters of hx and of output ", i, " differ.");
  }
  return {};
}

Status check_quantized_lstm(const NodeView& node) {
  NNRT_TRY(check_omitted(node));
  NNRT_TRY(check_lstm_scales(node, OmittedInputs(node)));
  const Attrs& attrs = node.attrs();
  for (const Attr attr : {Attr::gate_scales, Attr::hidden_scale}) {
    for (const double scale : attrs.floats(attr)) {
      if (!(scale > 0) || std::isinf(scale))
        return invalid("Scale (", scale, ") is not positive and finite.");
    }
  }
  for (const Attr attr : {Attr::cell_clip, Attr::proj_clip}) {
    if (!(attrs.real(attr) >= 0)) return invalid("Clip (", attrs.real(attr), ") is below 0.");
  }
  const int64_t zero_point = attrs.integer(Attr::hidden_zero_point);
  if (zero_point >= INT8_MIN && zero_point <= INT8_MAX) return {};
  return invalid("The hidden zero point (", zero_point, ") is outside [", INT8_MIN, ", ", INT8_MAX, "].");
}

Result<Shapes> quantized_lstm_shape(const NodeView& node) {
  const OmittedInputs omitted(node);
  for (const size_t i : {0, 2, 6, 18, 19}) NNRT_TRY(require_rank(node, i, 2, 2));
  const int64_t batch = node.shape(kInput)[0], length = node.shape(kInput)[1];
  const int64_t units = node.shape(kCx)[1], outputs = node.shape(kHx)[1];
  const auto check = [&](size_t first, size_t last, const Shape& shape, std::string_view what) -> Status {
    for (size_t i = first; i <= last; ++i) {
      if (omitted[i]) {
        NNRT_TRY(require_one_element(node, i));
      } else {
        NNRT_TRY(require_shapes(node, i, i, shape, what));
      }
    }
    return {};
  };
  NNRT_TRY(check(kWeights, kWeights + 3, {units, length}, "the input's weights"));
  NNRT_TRY(check(kRecurrent, kRecurrent + 3, {units, outputs}, "the state's weights"));
  NNRT_TRY(check(kPeephole, kBias + 3, {units}, "one number a unit"));
  NNRT_TRY(check(kProjection, kProjection, {outputs, units}, "the projection"));
  NNRT_TRY(check(kProjectionBias, kProjectionBias, {outputs}, "one number an output"));
  NNRT_TRY(check(kNorm, kNorm + 3, {units}, "one number a unit"));
  NNRT_TRY(require_dimension(node, kHx, 0, batch, "the batch"));
  NNRT_TRY(require_dimension(node, kCx, 0, batch, "the batch"));
  if (omitted[kProjection] && conflict(units, outputs)) {
    return invalid("The output (", outputs, ") is not as long as the cell (", units,
                   "), and there is no projection.");
  }
  return Shapes{{batch, outputs}, {batch, units}, {batch, outputs}};
}

OpSchema quantized_lstm() {
  ParamRow gates{Param::quantized_lstm_gate_scales, Attr::gate_scales, DType::f32, {4, 4}};
  ParamRow hidden{Param::quantized_lstm_hidden_scale, Attr::hidden_scale, DType::f32};
  return {.op = Op::quantized_lstm,
          .inputs = all_of(
              {operands({"input", "wIi", "wIf", "wIc", "wIo", "wHi", "wHf", "wHc", "wHo"}, DType::i8),
               operands({"wCi", "wCf", "wCo"}, DType::i16), operands({"bI", "bF", "bC", "bO"}, DType::i32),
               operands({"projection"}, DType::i8), operands({"projectionBias"}, DType::i32),
               operands({"hx"}, DType::i8), operands({"cx", "nI", "nF", "nC", "nO"}, DType::i16)}),
          .params = {real_param(Param::quantized_lstm_cell_clip, Attr::cell_clip, 0),
                     real_param(Param::quantized_lstm_proj_clip, Attr::proj_clip, 0), required(gates),
                     required(hidden),
                     integer_param(Param::quantized_lstm_hidden_zero_point, Attr::hidden_zero_point, 0),
                     integers_param(Param::quantized_lstm_omitted, Attr::omitted, {1, kInputs})},
          .outputs = {output("hy", DType::i8), output("cy", DType::i16), output("output", DType::i8)},
          .infer = quantized_lstm_shape,
          .check = check_quantized_lstm};
}

}  // namespace

std::vector<OpSchema> quantized_lstm_rows() { return {quantized_16bit_lstm(), quantized_lstm()}; }

}  // namespace nnrt
