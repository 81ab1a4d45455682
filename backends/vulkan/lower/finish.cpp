#include "backends/vulkan/lower/finish.h"

#include "backends/vulkan/lower/elementwise.h"
#include "core/schema.h"
#include "core/text.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nnrt::vulkan {
namespace {

// As math.glsl computes it.
float on_grid(float real, const Quant& quant) {
  if (!std::isfinite(real)) return real;
  const auto scale = float(quant.scales[0]);
  const auto zero_point = float(quant.zero_points[0]);
  const float code = std::round(std::clamp(real / scale, -1024.0f, 1024.0f));
  return scale * std::clamp(code, -128 - zero_point, 127 - zero_point);
}

// Collects steps in their order; each says whether it can come behind those before it.
class Steps {
 public:
  explicit Steps(const NodeView& node) : node_(node) {}

  bool unary(Op op, const Attrs& attrs) {
    if (op == Op::quant_dtype_cast) return round();
    if (limited_ != Op{}) return false;
    if (const std::optional<Limits> limits = limits_of(op, attrs)) {
      finish.limits = *limits;
      limited_ = op;
      limiting_ = attrs;
      return true;
    }
    if (finish.then != 0 || finish.added) return false;
    operate(op, attrs);
    return true;
  }

  bool binary(const FusedStep& step) {
    const bool is_sum = arithmetic_of(step.op, step.attrs) == Op::add;
    if (!is_sum || finish.added || !has_result_shape(*step.other)) return false;
    // What limits the sum is an operator like any other.
    if (limited_ != Op{} && finish.then != 0) return false;
    if (limited_ != Op{}) operate(limited_, limiting_);
    limited_ = Op{};
    finish.limits = {};
    finish.added = step.other;
    return true;
  }

  Finish finish;

 private:
  // It is the last one. What limits the sum limits what is rounded, at the roundings of the limits.
  bool round() {
    if (finish.then != 0 || finish.added) return false;
    const Quant& quant = node_.output(0).quant;
    finish.then = uint32_t(Op::quant_dtype_cast);
    finish.parameters = rounding_parameters(quant);
    finish.limits = {on_grid(finish.limits.low, quant), on_grid(finish.limits.high, quant)};
    return true;
  }

  void operate(Op op, const Attrs& attrs) {
    finish.then = uint32_t(op);
    finish.parameters = unary_parameters(op, attrs, DType::f32);
  }

  bool has_result_shape(uint32_t input) const {
    return node_.shape(input) == node_.output_shape() && node_.dtype(input) == DType::f32;
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
  Op limited_{};  // the last step, where it became the limits
  Attrs limiting_;
};

}  // namespace

Result<Finish> finish_of(const NodeView& node) {
  Steps steps(node);
  bool fits = true;
  if (const uint32_t activation = activation_of(node); activation != 0) {
    fits = steps.unary(activation == 1 ? Op::relu : Op::relu6, {});
  }
  for (const FusedStep& step : node.node().then) {
    fits = fits && (step.other ? steps.binary(step) : steps.unary(step.op, step.attrs));
  }
  if (!fits) return unsupported("The steps behind ", name(node.op()), " are more than its kernel computes.");
  return steps.finish;
}

FinishPush push_of(const Finish& finish) { return {finish.parameters, finish.limits}; }

std::string_view variant_for(const Finish& finish, std::string_view shader) {
  return finish.then == 0 ? shader : embedded_name(cat(shader, "_then"));
}

Placement placement_of(const LoweringContext& context, const Finish& finish, uint32_t columns) {
  const Buffer output = context.output();
  const auto joined = finish.added ? std::optional<Placement>() : context.sink.placement(output.id);
  return joined.value_or(Placement{output, 0, columns});
}

Buffer added_to(const LoweringContext& context, const Finish& finish, Buffer any) {
  return finish.added ? context.input(*finish.added) : any;
}

}  // namespace nnrt::vulkan
