// ONNX Runtime's interface to shared buffers.
#pragma once

#include "tools/plugins/onnxruntime/ep/ort_api.h"

namespace nnrt::ep {

inline constexpr uint32_t kVendorId = 0x4e4e;

// Memory that host and device share. Other providers treat its tensors as CPU tensors.
Result<OrtMemoryInfo*> make_memory_info();

class HostAllocator : public OrtAllocator {
 public:
  // `memory` must outlive this.
  explicit HostAllocator(const OrtMemoryInfo* memory);

 private:
  static void* ORT_API_CALL alloc(OrtAllocator*, size_t bytes) noexcept;
  static void ORT_API_CALL free(OrtAllocator*, void* data) noexcept;
  static const OrtMemoryInfo* ORT_API_CALL info(const OrtAllocator* self) noexcept;

  const OrtMemoryInfo* memory_;
};

}  // namespace nnrt::ep
