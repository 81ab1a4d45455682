#include "tools/plugins/onnxruntime/ep/host_allocator.h"

#include "tools/plugins/onnxruntime/run/shared_buffers.h"

namespace nnrt::ep {

Result<OrtMemoryInfo*> make_memory_info() {
  OrtMemoryInfo* made = nullptr;
  NNRT_TRY(
      taken(ort().CreateMemoryInfo_V2("NNRt", OrtMemoryInfoDeviceType_GPU, kVendorId, 0,
                                      OrtDeviceMemoryType_HOST_ACCESSIBLE, 0, OrtDeviceAllocator, &made)));
  return made;
}

HostAllocator::HostAllocator(const OrtMemoryInfo* memory) : OrtAllocator{}, memory_(memory) {
  version = ORT_API_VERSION;
  Alloc = alloc;
  Free = free;
  Info = info;
  Reserve = alloc;
}

void* HostAllocator::alloc(OrtAllocator*, size_t bytes) noexcept {
  return SharedBuffers::instance().allocate(bytes);
}

void HostAllocator::free(OrtAllocator*, void* data) noexcept { SharedBuffers::instance().free(data); }

const OrtMemoryInfo* HostAllocator::info(const OrtAllocator* self) noexcept {
  return static_cast<const HostAllocator*>(self)->memory_;
}

}  // namespace nnrt::ep
