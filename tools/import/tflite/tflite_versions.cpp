// Versions of TensorFlow Lite's operators, which older interpreters check.
#include "tools/import/tflite/tflite_node_writer.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;
using format::TensorT;
using format::TensorType;

struct Signature {
  const format::BuiltinOptionsUnion& options;
  const List<const TensorT*>& inputs;
  const List<const TensorT*>& outputs;

  TensorType type(size_t i = 0) const {
    return i < inputs.size() && inputs[i] != nullptr ? inputs[i]->type : TensorType::FLOAT32;
  }
  size_t rank() const {
    size_t rank = 0;
    for (const TensorT* it : inputs) rank = std::max(rank, it == nullptr ? 0 : it->shape.size());
    return rank;
  }
  bool broadcasts() const { return inputs.size() > 1 && inputs[0]->shape != inputs[1]->shape; }
  bool has_scales() const {
    return std::ranges::any_of(inputs, [](const TensorT* it) {
      return it != nullptr && it->quantization != nullptr && it->quantization->scale.size() > 1;
    });
  }
  bool is_grouped() const { return inputs[0]->shape.back() != inputs[1]->shape.back(); }
};

// The operator needs this version if the condition holds.
struct VersionRow {
  BuiltinOperator code;
  int32_t version;
  bool (*holds)(const Signature&);
};

bool is_bool(const Signature& it) { return it.type() == TensorType::BOOL; }
bool is_int64(const Signature& it) { return it.type() == TensorType::INT64; }
bool is_int32(const Signature& it) { return it.type() == TensorType::INT32; }
bool is_int16(const Signature& it) { return it.type() == TensorType::INT16; }
bool is_int8(const Signature& it) { return it.type() == TensorType::INT8; }
bool is_above_4d(const Signature& it) { return it.rank() > 4; }
bool is_above_5d(const Signature& it) { return it.rank() > 5; }
bool broadcasts_above_4d(const Signature& it) { return it.broadcasts() && it.rank() > 4; }
bool is_always(const Signature&) { return true; }

const VersionRow kVersions[] = {
    {ABS, 5, is_int32},
    {ADD, 4, is_int64},
    {BROADCAST_TO, 2, is_always},
    {BROADCAST_TO, 3, is_int8},
    {CAST, 3, [](const Signature& it) { return is_int8(it) || it.outputs[0]->type == TensorType::INT8; }},
    {CAST, 5,
     [](const Signature& it) {
       return it.type() == TensorType::FLOAT64 || it.outputs[0]->type == TensorType::FLOAT64;
     }},
    {CONV_2D, 3, is_int8},
    {CONV_2D, 6, [](const Signature& it) { return it.is_grouped(); }},
    {DEPTHWISE_CONV_2D, 2,
     [](const Signature& it) {
       const auto* options = it.options.AsDepthwiseConv2DOptions();
       return options->dilation_h != 1 || options->dilation_w != 1;
     }},
    {DEPTHWISE_CONV_2D, 3, is_int8},
    {DEQUANTIZE, 5, [](const Signature& it) { return it.has_scales(); }},
    {DIV, 2, broadcasts_above_4d},
    {FILL, 2, [](const Signature& it) { return it.type(1) == TensorType::BOOL; }},
    {FULLY_CONNECTED, 4, is_int8},
    {FULLY_CONNECTED, 5,
     [](const Signature& it) { return it.options.AsFullyConnectedOptions()->keep_num_dims; }},
    {FULLY_CONNECTED, 6, [](const Signature& it) { return it.inputs.size() == 2; }},
    {FULLY_CONNECTED, 10, [](const Signature& it) { return it.has_scales(); }},  // 9 uses one of them
    {GATHER, 3, is_bool},
    {GATHER, 4, is_int16},
    {GATHER_ND, 5, is_bool},
    {MAXIMUM, 3, broadcasts_above_4d},
    {MINIMUM, 3, broadcasts_above_4d},
    {MUL, 3, is_int8},  // whatever the scales are
    {MUL, 5, is_int64},
    {PAD, 4, is_above_4d},
    {PAD, 5, is_bool},
    {PADV2, 4, is_above_4d},
    {QUANTIZE, 3, [](const Signature& it) { return it.has_scales(); }},
    {RANGE, 2, is_int64},
    {RESIZE_BILINEAR, 3,
     [](const Signature& it) { return it.options.AsResizeBilinearOptions()->half_pixel_centers; }},
    {SIGN, 2, is_int32},
    {SLICE, 5, is_above_4d},
    {SPLIT, 2, [](const Signature& it) { return it.type(1) == TensorType::INT8; }},
    {SPLIT, 3, [](const Signature& it) { return it.type(1) == TensorType::INT32; }},
    {STRIDED_SLICE, 3, is_bool},
    {STRIDED_SLICE, 4, is_above_4d},
    {STRIDED_SLICE, 6,
     [](const Signature& it) { return it.options.AsStridedSliceOptions()->new_axis_mask != 0; }},
    {SUB, 3, broadcasts_above_4d},
    {SUB, 4, is_int64},
    {TILE, 3, is_int8},
    {TRANSPOSE, 3, is_bool},
    {TRANSPOSE, 4, is_above_4d},
    {TRANSPOSE, 5, is_int16},
    {TRANSPOSE, 6, is_above_5d},
    {TRANSPOSE_CONV, 3, [](const Signature& it) { return it.inputs.size() == 4; }},
    {TRANSPOSE_CONV, 4,
     [](const Signature& it) { return it.options.AsTransposeConvOptions()->activation != Activation::NONE; }},
    {UNPACK, 3, is_bool},
};

// All others of INT8 have version 2.
constexpr BuiltinOperator kInt8InVersion1[] = {
    EXPAND_DIMS, GATHER_ND, HARD_SWISH, ONE_HOT, PRELU, QUANTIZE, RESHAPE, SCATTER_ND, SHAPE,
    SPLIT,       SQUEEZE,   SELECT_V2,  FILL,    RANK,  NEG,      CUMSUM,  LEAKY_RELU};

}  // namespace

int32_t version_of(BuiltinOperator code, const format::BuiltinOptionsUnion& options,
                   const List<const TensorT*>& inputs, const List<const TensorT*>& outputs) {
  const Signature signature{options, inputs, outputs};
  int32_t version = is_int8(signature) && std::ranges::count(kInt8InVersion1, code) == 0 ? 2 : 1;
  for (const VersionRow& row : kVersions)
    if (row.code == code && row.holds(signature)) version = std::max(version, row.version);
  return version;
}

}  // namespace nnrt::import::tflite
