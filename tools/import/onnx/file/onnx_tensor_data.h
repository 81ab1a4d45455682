// Tensor data outside the parsed message: large data left in the model file, and external files.
#pragma once

#include "tools/import/network/files/data_files.h"
#include "tools/import/onnx/messages/onnx_payloads.h"

namespace nnrt::import::onnx {

using onnx_file::Payload;

class TensorData : public DataFiles {
 public:
  explicit TensorData(DataFolders folders = {}) : DataFiles(std::move(folders)) {}
  TensorData(DataFolders folders, const ByteSource& file, std::vector<Payload> payloads, bool retained = true)
      : DataFiles(std::move(folders), file, retained), payloads_(std::move(payloads)) {}

  // Null if there is no payload of this number.
  const Payload* payload(uint32_t index) const {
    return index < payloads_.size() ? &payloads_[index] : nullptr;
  }

 private:
  std::vector<Payload> payloads_;
};

}  // namespace nnrt::import::onnx
