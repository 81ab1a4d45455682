// The operator table: a row declares everything that is known about an operator without running it.
// AddOperation, inference, defaults, devices' supports(), the operator page and the tests read it; nothing
// repeats it.
#pragma once

#include "core/base/dtype.h"
#include "core/graph/attrs.h"
#include "core/graph/op.h"
#include "core/schema/node_view.h"

#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt {

enum class Family : uint8_t {
  unary,
  binary,
  affine,
  data_movement,
  reduce,
  norm,
  gemm_conv,
  pooling,
  index,
  creation,
  cast,
  special
};
std::string_view name(Family family);

inline constexpr int kNone = -1;

struct InputRow {
  std::string_view name{};
  DTypeSet dtypes{};
  int same_as = kNone;          // the input whose dtype it repeats
  bool quantized_only = false;  // INT8 only with quantization parameters
  bool value = false;           // decides shapes by its contents (R5)
  bool constant = false;        // data must be set before AddOperation
  bool optional = false;        // only ever the last
  bool many = false;            // this one, two or more times
  bool per_channel = false;     // may have a scale for each index of dimension 0 (R12)
};

struct Count {
  size_t min = 1;
  size_t max = 1;
};
inline constexpr size_t kManyElements = std::numeric_limits<size_t>::max();

struct ParamRow {
  int type = 0;                  // OH_NN_TensorType
  std::string_view type_name{};  // "OH_NN_ADD_ACTIVATIONTYPE"
  Attr attr{};
  DTypeSet dtypes{};
  Count count{};
  bool required = false;                // absent: an error at Build, not at AddOperation (R4)
  std::vector<double> default_value{};  // empty: absent stays absent
  std::vector<int64_t> closed_list{};   // the values that AddOperation lets pass; empty: any
  int since = 9;                        // API level
  int rank = kNone;                     // the parameter tensor's, where the section fixes it
  bool either_pad = false;              // one INT8 is a pad mode, four INT64 are a pad list (R17)

  // True for those of nnrt_operators.h: OpenHarmony's numbers end below 1000.
  bool is_extension() const { return type >= 1000; }
};

enum class DTypeRule : uint8_t {
  same_as,     // the dtype of input `same_as`
  promoted,    // R10, over all inputs
  fixed,       // one of `dtypes`
  from_attrs,  // the row's infer function decides and checks it
};

struct OutputRow {
  std::string_view name{};
  DTypeRule rule = DTypeRule::same_as;
  int same_as = 0;
  DTypeSet dtypes{};  // those it can have
  bool many = false;  // one or more
  bool sums = false;  // INT32 beside quantized INT8: the exact sums of products, without scales
};

// Shapes of all outputs from the shapes (-1 included) and values known now; or what is wrong with the node's
// shapes, parameters or values. The declared shape is the answer if a shape depends on a value that is not
// known yet.
using InferFunction = Result<std::vector<Shape>> (*)(const NodeView&);

// Checks what a row cannot say about dtypes and quantization ("both BOOL"); may be null.
using CheckFunction = Status (*)(const NodeView&);

struct OpSchema {
  Op op{};
  std::string_view name{};  // "ADD"; schema.cpp sets it
  int since = 9;
  Family family{};
  bool quantized = false;         // computes on dequantized values (R12)
  bool copy = false;              // moves quantized values (R11)
  bool layout_dependent = false;  // R16
  std::vector<InputRow> inputs{};
  std::vector<ParamRow> params{};
  std::vector<OutputRow> outputs{};
  InferFunction infer = nullptr;
  CheckFunction check = nullptr;
  // Structure errors beyond the row's, reported by AddOperation (R4): conv weights of rank 4, LAYER_NORM's
  // shapes, CAST's type. Sees declared shapes and constants only; may be null.
  CheckFunction operation_check = nullptr;

  // Returns whether it stores quantized values that it rounds (R12).
  bool rounds() const { return quantized || copy; }
  // The row of one of its own parameters, or of the one that all operators that round share.
  const ParamRow* param(int tensor_type) const;
  size_t min_inputs() const;
  size_t max_inputs() const;  // kManyElements where the last is `many`
  // Each element of the result depends on one element of each input.
  bool is_elementwise() const { return family == Family::unary || family == Family::binary; }
};

// Returns whether the value is what an absent parameter has.
bool is_default(const ParamRow& param, const AttrValue& value);

// The parameter that says how ties are rounded (R12).
const ParamRow& ties_param();

const OpSchema& schema(Op op);

// Returns whether the result has the elements of the first input, in their order and in another shape.
bool only_reshapes(Op op);
std::span<const OpSchema> all_schemas();  // in the order of their numbers

// The rows of a family, or a part of them; schema.cpp gathers them.
std::vector<OpSchema> unary_rows();
std::vector<OpSchema> binary_rows();
std::vector<OpSchema> affine_rows();
std::vector<OpSchema> data_movement_rows();
std::vector<OpSchema> reduce_rows();
std::vector<OpSchema> norm_rows();
std::vector<OpSchema> gemm_conv_rows();
std::vector<OpSchema> pooling_rows();
std::vector<OpSchema> index_rows();
std::vector<OpSchema> creation_rows();
std::vector<OpSchema> cast_rows();
std::vector<OpSchema> special_rows();
std::vector<OpSchema> element_index_rows();
std::vector<OpSchema> sampling_rows();
std::vector<OpSchema> recurrent_rows();
std::vector<OpSchema> transformer_rows();
std::vector<OpSchema> detection_rows();
std::vector<OpSchema> lookup_rows();
std::vector<OpSchema> quantized_lstm_rows();

}  // namespace nnrt
