// Classification losses.
#include "tools/import/onnx/onnx_formula.h"

#include <numeric>

namespace nnrt::import::onnx {
namespace {

// [1, classes, 1, ...], to broadcast a per-class tensor to this rank.
Dims beside_classes(int64_t classes, int64_t rank) {
  Dims shape(static_cast<size_t>(rank), 1);
  if (rank >= 2) shape[1] = classes;  // after an error, a formula has rank 0
  return shape;
}

// True where an element belongs to the target's class, unless that class is ignored.
TensorId chosen(Formula& f, TensorId x, TensorId target) {
  const int64_t classes = f.length(x, 1), rank = f.rank(x);
  const TensorId names =
      f.indices(f.dtype(target), beside_classes(classes, rank), [](int64_t i) { return i; });
  const TensorId named = f.unsqueeze(target, {1});
  const TensorId is_named = f.equal(named, names);
  const Attributes& attributes = f.call().attributes;
  if (!attributes.has("ignore_index")) return is_named;
  const TensorId ignored = f.number(target, static_cast<double>(attributes.integer("ignore_index", 0)));
  return f.emit(OH_NN_OPS_LOGICAL_AND, {is_named, f.emit(OH_NN_OPS_NOT_EQUAL, {named, ignored})});
}

TensorId negative_log_likelihood(Formula& f, TensorId x, TensorId target) {
  Call& call = f.call();
  constexpr size_t kWeight = 2;
  if (f.rank(x) < 2 || f.rank(target) != f.rank(x) - 1) {
    f.fail(damaged("The ranks (", f.rank(x), ", ", f.rank(target), ") do not match classes and targets."));
    return 0;
  }
  const TensorId mask = chosen(f, x, target), zero = f.number(x, 0);
  TensorId weight = f.number(x, 1);
  if (call.has(kWeight)) {
    const TensorId given = f.input(kWeight);
    weight = f.reshape(given, beside_classes(f.length(given, 0), f.rank(x)));
  }
  const TensorId share = f.where(mask, weight, zero);
  const TensorId terms = f.mul(f.where(mask, x, zero), share);
  const TensorId loss = f.neg(f.sum(terms, {1}, false));
  const std::string reduction = call.attributes.text("reduction", "mean");
  if (reduction == "none") return loss;
  List<int64_t> all(static_cast<size_t>(f.rank(x)));
  std::iota(all.begin(), all.end(), int64_t{0});
  const TensorId total = f.neg(f.sum(terms, all, false));
  if (reduction == "sum") return total;
  return f.div(total, f.sum(share, all, false));
}

Result<Ids> nll_loss(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0), target = f.input(1);
  return Ids{negative_log_likelihood(f, x, target)};
}

Result<Ids> softmax_cross_entropy(Call& call) {
  Formula f(call);
  const TensorId scores = f.input(0), target = f.input(1);
  const TensorId x = f.emit(OH_NN_OPS_LOG_SOFTMAX, {scores}, {int64_parameter(OH_NN_LOG_SOFTMAX_AXIS, 1)});
  return Ids{negative_log_likelihood(f, x, target), x};
}

}  // namespace

std::vector<Row> loss_rows() {
  return {
      {"NegativeLogLikelihoodLoss", nll_loss},
      {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
  };
}

}  // namespace nnrt::import::onnx
