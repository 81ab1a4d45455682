// A node against its row. Structure is checked by AddOperation, meaning at Finish (and again with a run's
// shapes).
#pragma once

#include "core/node_view.h"
#include "core/schema.h"

namespace nnrt {

// What AddOperation refuses (api.md, AddOperation; ops_common.md R4): counts, roles, parameters. On success
// the typed attributes with defaults filled in. `tensors` is the model so far; indices are in range.
Result<Attrs> check_structure(const OpSchema& schema, const std::vector<Tensor>& tensors,
                              std::span<const uint32_t> params, std::span<const uint32_t> inputs,
                              std::span<const uint32_t> outputs);

// Dtypes, quantization, required parameters, and the shapes by the row's infer function; each output shape is
// compared with the declared one (R7). The result is the inferred shapes, in the declared rank where one
// element is meant (R6).
Result<std::vector<Shape>> infer_node(const NodeView& node);

}  // namespace nnrt
