#include "mindspore/lower/lower_values.h"

#include "core/base/bytes_of.h"
#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/schema/validate.h"
#include "mindspore/schema/enumerations.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

SharedBytes bytes_of_floats(std::span<const float> values) {
  return std::make_shared<const Bytes>(bytes_of(values));
}

// Corrections apply to per-channel weights; one out of [0, 10] does not count.
struct Scaling {
  double scale = 1, zero_point = 0, shift = 0;
};

Scaling scaling_of(const QuantEntry& entry, bool is_per_channel) {
  if (!is_per_channel) return {entry.scale, double(entry.zero_point), 0};
  const bool counts = entry.var_corr >= 0 && entry.var_corr <= 10;
  return {entry.scale * double(counts ? entry.var_corr : 1), double(entry.zero_point),
          double(entry.mean_corr)};
}

// Entries of UINT8 tensors are those of the INT8 tensor with the same values.
constexpr int32_t kUnsignedShift = 128;

List<float> dequantize(const SourceTensor& tensor, size_t axis) {
  const DType dtype = dtype_of(tensor.type_id);
  const double unsigned_shift = dtype == DType::u8 ? kUnsignedShift : 0;
  const auto inner = size_t(product(tensor.dims, axis + 1, tensor.dims.size()));
  const size_t channels = tensor.quant.size();
  List<Scaling> scalings;
  for (const QuantEntry& entry : tensor.quant) scalings.push_back(scaling_of(entry, channels > 1));
  return dispatch_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    List<float> values(tensor.data->size() / sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
      const Scaling& scaling = scalings[i / inner % channels];
      const auto q = double(nnrt::widen(element_at<T>(*tensor.data, i)));
      values[i] = float((q - unsigned_shift - scaling.zero_point) * scaling.scale + scaling.shift);
    }
    return values;
  });
}

std::string describe(const SourceTensor& tensor) {
  return tensor.name.empty() ? "A constant" : cat("Constant \"", tensor.name, "\"");
}

Status check_scales(const SourceTensor& tensor, size_t axis) {
  const size_t channels = tensor.quant.size();
  if (channels == 1 || (axis < tensor.dims.size() && tensor.dims[axis] == int64_t(channels))) return {};
  return invalid(describe(tensor), " of ", to_string(tensor.dims), " has ", channels,
                 " scales, not one for each index of dimension ", axis, ".");
}

}  // namespace

Quant quant_of(const SourceTensor& tensor) {
  const DType dtype = dtype_of(tensor.type_id);
  if (dtype != DType::i8 && dtype != DType::u8) return {};
  Quant quant;
  for (const QuantEntry& entry : tensor.quant) {
    if (!entry.inited) return {};
    quant.scales.push_back(entry.scale);
    quant.zero_points.push_back(dtype == DType::u8 ? entry.zero_point + kUnsignedShift : entry.zero_point);
  }
  return quant;
}

List<float> widened_elements(const SourceTensor& tensor) {
  return numbers_of<float>(DType::f16, *tensor.data);
}

Status check_constant(const SourceTensor& tensor) {
  if (dtype_of(tensor.type_id) == DType::unknown)
    return unsupported(describe(tensor), " has elements of an unsupported type (", tensor.type_id, ").");
  if (!is_plain(tensor)) return unsupported(describe(tensor), " is compressed.");
  const auto bytes = byte_size(dtype_of(tensor.type_id), tensor.dims);
  if (!bytes || *bytes != tensor.data->size())
    return invalid(describe(tensor), " has ", tensor.data->size(), " bytes, which is not the size of ",
                   name(dtype_of(tensor.type_id)), " ", to_string(tensor.dims), ".");
  return {};
}

Status LowerValues::add_input(uint32_t id) {
  const SourceTensor& tensor = source_.tensors[id];
  const DType dtype = dtype_of(tensor.type_id);
  if (dtype == DType::unknown)
    return unsupported("Input \"", tensor.name, "\" has elements of an unsupported type (", tensor.type_id,
                       ").");
  Tensor checked;
  checked.dtype = dtype;
  checked.shape = tensor.dims;
  if (tensor.dims.size() > kMaxTensorRank)
    return unsupported("Input \"", tensor.name, "\" has ", tensor.dims.size(), " dimensions.");
  NNRT_TRY(check_dimensions(checked));
  values_[id] = graph_.input(dtype, or_one(tensor.dims), quant_of(tensor));
  if (!tensor.name.empty()) graph_.set_name(values_[id]->id, tensor.name);
  return {};
}

template <typename Make>
Result<Value> LowerValues::cached(uint32_t tensor, int form, const Make& make) {
  if (const auto found = constants_.find({tensor, form}); found != constants_.end()) return found->second;
  NNRT_TRY(check_constant(source_.tensors[tensor]));
  const Value value = make(source_.tensors[tensor]);
  graph_.set_name(value.id, source_.tensors[tensor].name);
  constants_.emplace(std::pair(tensor, form), value);
  return value;
}

Result<Value> LowerValues::constant(uint32_t id) {
  return cached(id, kStored, [&](const SourceTensor& tensor) {
    return graph_.constant(dtype_of(tensor.type_id), tensor.dims, tensor.data, quant_of(tensor));
  });
}

Result<Value> LowerValues::widened(uint32_t id) {
  return cached(id, kWidened, [&](const SourceTensor& tensor) {
    return graph_.constant(DType::f32, tensor.dims, bytes_of_floats(widened_elements(tensor)));
  });
}

Result<Value> LowerValues::dequantized(uint32_t id, size_t axis) {
  NNRT_TRY(check_scales(source_.tensors[id], axis));
  return cached(id, int(axis), [&](const SourceTensor& tensor) {
    return graph_.constant(DType::f32, tensor.dims, bytes_of_floats(dequantize(tensor, axis)));
  });
}

void LowerValues::rewind(const GraphWriter::Mark& mark) {
  graph_.rewind(mark);
  std::erase_if(constants_, [&](const auto& entry) { return entry.second.id >= mark.tensors; });
}

}  // namespace nnrt::mindspore
