#include "mindspore/weights/weights.h"

#include "core/base/bytes_of.h"
#include "mindspore/weights/codecs.h"

#include <cstring>

namespace nnrt::mindspore {
namespace {

bool has_packed_bits(const StoredWeights& stored) {
  if (stored.compression == Compression::bit_packing) return stored.bits != 8 && stored.bits != 16;
  return stored.type == DType::i8    ? stored.bits >= 1 && stored.bits <= 7
         : stored.type == DType::i16 ? stored.bits >= 9 && stored.bits <= 15
                                     : false;
}

// The codes as elements of 1 or 2 bytes.
Result<Bytes> narrowed(std::span<const int16_t> codes, DType type) {
  Bytes bytes(codes.size() * size_of(type));
  for (size_t i = 0; i < codes.size(); ++i) {
    if (type == DType::i16) {
      std::memcpy(bytes.data() + 2 * i, &codes[i], 2);
      continue;
    }
    if (codes[i] < -128 || codes[i] > 127)
      return Error{Code::invalid_file, "Compressed weights exceed 8 bits, but their type is INT8."};
    bytes[i] = static_cast<std::byte>(codes[i]);
  }
  return bytes;
}

Result<Bytes> narrowed(const Result<Codes>& codes, DType type) {
  if (!codes.ok()) return codes.error();
  return narrowed(std::span<const int16_t>(codes.value()), type);
}

Result<DecodedWeights> decode_fse(const StoredWeights& stored) {
  NNRT_ASSIGN(const std::vector<uint32_t> values, unpack_fse(stored.data, stored.count));
  if (stored.compression == Compression::fse) {
    return DecodedWeights{DType::f32, bytes_of(values)};
  }
  Codes codes(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<int32_t>(values[i]);
    if (value < -32768 || value > 32767)
      return Error{Code::invalid_file, "The codebook of compressed weights exceeds 16 bits."};
    codes[i] = static_cast<int16_t>(value);
  }
  NNRT_ASSIGN(Bytes bytes, narrowed(std::span<const int16_t>(codes), stored.type));
  return DecodedWeights{stored.type, std::move(bytes)};
}

Result<Bytes> decode_integers(const StoredWeights& stored) {
  if (stored.compression == Compression::indexing)
    return narrowed(unpack_indexing(stored.data, stored.bits, stored.count), stored.type);
  if (stored.compression == Compression::sparse)
    return narrowed(
        unpack_sparse(stored.data, stored.bits, stored.count, stored.zero_points, stored.channels),
        stored.type);
  if (has_packed_bits(stored))
    return narrowed(unpack_bits(stored.data, stored.bits, stored.count), stored.type);
  return Bytes(stored.data.begin(), stored.data.end());
}

}  // namespace

Result<DecodedWeights> decode(const StoredWeights& stored) {
  if (stored.compression == Compression::fse || stored.compression == Compression::fse_int ||
      stored.compression == Compression::fse_infer) {
    if (stored.compression != Compression::fse && stored.type != DType::i8 && stored.type != DType::i16)
      return Error{Code::invalid_file, "Compressed weights are neither INT8 nor INT16."};
    return decode_fse(stored);
  }
  if (stored.type != DType::i8 && stored.type != DType::i16)
    return Error{Code::invalid_file, "Compressed weights are neither INT8 nor INT16."};
  NNRT_ASSIGN(Bytes codes, decode_integers(stored));
  if (stored.codebook.empty()) return DecodedWeights{stored.type, std::move(codes)};
  if (stored.type != DType::i8) return Error{Code::invalid_file, "Weights with a codebook are not INT8."};
  std::vector<float> values(codes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const auto entry = size_t(static_cast<int8_t>(codes[i]) + 128);
    if (entry >= stored.codebook.size())
      return Error{Code::invalid_file, "A weight is outside of its codebook."};
    values[i] = stored.codebook[entry];
  }
  return DecodedWeights{DType::f32, bytes_of(values)};
}

}  // namespace nnrt::mindspore
