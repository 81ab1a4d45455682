// A node against its row. Structure is checked by AddOperation, meaning at Finish (and again with a run's
// shapes).
#pragma once

#include "core/schema/node_view.h"
#include "core/schema/schema.h"

namespace nnrt {

inline constexpr size_t kMaxOperands = 200;  // limit for an operation and for a model (api.md 10)

// Checks what every tensor and list of a model keeps to (api.md 5 and 10). A dimension of -1 counts as 1.
Status check_dimensions(const Tensor& tensor);
Status check_role(size_t tensor, int tensor_type);
Status check_operand_count(std::string_view what, size_t count);

// Checks what AddOperation refuses (api.md OH_NNModel_AddOperation, R4): counts, roles, parameters. On
// success the typed attributes with defaults filled in. `tensors` is the model so far; indices are in range.
Result<Attrs> check_operation(const OpSchema& schema, const std::vector<Tensor>& tensors,
                              std::span<const uint32_t> params, std::span<const uint32_t> inputs,
                              std::span<const uint32_t> outputs);

// The same of a node whose attributes are there already; that constants are, is for infer_node() to see.
Status check_operation(const OpSchema& schema, const std::vector<Tensor>& tensors, const Node& node);

// The attributes of a node that gives none.
Attrs default_attrs(const OpSchema& schema);

// Dtypes, quantization, required parameters, and the shapes by the row's infer function; each output shape is
// compared with the declared one (R7). The result is the inferred shapes, in the declared rank where one
// element is meant (R6).
Result<std::vector<Shape>> infer_node(const NodeView& node);

}  // namespace nnrt
