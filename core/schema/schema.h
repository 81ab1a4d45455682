// The operator table: one row declares everything known about an operator without running it. It is the
// single source for AddOperation, inference, defaults, devices' supports(), the operator page and tests.
#pragma once

#include "core/base/dtype.h"
#include "core/graph/attrs.h"
#include "core/graph/op.h"
#include "core/graph/param.h"
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

// The API level that introduced an operator or a parameter. This runtime's own have the level whose API they
// extend.
int api_level(Op op);
int api_level(Param param);

inline constexpr int kNone = -1;

struct InputRow {
  std::string_view name{};
  DTypeSet dtypes{};
  int same_as = kNone;          // the input whose dtype it must have
  bool quantized_only = false;  // INT8 only with quantization parameters
  bool value = false;           // its contents determine shapes (R5)
  bool constant = false;        // data must be set before AddOperation
  bool optional = false;        // only allowed for the last inputs
  bool many = false;            // may occur two or more times
  bool per_channel = false;     // may have one scale per index of dimension 0 (R12)
};

struct Count {
  size_t min = 1;
  size_t max = 1;
};
inline constexpr size_t kManyElements = std::numeric_limits<size_t>::max();

struct ParamRow {
  Param param{};
  Attr attr{};
  DTypeSet dtypes{};
  Count count{};
  bool required = false;                // absence is an error of Build, not of AddOperation (R4)
  std::vector<double> default_value{};  // empty: no default
  std::vector<int64_t> closed_list{};   // values accepted by AddOperation; empty: any
  int rank = kNone;                     // rank of the parameter tensor, if specified
  bool either_pad = false;              // one INT8 is a pad mode, four INT64 are a pad list (R17)

  int type() const { return int(param); }                           // OH_NN_TensorType
  std::string_view type_name() const { return nnrt::name(param); }  // "OH_NN_ADD_ACTIVATIONTYPE"
  int since() const { return api_level(param); }
  // True for parameters of nnrt_operators.h: OpenHarmony's numbers end below 1000.
  bool is_extension() const { return type() >= 1000; }
};

enum class DTypeRule : uint8_t {
  same_as,     // the dtype of input `same_as`
  promoted,    // R10, over all inputs
  fixed,       // one of `dtypes`
  from_attrs,  // checked by the row's infer function
};

struct OutputRow {
  std::string_view name{};
  DTypeRule rule = DTypeRule::same_as;
  int same_as = 0;
  DTypeSet dtypes{};  // allowed dtypes
  bool many = false;  // one or more
  bool sums = false;  // for quantized INT8 inputs, INT32: exact sums of products, without scales
};

// Infers the output shapes from the known shapes (possibly -1) and values, or reports invalid shapes,
// parameters or values. If a shape depends on an unknown value, the result is the declared shape.
using InferFunction = Result<std::vector<Shape>> (*)(const NodeView&);

// Additional checks of dtypes and quantization ("both BOOL"); may be null.
using CheckFunction = Status (*)(const NodeView&);

struct OpSchema {
  Op op{};
  std::string_view name{};  // "ADD"; set by schema.cpp
  Family family{};
  bool quantized = false;         // computes on dequantized values (R12)
  bool copy = false;              // moves quantized values without dequantizing (R11)
  bool layout_dependent = false;  // R16
  std::vector<InputRow> inputs{};
  std::vector<ParamRow> params{};
  std::vector<OutputRow> outputs{};
  InferFunction infer = nullptr;
  CheckFunction check = nullptr;
  // Structure errors beyond the row's, reported by AddOperation (R4): rank-4 convolution weights,
  // LAYER_NORM's shapes, CAST's type. Sees only declared shapes and constants; may be null.
  CheckFunction operation_check = nullptr;

  int since() const { return api_level(op); }
  // Returns whether its results are rounded to quantized values (R12).
  bool rounds() const { return quantized || copy; }
  // The row of one of its parameters, or of the one shared by all operators that round.
  const ParamRow* param(int tensor_type) const;
  size_t min_inputs() const;
  size_t max_inputs() const;  // kManyElements if the last is `many`
  // Each result element depends on one element of each input.
  bool is_elementwise() const { return family == Family::unary || family == Family::binary; }
};

// Returns whether the value equals the parameter's default.
bool is_default(const ParamRow& param, const AttrValue& value);

// The parameter for the rounding of ties (R12).
const ParamRow& ties_param();

const OpSchema& schema(Op op);

// Returns whether the result has the elements of the first input in the same order, with another shape.
bool only_reshapes(Op op);
std::span<const OpSchema> all_schemas();  // sorted by number

// The rows of a family, or part of them, collected by schema.cpp.
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
