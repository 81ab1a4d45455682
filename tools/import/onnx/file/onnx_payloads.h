// Splits an ONNX file into its large tensor data, which stay in the file, and a small message with the rest.
#pragma once

#include "core/memory/byte_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nnrt::import::onnx {

// Little-endian elements in the file.
struct Payload {
  enum class Field : uint8_t { raw_data, float_data, double_data };

  uint64_t offset = 0, size = 0;
  Field field = Field::raw_data;
};

inline constexpr size_t kMinPayloadBytes = 4096;  // smaller data stay in the message

struct SplitFile {
  std::string message;  // its TensorProto.payload are indices into `payloads`
  std::vector<Payload> payloads;
};

// Walks the wire format of a ModelProto; the bytes may be hostile. Payloads are in range, do not overlap and
// are in the order of the file. Fails if the file cannot be read, or a message that holds tensors is damaged;
// other damage is left for the parser to find.
Result<SplitFile> split_payloads(const ByteSource& file, size_t min_bytes = kMinPayloadBytes);

}  // namespace nnrt::import::onnx
