#include "tools/import/onnx/onnx_constants.h"

#include "core/base/text.h"
#include "tools/import/network/nibbles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>

namespace nnrt::import::onnx {
namespace {

using onnx_file::TensorProto;

constexpr std::array<std::string_view, 24> kTypeNames{
    "UNDEFINED",      "FLOAT",      "UINT8",          "INT8",       "UINT16",   "INT16",
    "INT32",          "INT64",      "STRING",         "BOOL",       "FLOAT16",  "DOUBLE",
    "UINT32",         "UINT64",     "COMPLEX64",      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",      "INT4",     "FLOAT4E2M1"};
constexpr std::array<DType, 17> kTypes{
    DType::unknown, DType::f32, DType::u8,      DType::i8,      DType::u16,    DType::i16,
    DType::i32,     DType::i64, DType::unknown, DType::boolean, DType::f16,    DType::f64,
    DType::u32,     DType::u64, DType::unknown, DType::unknown, DType::unknown};

Error damaged(const std::string& message) { return {Code::invalid_file, message}; }

Result<nnrt::Shape> read_shape(const TensorProto& proto) {
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

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  const auto root = std::filesystem::canonical(folder, error);
  if (error) return false;
  const auto relative = file.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

// The file must be inside an allowed folder after resolving symlinks.
Result<std::filesystem::path> resolve(const std::string& name, const DataFolders& folders) {
  const std::filesystem::path path(name);
  const auto refused = [&] {
    return damaged(cat("The file of external data (", name, ") is not inside the model's folder."));
  };
  if (folders.model.empty())
    return damaged(cat("Data (", name, ") is outside the model, which has no folder."));
  if (name.empty() || name.find('\0') != std::string::npos || path.is_absolute()) return refused();
  std::error_code error;
  const auto resolved = std::filesystem::canonical(folders.model / path, error);
  if (error) return damaged(cat("The file of external data (", name, ") cannot be read."));
  if (!std::filesystem::is_regular_file(resolved, error)) return refused();
  if (is_below(resolved, folders.model)) return resolved;
  const auto allows = [&](const std::filesystem::path& folder) { return is_below(resolved, folder); };
  return std::ranges::any_of(folders.linked, allows) ? Result(resolved) : refused();
}

Result<Bytes> external_data(const TensorProto& proto, size_t size, const DataFolders& folders) {
  NNRT_ASSIGN(const Location location, read_location(proto));
  if (folders.sources != nullptr) folders.sources->add(location.file);
  NNRT_ASSIGN(const std::filesystem::path path, resolve(location.file, folders));
  if (location.length && *location.length != size)
    return damaged(cat("The length of external data (", *location.length, ") is not ", size, "."));
  std::error_code error;
  const uint64_t available = std::filesystem::file_size(path, error);
  if (error || location.offset > available || size > available - location.offset)
    return damaged(cat("External data of ", size, " bytes at offset (", location.offset, ") exceed the file ",
                       location.file, "."));
  Bytes bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(location.offset));
  if (file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) return bytes;
  return damaged(cat("The file of external data (", location.file, ") cannot be read."));
}

Result<Bytes> read_data(const TensorProto& proto, DType dtype, size_t size, const DataFolders& folders) {
  if (proto.data_location() == kExternal) return external_data(proto, size, folders);
  if (!proto.has_raw_data()) return typed_data(proto, dtype);
  const auto raw = std::as_bytes(std::span(proto.raw_data()));
  return Bytes(raw.begin(), raw.end());
}

// Expands UINT4 and INT4 to UINT8 and INT8.
Result<nnrt::Tensor> read_pairs(const TensorProto& proto, nnrt::Tensor tensor, const DataFolders& folders) {
  const bool is_signed = proto.data_type() == kInt4;
  tensor.dtype = is_signed ? DType::i8 : DType::u8;
  const std::optional<size_t> count = nnrt::byte_size(tensor.dtype, tensor.shape);
  if (!count || *count > std::numeric_limits<uint32_t>::max())
    return damaged(cat("Shape ", to_string(tensor.shape), " has more than 4 Gi elements."));
  const size_t size = (*count + 1) / 2;
  NNRT_ASSIGN(const Bytes pairs, read_data(proto, tensor.dtype, size, folders));
  if (pairs.size() != size)
    return damaged(
        cat("Shape ", to_string(tensor.shape), " takes ", size, " bytes, not ", pairs.size(), "."));
  tensor.data = std::make_shared<const Bytes>(unpacked_nibbles(pairs, *count, is_signed));
  return tensor;
}

Result<nnrt::Tensor> read(const TensorProto& proto, const DataFolders& folders) {
  nnrt::Tensor tensor;
  tensor.name = proto.name();
  NNRT_ASSIGN(tensor.shape, read_shape(proto));
  if (is_four_bits(proto.data_type())) return read_pairs(proto, std::move(tensor), folders);
  NNRT_ASSIGN(tensor.dtype, dtype_of(proto.data_type()));
  const std::optional<size_t> size = nnrt::byte_size(tensor.dtype, tensor.shape);
  if (!size || *size > std::numeric_limits<uint32_t>::max())
    return damaged(cat("Shape ", to_string(tensor.shape), " takes more than 4 GiB."));
  NNRT_ASSIGN(Bytes data, read_data(proto, tensor.dtype, *size, folders));
  if (data.size() != *size)
    return damaged(
        cat("Shape ", to_string(tensor.shape), " takes ", *size, " bytes, not ", data.size(), "."));
  tensor.data = std::make_shared<const Bytes>(std::move(data));
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

Result<DType> dtype_of(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return damaged(cat("The data type (", name, ") does not exist."));
  return dtype_of(static_cast<int32_t>(found - kTypeNames.begin()));
}

Result<nnrt::Tensor> read_constant(const TensorProto& proto, const DataFolders& folders) {
  Result<nnrt::Tensor> tensor = read(proto, folders);
  if (tensor.ok()) return tensor;
  return std::move(tensor).error().during(cat("reading tensor ", proto.name()));
}

}  // namespace nnrt::import::onnx
