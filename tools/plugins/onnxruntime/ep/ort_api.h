// ONNX Runtime's tables of functions, and its statuses as Results.
#pragma once

#include "core/base/exceptions.h"
#include "core/base/result.h"

#include <onnxruntime_c_api.h>

#include <memory>

namespace nnrt::ep {

inline constexpr const char* kEpName = "NNRtExecutionProvider";

struct OrtTables {
  const OrtApi* api = nullptr;
  const OrtEpApi* ep = nullptr;
  const OrtModelEditorApi* editor = nullptr;
  int minor_version = 0;  // 23 for 1.23.2
};

// Set when the library is registered, valid from then on.
OrtTables& tables();
inline const OrtApi& ort() { return *tables().api; }

// Takes ownership of the status.
Status taken(OrtStatus* status);

// Null for success.
OrtStatus* to_ort(const Status& status) noexcept;

// Calls `body`, which returns a Status.
template <typename Body>
OrtStatus* guarded(const Body& body) noexcept {
  return to_ort(catching(body));
}

// Objects of ONNX Runtime that the caller releases.
template <typename T>
using Released = std::unique_ptr<T, void (*)(T*)>;

}  // namespace nnrt::ep
