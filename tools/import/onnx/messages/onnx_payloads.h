// Reads an ONNX file, but leaves large tensor data in it.
#pragma once

#include "core/memory/byte_source.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <cstdint>
#include <vector>

namespace nnrt::onnx_file {

// Little-endian elements in the file.
struct Payload {
  enum class Field : uint8_t { raw_data, float_data, double_data };

  uint64_t offset = 0, size = 0;
  Field field = Field::raw_data;
};

inline constexpr size_t kMinPayloadBytes = 4096;  // smaller data become part of the message

struct ModelFile {
  ModelProto model;  // its TensorProto.payload are indices into `payloads`
  std::vector<Payload> payloads;
};

// The bytes may be hostile. Payloads are in range, do not overlap and are in the order of the file. Fails if
// the file cannot be read or is damaged.
Result<ModelFile> read_model(const ByteSource& file, size_t min_bytes = kMinPayloadBytes);

}  // namespace nnrt::onnx_file
