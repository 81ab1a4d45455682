#include "tools/import/onnx/onnx_constants.h"

#include "core/base/bytes_of.h"
#include "core/base/counted.h"
#include "core/base/element_at.h"
#include "core/base/text.h"
#include "core/memory/pages.h"
#include "tools/import/network/elements/nibbles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <vector>

namespace nnrt::import::onnx {
namespace {

using onnx_file::TensorProto;

constexpr std::array<std::string_view, 27> kTypeNames{
    "UNDEFINED", "FLOAT",      "UINT8",      "INT8",         "UINT16",         "INT16",      "INT32",
    "INT64",     "STRING",     "BOOL",       "FLOAT16",      "DOUBLE",         "UINT32",     "UINT64",
    "COMPLEX64", "COMPLEX128", "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
    "UINT4",     "INT4",       "FLOAT4E2M1", "FLOAT8E8M0",   "UINT2",          "INT2"};
constexpr std::array<DType, 17> kTypes{
    DType::unknown, DType::f32, DType::u8,      DType::i8,      DType::u16,    DType::i16,
    DType::i32,     DType::i64, DType::unknown, DType::boolean, DType::f16,    DType::f64,
    DType::u32,     DType::u64, DType::unknown, DType::unknown, DType::unknown};

Error damaged(const std::string& message) { return {Code::invalid_file, message}; }

Result<nnrt::Shape> read_shape(const auto& proto) {
  constexpr int kMaxRank = 8;
  if (proto.dims_size() > kMaxRank)
    return damaged(cat("The rank (", proto.dims_size(), ") is above ", kMaxRank, "."));
  nnrt::Shape shape(proto.dims().begin(), proto.dims().end());
  for (const int64_t dimension : shape) {
    if (dimension < 0 || dimension > std::numeric_limits<int32_t>::max())
      return damaged(cat("Dimension (", dimension, ") is outside [0, 2147483647]."));
  }
  return shape;
}

// Copies a message field with one element per tensor element, in a wider type.
template <typename To, typename Field>
void narrow(const Field& field, Bytes& bytes) {
  bytes.resize(static_cast<size_t>(field.size()) * sizeof(To));
  size_t at = 0;
  for (const auto wide : field) {
    const To value = static_cast<To>(wide);
    std::memcpy(bytes.data() + at, &value, sizeof(To));
    at += sizeof(To);
  }
}

Bytes typed_data(const TensorProto& proto, DType dtype) {
  Bytes bytes;
  switch (dtype) {
    case DType::f32: narrow<float>(proto.float_data(), bytes); break;
    case DType::f64: narrow<double>(proto.double_data(), bytes); break;
    case DType::i64: narrow<int64_t>(proto.int64_data(), bytes); break;
    case DType::u32: narrow<uint32_t>(proto.uint64_data(), bytes); break;
    case DType::u64: narrow<uint64_t>(proto.uint64_data(), bytes); break;
    case DType::i32: narrow<int32_t>(proto.int32_data(), bytes); break;
    case DType::i16:
    case DType::u16:
    case DType::f16: narrow<uint16_t>(proto.int32_data(), bytes); break;
    default: narrow<uint8_t>(proto.int32_data(), bytes); break;
  }
  return bytes;
}

struct Location {
  std::string file;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<uint64_t> read_number(const onnx_file::Entry& entry) {
  const std::string& text = entry.value();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return damaged(cat("The ", entry.key(), " of external data (", text, ") is not a number."));
}

Result<Location> read_location(const TensorProto& proto) {
  Location location;
  for (const onnx_file::Entry& entry : proto.external_data()) {
    if (entry.key() == "location") {
      location.file = entry.value();
    } else if (entry.key() == "offset") {
      NNRT_ASSIGN(location.offset, read_number(entry));
    } else if (entry.key() == "length") {
      NNRT_ASSIGN(location.length, read_number(entry));
    }
  }
  return location;
}

Result<SharedBytes> external_data(const TensorProto& proto, size_t size, TensorData& data) {
  NNRT_ASSIGN(const Location location, read_location(proto));
  if (location.length && *location.length != size)
    return damaged(cat("The length of external data (", *location.length, ") is not ", size, "."));
  return data.read({location.file, location.offset, size});
}

bool has_data(const TensorProto& proto) {
  return proto.has_raw_data() || proto.float_data_size() + proto.double_data_size() > 0;
}

bool holds(Payload::Field field, DType dtype) {
  switch (field) {
    case Payload::Field::float_data: return dtype == DType::f32;
    case Payload::Field::double_data: return dtype == DType::f64;
    default: return true;
  }
}

// Data that read_model() left in the file.
Result<SharedBytes> payload(const TensorProto& proto, DType dtype, TensorData& data) {
  const Payload* const payload = data.payload(proto.payload());
  if (payload == nullptr) return damaged("The data are not in the file.");
  if (has_data(proto)) return damaged("The data are stored twice.");
  if (!holds(payload->field, dtype)) return damaged(cat("The data are not ", name(dtype), " elements."));
  return data.read({{}, payload->offset, payload->size});
}

Result<SharedBytes> read_data(const TensorProto& proto, DType dtype, size_t size, TensorData& data) {
  if (proto.data_location() == kExternal) return external_data(proto, size, data);
  if (proto.has_payload()) return payload(proto, dtype, data);
  if (!proto.has_raw_data()) return SharedBytes(std::make_shared<const Bytes>(typed_data(proto, dtype)));
  return copy_in_pages(std::as_bytes(std::span(proto.raw_data())));
}

Result<size_t> checked_size(DType dtype, const nnrt::Shape& shape) {
  const std::optional<size_t> size = nnrt::byte_size(dtype, shape);
  if (size && *size <= std::numeric_limits<uint32_t>::max()) return *size;
  return damaged(cat("Shape ", to_string(shape), " takes more than 4 GiB."));
}

// A tensor of a file, whose elements may be smaller in the file.
struct StoredTensor {
  nnrt::Tensor tensor;  // without data
  DType dtype{};        // in the file; elements of less than a byte as widened
  size_t count = 0, bytes = 0;
};

Result<StoredTensor> stored(const TensorProto& proto) {
  StoredTensor made;
  made.tensor.name = proto.name();
  NNRT_ASSIGN(made.tensor.shape, read_shape(proto));
  const int bits = packed_bits(proto.data_type());
  if (bits != 0) {
    made.tensor.dtype = widened_type(proto.data_type());
  } else {
    NNRT_ASSIGN(made.tensor.dtype, stored_dtype_of(proto.data_type()));
  }
  const NarrowFloat* const narrow = narrow_float(proto.data_type());
  made.dtype = narrow == nullptr ? made.tensor.dtype : narrow->size() == 1 ? DType::u8 : DType::u16;
  NNRT_ASSIGN(const size_t size, checked_size(made.tensor.dtype, made.tensor.shape));
  made.count = size / size_of(made.tensor.dtype);
  made.bytes =
      bits == 0 ? made.count * size_of(made.dtype) : (made.count * static_cast<size_t>(bits) + 7) / 8;
  return made;
}

Result<nnrt::Tensor> read(const TensorProto& proto, TensorData& data) {
  NNRT_ASSIGN(StoredTensor made, stored(proto));
  NNRT_ASSIGN(SharedBytes found, read_data(proto, made.dtype, made.bytes, data));
  if (found->size() != made.bytes)
    return damaged(cat("Shape ", to_string(made.tensor.shape), " takes ", counted(made.bytes, "byte"),
                       ", not ", found->size(), "."));
  if (const int bits = packed_bits(proto.data_type()))
    found = std::make_shared<const Bytes>(unpacked(*found, made.count, bits, made.dtype == DType::i8));
  if (const NarrowFloat* const narrow = narrow_float(proto.data_type()))
    found = std::make_shared<const Bytes>(narrow->widened(*found));
  made.tensor.data = std::move(found);
  return std::move(made.tensor);
}

// The position in the dense tensor of sparse element i.
Result<int64_t> place_of(const nnrt::Tensor& indices, const nnrt::Shape& shape, int64_t i) {
  const bool is_linear = indices.shape.size() == 1;
  const int64_t count = nnrt::element_count(shape).value_or(0);
  const nnrt::Shape limits = is_linear ? nnrt::Shape{count} : shape;
  int64_t place = 0;
  for (size_t d = 0; d < limits.size(); ++d) {
    const auto index = element_at<int64_t>(*indices.data, static_cast<size_t>(i) * limits.size() + d);
    if (index < 0 || index >= limits[d])
      return damaged(cat("Index (", index, ") of sparse element ", i, " is outside [0, ", limits[d], ")."));
    place = place * limits[d] + index;
  }
  return place;
}

Result<nnrt::Tensor> read(const onnx_file::SparseTensor& proto, TensorData& data, ConstantBudget& budget) {
  NNRT_ASSIGN(nnrt::Tensor tensor, read_constant(proto.values(), data));
  NNRT_ASSIGN(const nnrt::Tensor indices, read_constant(proto.indices(), data));
  NNRT_ASSIGN(const nnrt::Shape shape, read_shape(proto));
  const nnrt::Shape linear = tensor.shape,
                    coordinates{product(linear, 0, linear.size()), int64_t(shape.size())};
  if (linear.size() != 1 || indices.dtype != DType::i64 ||
      (indices.shape != linear && indices.shape != coordinates))
    return damaged(cat("Sparse values of shape ", to_string(linear), " do not have indices of shape ",
                       to_string(indices.shape), "."));
  const size_t bytes = size_of(tensor.dtype);
  NNRT_ASSIGN(const size_t size, checked_size(tensor.dtype, shape));
  NNRT_TRY(budget.take(size));
  Bytes dense(size);
  for (int64_t i = 0; i < linear[0]; ++i) {
    NNRT_ASSIGN(const int64_t place, place_of(indices, shape, i));
    std::memcpy(dense.data() + static_cast<size_t>(place) * bytes,
                tensor.data->data() + static_cast<size_t>(i) * bytes, bytes);
  }
  tensor.shape = shape;
  tensor.data = std::make_shared<const Bytes>(std::move(dense));
  return tensor;
}

}  // namespace

Result<DType> dtype_of(int32_t data_type) {
  const auto index = static_cast<size_t>(data_type);
  if (data_type > 0 && index < kTypes.size() && kTypes[index] != DType::unknown) return kTypes[index];
  if (data_type > 0 && index < kTypeNames.size())
    return unsupported("OH_NN has no tensors of type ", kTypeNames[index], ".");
  return damaged(cat("The data type (", data_type, ") does not exist."));
}

const NarrowFloat* narrow_float(int32_t data_type) {
  using enum NarrowFloat::Specials;
  static constexpr int32_t kFirst = 16;
  static constexpr std::array<NarrowFloat, 5> kNarrow{
      {kBfloat16, {8, 4, 7, only_nan}, {8, 4, 8, one_nan}, {8, 5, 15}, {8, 5, 16, one_nan}}};
  const int32_t index = data_type - kFirst;
  return index >= 0 && index < static_cast<int32_t>(kNarrow.size()) ? &kNarrow[static_cast<size_t>(index)]
                                                                    : nullptr;
}

Result<DType> stored_dtype_of(int32_t data_type) {
  if (narrow_float(data_type) != nullptr) return DType::f32;
  return dtype_of(data_type);
}

Result<DType> dtype_of(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return damaged(cat("The data type (", name, ") does not exist."));
  return dtype_of(static_cast<int32_t>(found - kTypeNames.begin()));
}

Result<nnrt::Tensor> read_constant(const TensorProto& proto, TensorData& data) {
  Result<nnrt::Tensor> tensor = read(proto, data);
  if (tensor.ok()) return tensor;
  return std::move(tensor).error().during(cat("reading tensor ", proto.name()));
}

Result<nnrt::Tensor> read_constant(const onnx_file::SparseTensor& proto, TensorData& data,
                                   ConstantBudget& budget) {
  Result<nnrt::Tensor> tensor = read(proto, data, budget);
  if (tensor.ok()) return tensor;
  return std::move(tensor).error().during(cat("reading sparse tensor ", proto.values().name()));
}

Result<nnrt::Tensor> read_strings(const TensorProto& proto, Strings& strings) {
  nnrt::Tensor tensor;
  tensor.name = proto.name();
  tensor.dtype = DType::i64;
  NNRT_ASSIGN(tensor.shape, read_shape(proto));
  if (nnrt::element_count(tensor.shape) != int64_t{proto.string_data_size()})
    return damaged(cat("Shape ", to_string(tensor.shape), " of ", proto.name(), " is not that of ",
                       counted(proto.string_data_size(), "string"), "."));
  std::vector<int64_t> numbers;
  for (const std::string& text : proto.string_data()) numbers.push_back(strings.number_of(text));
  tensor.data = std::make_shared<const Bytes>(bytes_of(numbers));
  return tensor;
}

void read_ahead(std::span<const TensorProto* const> constants, TensorData& data) {
  std::vector<DataPart> parts;
  for (const TensorProto* const proto : constants) {
    const auto tensor = stored(*proto);  // what fails is refused later
    if (!tensor.ok()) continue;
    const uint64_t size = tensor.value().bytes;
    if (proto->data_location() == kExternal) {
      const auto location = read_location(*proto);
      if (location.ok()) parts.push_back({location.value().file, location.value().offset, size});
    } else if (proto->has_payload()) {
      const Payload* const payload = data.payload(proto->payload());
      if (payload != nullptr && payload->size == size) parts.push_back({{}, payload->offset, payload->size});
    }
  }
  data.read_ahead(parts);
}

namespace {

Status embed(TensorProto& tensor, TensorData& data) {
  if (tensor.data_location() != kExternal) return {};
  NNRT_ASSIGN(const StoredTensor found, stored(tensor));
  NNRT_ASSIGN(const SharedBytes read, external_data(tensor, found.bytes, data));
  tensor.set_raw_data(read->data(), read->size());
  tensor.clear_external_data();
  tensor.clear_data_location();
  return {};
}

}  // namespace

Status embed_external_data(onnx_file::GraphProto& graph, TensorData& data) {
  for (TensorProto& tensor : *graph.mutable_initializer()) NNRT_TRY(embed(tensor, data));
  for (auto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) NNRT_TRY(embed(*attribute.mutable_t(), data));
      if (attribute.has_g()) NNRT_TRY(embed_external_data(*attribute.mutable_g(), data));
    }
  }
  return {};
}

Result<nnrt::Tensor> read_constant(const TensorProto& proto) {
  TensorData none;
  return read_constant(proto, none);
}

}  // namespace nnrt::import::onnx
