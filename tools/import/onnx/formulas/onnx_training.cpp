// Optimizer steps and batch statistics: stateless training formulas.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

constexpr std::string_view kTraining = "ai.onnx.preview.training";

// After the rate and the step count, inputs are lists: tensors, gradients, states.
struct Lists {
  TensorId rate = 0, steps = 0;
  size_t count = 0, kinds = 0;

  size_t input(size_t kind, size_t i) const { return 2 + kind * count + i; }
};

Result<Lists> read_lists(Call& call, Formula& f, size_t kinds) {
  const size_t given = call.input_count();
  if (given < 2 + kinds || (given - 2) % kinds != 0)
    return damaged("The number of inputs (", given, ") is not 2 and a multiple of ", kinds, ".");
  Lists lists{f.input(0), f.cast(f.input(1), DType::f32), (given - 2) / kinds, kinds};
  return lists;
}

// Updates each tensor; outputs all tensors, then all states of each kind.
template <typename Step>
Result<Ids> for_each(Call& call, size_t kinds, const Step& step) {
  Formula f(call);
  NNRT_ASSIGN(const Lists lists, read_lists(call, f, kinds));
  List<Ids> made;
  for (size_t i = 0; i < lists.count; ++i) {
    Ids inputs;
    for (size_t kind = 0; kind < kinds; ++kind) inputs.push_back(f.input(lists.input(kind, i)));
    made.push_back(step(f, lists, inputs));
  }
  Ids results;
  for (size_t kind = 0; kind + 1 < kinds; ++kind) {
    for (const Ids& one : made) results.push_back(one[kind]);
  }
  return results;
}

// Adds the gradient of the L2 regularization.
TensorId regularized(Formula& f, TensorId x, TensorId gradient) {
  return f.add(gradient, f.mul(x, f.call().attributes.real("norm_coefficient", 0)));
}

Ids adagrad_step(Formula& f, const Lists& lists, const Ids& inputs) {
  const Attributes& attributes = f.call().attributes;
  const TensorId decayed = f.add(f.mul(lists.steps, attributes.real("decay_factor", 0)), 1.0);
  const TensorId rate = f.div(lists.rate, decayed), g = regularized(f, inputs[0], inputs[1]);
  const TensorId sum = f.add(inputs[2], f.mul(g, g));
  const TensorId root = f.add(f.sqrt(sum), attributes.real("epsilon", 1e-6f));
  return {f.sub(inputs[0], f.div(f.mul(g, rate), root)), sum};
}

// sqrt(1 - beta^T) / (1 - alpha^T) for T > 0.
TensorId corrected(Formula& f, const Lists& lists, double alpha, double beta) {
  const auto rest = [&](double base) {
    const TensorId power = f.emit(OH_NN_OPS_POW, {f.number(lists.steps, base), lists.steps});
    return f.sub(f.number(lists.steps, 1), power);
  };
  const TensorId factor = f.div(f.sqrt(rest(beta)), rest(alpha));
  const TensorId one = f.number(lists.steps, 1);
  return f.mul(lists.rate, f.where(f.less(f.number(lists.steps, 0), lists.steps), factor, one));
}

Ids adam_step(Formula& f, const Lists& lists, const Ids& inputs) {
  const Attributes& attributes = f.call().attributes;
  const double alpha = attributes.real("alpha", 0.9f), beta = attributes.real("beta", 0.999f);
  const TensorId g = regularized(f, inputs[0], inputs[1]);
  const TensorId mean = f.add(f.mul(inputs[2], alpha), f.mul(g, 1 - alpha));
  const TensorId square = f.add(f.mul(inputs[3], beta), f.mul(f.mul(g, g), 1 - beta));
  const TensorId root = f.add(f.sqrt(square), attributes.real("epsilon", 1e-6f));
  const TensorId x = f.sub(inputs[0], f.div(f.mul(mean, corrected(f, lists, alpha, beta)), root));
  return {f.mul(x, 1 - static_cast<double>(attributes.real("norm_coefficient_post", 0))), mean, square};
}

// In the first step the gradient is not damped.
Ids momentum_step(Formula& f, const Lists& lists, const Ids& inputs) {
  const Attributes& attributes = f.call().attributes;
  const TensorId g = regularized(f, inputs[0], inputs[1]), one = f.number(lists.steps, 1);
  const TensorId share = f.where(f.less(f.number(lists.steps, 0), lists.steps),
                                 f.number(lists.steps, attributes.real("beta", 1)), one);
  const double alpha = attributes.real("alpha", 0);
  const TensorId velocity = f.add(f.mul(inputs[2], alpha), f.mul(g, share));
  const bool nesterov = attributes.text("mode") == "nesterov";
  const TensorId direction = nesterov ? f.add(g, f.mul(velocity, alpha)) : velocity;
  return {f.sub(inputs[0], f.mul(direction, lists.rate)), velocity};
}

Result<Ids> adagrad(Call& call) { return for_each(call, 3, adagrad_step); }
Result<Ids> adam(Call& call) { return for_each(call, 4, adam_step); }
Result<Ids> momentum(Call& call) { return for_each(call, 3, momentum_step); }

}  // namespace

std::vector<Row> training_rows() {
  return {
      {"Adagrad", adagrad, {}, kNoQuantizedInputs, false, kTraining},
      {"Adam", adam, {}, kNoQuantizedInputs, false, kTraining},
      {"Momentum", momentum, {}, kNoQuantizedInputs, false, kTraining},
  };
}

}  // namespace nnrt::import::onnx
