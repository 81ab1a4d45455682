#include "backends/vulkan/lower/gemm/lower_epilogue.h"

#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "core/base/rounding.h"
#include "core/base/text.h"
#include "core/schema/geometry.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nnrt::vulkan {
namespace {

// The host's version of the rounding in float_math.glsl.
float on_grid(float real, const Quant& quant) {
  if (!std::isfinite(real)) return real;
  const auto scale = float(quant.scales[0]);
  const auto zero_point = float(quant.zero_points[0]);
  const double code = rounded_quotient(std::clamp(real / scale, -1024.0f, 1024.0f), quant.ties_to_even);
  return scale * std::clamp(float(code), -128 - zero_point, 127 - zero_point);
}

// Collects the steps in order. Each call returns whether the step fits behind the previous ones.
class Steps {
 public:
  explicit Steps(const NodeView& node) : node_(node) {}

  bool unary(Op op, const Attrs& attrs) {
    if (op == Op::quant_dtype_cast) return round();
    if (limited_ != Op{}) return false;
    if (const std::optional<Limits> limits = limits_of(op, attrs)) {
      epilogue.limits = *limits;
      limited_ = op;
      limiting_ = attrs;
      return true;
    }
    if (epilogue.post_op != 0 || epilogue.added) return false;
    operate(op, attrs);
    return true;
  }

  bool binary(const PostOp& step) {
    if (arithmetic_of(step.op, step.attrs) != Op::add || epilogue.added) return false;
    if (is_first() && is_bias(*step.other)) {
      epilogue.bias = step.other;
      return true;
    }
    if (!has_result_shape(*step.other)) return false;
    // A limit before the addition becomes the post-op, if that is still free.
    if (limited_ != Op{} && epilogue.post_op != 0) return false;
    if (limited_ != Op{}) operate(limited_, limiting_);
    limited_ = Op{};
    epilogue.limits = {};
    epilogue.added = step.other;
    return true;
  }

  Epilogue epilogue;

 private:
  // Must be the last step. The limits are rounded too, because they now apply to rounded values.
  bool round() {
    if (epilogue.post_op != 0 || epilogue.added) return false;
    const Quant& quant = node_.output(0).quant;
    epilogue.post_op = uint32_t(Op::quant_dtype_cast);
    epilogue.parameters = rounding_parameters(quant);
    epilogue.limits = {on_grid(epilogue.limits.low, quant), on_grid(epilogue.limits.high, quant)};
    return true;
  }

  void operate(Op op, const Attrs& attrs) {
    epilogue.post_op = unary_number(op, attrs);
    epilogue.parameters = unary_parameters(op, attrs, DType::f32);
  }

  bool is_first() const { return limited_ == Op{} && epilogue.post_op == 0 && !epilogue.bias; }

  // A bias as exporters write it for MATMUL. Other GEMMs and convolutions have a bias input.
  bool is_bias(uint32_t input) const {
    const Shape& shape = node_.shape(input);
    const bool is_row = !shape.empty() && shape.back() == with_dimension(node_.output_shape()).back() &&
                        element_count(shape) == shape.back();
    return node_.op() == Op::matmul && is_row && node_.input(input).is_constant();
  }

  bool has_result_shape(uint32_t input) const {
    return node_.shape(input) == node_.output_shape() && kFloat.contains(node_.dtype(input));
  }

  static std::optional<Limits> limits_of(Op op, const Attrs& attrs) {
    if (op == Op::relu) return Limits{.low = 0};
    if (op == Op::relu6) return Limits{0, 6};
    if (op != Op::clip) return {};
    const auto parameters = std::bit_cast<std::array<float, 2>>(unary_parameters(op, attrs, DType::f32));
    if (!(parameters[0] <= parameters[1])) return {};
    return Limits{parameters[0], parameters[1]};
  }

  const NodeView& node_;
  Op limited_{};  // the last step, if it became the limits
  Attrs limiting_;
};

}  // namespace

Result<Epilogue> epilogue_of(const NodeView& node) {
  Steps steps(node);
  bool fits = true;
  if (const uint32_t activation = activation_of(node); activation != 0) {
    fits = steps.unary(activation == 1 ? Op::relu : Op::relu6, {});
  }
  for (const PostOp& step : node.node().post_ops) {
    fits = fits && (step.other ? steps.binary(step) : steps.unary(step.op, step.attrs));
  }
  if (!fits) return unsupported("The steps behind ", name(node.op()), " are not supported by its kernel.");
  return steps.epilogue;
}

EpiloguePush push_of(const Epilogue& epilogue) { return {epilogue.parameters, epilogue.limits}; }

std::string_view variant_for(const Epilogue& epilogue, std::string_view shader) {
  return epilogue.post_op == 0 ? shader : embedded_name(cat(shader, "_postop"));
}

ConcatSlice output_slice_of(const LoweringContext& context, const Epilogue& epilogue, uint32_t columns) {
  const Buffer output = context.output();
  const auto concatenated =
      epilogue.added ? std::optional<ConcatSlice>() : context.sink.concat_slice(output.id);
  return concatenated.value_or(ConcatSlice{output, 0, columns});
}

Buffer added_to(const LoweringContext& context, const Epilogue& epilogue, Buffer any) {
  return epilogue.added ? context.input(*epilogue.added) : any;
}

}  // namespace nnrt::vulkan
