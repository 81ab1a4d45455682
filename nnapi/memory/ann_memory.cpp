#include "nnapi/base/client_call.h"
#include "nnapi/memory/client_memory.h"

#include <android/NeuralNetworks.h>

using namespace nnrt;
using namespace nnrt::nnapi;

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory** memory) {
  return guard(__func__, {{"memory", memory}}, [&]() -> Outcome {
    *memory = nullptr;
    auto made = std::make_unique<ANeuralNetworksMemory>();
    NNRT_TRY(ClientMemory::from_fd(size, protect, fd, offset, made->memory));
    *memory = made.release();
    return {};
  });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb,
                                                    ANeuralNetworksMemory** memory) {
  return guard(__func__, {{"memory", memory}}, [&]() -> Outcome {
    *memory = nullptr;
    NNRT_TRY(require({{"ahwb", ahwb}}));
    return unmappable("This system has no AHardwareBuffer.");
  });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst) {
  return guard(__func__, {{"src", src}, {"dst", dst}},
               [&] { return copy_memory(*src->memory, *dst->memory); });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory) { free_handle(memory); }
