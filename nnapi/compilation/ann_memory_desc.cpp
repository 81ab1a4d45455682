#include "nnapi/base/client_call.h"
#include "nnapi/compilation/memory_desc.h"

#include <android/NeuralNetworks.h>

using namespace nnrt;
using namespace nnrt::nnapi;

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc) {
  return guard(__func__, {{"desc", desc}}, [&] {
    *desc = nullptr;
    *desc = std::make_unique<ANeuralNetworksMemoryDesc>().release();
  });
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc) { free_handle(desc); }

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc,
                                           const ANeuralNetworksCompilation* compilation, uint32_t index,
                                           float frequency) {
  return guard(__func__, {{"desc", desc}, {"compilation", compilation}},
               [&] { return desc->desc.add_role(compilation->compilation, true, index, frequency); });
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc,
                                            const ANeuralNetworksCompilation* compilation, uint32_t index,
                                            float frequency) {
  return guard(__func__, {{"desc", desc}, {"compilation", compilation}},
               [&] { return desc->desc.add_role(compilation->compilation, false, index, frequency); });
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank,
                                            const uint32_t* dimensions) {
  return guard(__func__, {{"desc", desc}}, [&]() -> Outcome {
    if (rank != 0) NNRT_TRY(require({{"dimensions", dimensions}}));
    return desc->desc.set_dimensions(rank, dimensions);
  });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc) {
  return guard(__func__, {{"desc", desc}}, [&] { return desc->desc.finish(); });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc,
                                         ANeuralNetworksMemory** memory) {
  return guard(__func__, {{"memory", memory}}, [&]() -> Outcome {
    *memory = nullptr;
    NNRT_TRY(require({{"desc", desc}}));
    auto made = std::make_unique<ANeuralNetworksMemory>();
    NNRT_TRY(desc->desc.make_memory(made->memory));
    *memory = made.release();
    return {};
  });
}
