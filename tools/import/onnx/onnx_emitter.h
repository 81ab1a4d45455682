// Emits OH_NN operations for an ONNX model: computes constant expressions, keeps track of partly known ones,
// and quantizes results.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/network_builder.h"

#include <unordered_map>

namespace nnrt::import {
struct Draft;
}

namespace nnrt::import::onnx {

using Ids = List<TensorId>;

// Errors are ConversionErrors.
class Emitter : public NetworkBuilder {
 public:
  using NetworkBuilder::NetworkBuilder;

  // Quantization of values computed from now on, unless an operation overrides it.
  void set_target(std::optional<Quantization> target) { target_ = std::move(target); }
  const std::optional<Quantization>& target() const { return target_; }
  // Leaves products of quantized values as exact sums.
  void set_sums(bool sums) { sums_ = sums; }

  using NetworkBuilder::add;
  // Adds a graph input or a constant, and sets its ONNX format.
  TensorId add(nnrt::Tensor tensor);
  void rename(TensorId id, const std::string& name) { tensor(id).name = name; }
  // Replaces a generated name.
  void give_name(TensorId id, const std::string& name);

  // Contents of an integer constant unless it is large; unknown elements are kHidden.
  std::optional<List<int64_t>> known_integers(TensorId id) const;
  std::optional<List<int64_t>> partly_known_integers(TensorId id) const;
  // Contents of a numeric constant unless it is large.
  std::optional<List<double>> known_numbers(TensorId id) const;
  static constexpr int64_t kHidden = -2147480123;

  Ids emit_many(Op type, const Ids& inputs, const Settings& settings, const Outputs& outputs) override;

  // Transposes FLOAT32 weights of a convolution, when they are first needed if keep_order() was called.
  TensorId transposed_weights(TensorId id, const List<int64_t>& order);
  void keep_order() { keeps_order_ = true; }

  TensorId copy(TensorId id) override;

 private:
  TensorId add_temporary(Tensor tensor) override;
  void quantize(Draft& draft, const Outputs& outputs) const;
  static void round_ties_to_even(Draft& draft, Attrs& attributes);
  bool compute(Draft& draft, const Ids& inputs);
  void reveal(Draft& draft, const Ids& inputs);
  // A constant small enough to read element by element.
  bool is_list(TensorId id) const;

  // Partly known contents, e.g. shapes with unknown dimensions; unknown elements are kHidden.
  std::unordered_map<TensorId, SharedBytes> partly_known_;
  std::optional<Quantization> target_;
  bool sums_ = false;
  bool computes_ = true;      // folds constants
  bool keeps_order_ = false;  // defers transposes of weights
};

}  // namespace nnrt::import::onnx
