// Validates nodes against their rows. AddOperation checks the structure, Finish checks semantics (again with
// the shapes of each run).
#pragma once

#include "core/schema/node_view.h"
#include "core/schema/schema.h"

namespace nnrt {

inline constexpr size_t kMaxOperands = 200;  // per operation and per model (api.md 10)
inline constexpr size_t kMaxTensorRank = 8;  // R6

// Limits for every tensor and list of a model (api.md 5 and 10). A dimension of -1 counts as 1.
Status check_dimensions(const Tensor& tensor);
Status check_role(size_t tensor, int tensor_type);
Status check_operand_count(std::string_view what, size_t count);

// The checks of AddOperation (api.md OH_NNModel_AddOperation, R4): counts, roles, parameters. Returns the
// typed attributes including defaults. `tensors` is the model so far; indices must be in range.
Result<Attrs> check_operation(const OpSchema& schema, const std::vector<Tensor>& tensors,
                              std::span<const uint32_t> params, std::span<const uint32_t> inputs,
                              std::span<const uint32_t> outputs);

// The same for a node that already has attributes; constants are checked by infer_node().
Status check_operation(const OpSchema& schema, const std::vector<Tensor>& tensors, const Node& node);

// Sets the attribute of a parameter that the operator has.
Status read_param(const OpSchema& schema, const Tensor& tensor, Attrs& attrs);

// The attributes of a node without parameters.
Attrs default_attrs(const OpSchema& schema);

// Checks dtypes, quantization and required parameters, and infers the shapes with the row's infer function;
// each output shape is compared with the declared one (R7). Returns the inferred shapes, in the declared rank
// for single elements (R6).
Result<std::vector<Shape>> infer_node(const NodeView& node);

}  // namespace nnrt
