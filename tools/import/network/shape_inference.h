// Result dtypes and shapes by the runtime's operator table.
#pragma once

#include "core/schema/schema.h"
#include "tools/import/network/network_builder.h"

#include <functional>

namespace nnrt::import {

// One operation as its own graph: inputs, then outputs.
struct Draft {
  const OpSchema& schema;
  nnrt::Graph graph;
  nnrt::Node node;

  nnrt::Tensor& output(size_t i) { return graph.tensors[node.outputs[i]]; }
  NodeView view(std::span<const std::byte* const> values) const {
    return {graph, node, graph.shapes, values};
  }
};

// Fails if OH_NN cannot represent the shape; unknown dimensions are not checked. Errors are ConversionErrors.
void check_size(const nnrt::Tensor& tensor);

// An operation with the dtypes, quantizations and shapes of its results. Errors are ConversionErrors.
Draft described(const NetworkBuilder& builder, Op type, const List<TensorId>& inputs, const Attrs& attributes,
                const Outputs& outputs);

// For files that lack shapes or store those of other inputs: infers the output shapes of the builder's
// operations from `first` on, as far as they are known. Small results of constants (shape arithmetic) become
// constants and their operations are dropped, unless `is_output` requires the tensor to be computed.
// `has_rank` tells whether a tensor's current rank is reliable.
struct Inference {
  std::function<bool(TensorId)> is_output, has_rank;

  Status complete(NetworkBuilder& builder, size_t first) const;
};

}  // namespace nnrt::import
