// RAII handles, and the small models used by the NNAPI tests.
#pragma once

#include <android/NeuralNetworks.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace nnapi_tests {

constexpr int kOk = ANEURALNETWORKS_NO_ERROR, kNull = ANEURALNETWORKS_UNEXPECTED_NULL,
              kData = ANEURALNETWORKS_BAD_DATA, kState = ANEURALNETWORKS_BAD_STATE,
              kFailed = ANEURALNETWORKS_OP_FAILED, kSmall = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
              kUnmappable = ANEURALNETWORKS_UNMAPPABLE;

struct Freer {
  void operator()(ANeuralNetworksModel* p) const { ANeuralNetworksModel_free(p); }
  void operator()(ANeuralNetworksCompilation* p) const { ANeuralNetworksCompilation_free(p); }
  void operator()(ANeuralNetworksExecution* p) const { ANeuralNetworksExecution_free(p); }
  void operator()(ANeuralNetworksEvent* p) const { ANeuralNetworksEvent_free(p); }
  void operator()(ANeuralNetworksBurst* p) const { ANeuralNetworksBurst_free(p); }
  void operator()(ANeuralNetworksMemory* p) const { ANeuralNetworksMemory_free(p); }
  void operator()(ANeuralNetworksMemoryDesc* p) const { ANeuralNetworksMemoryDesc_free(p); }
};
using Model = std::unique_ptr<ANeuralNetworksModel, Freer>;
using Compilation = std::unique_ptr<ANeuralNetworksCompilation, Freer>;
using Execution = std::unique_ptr<ANeuralNetworksExecution, Freer>;
using Event = std::unique_ptr<ANeuralNetworksEvent, Freer>;
using Burst = std::unique_ptr<ANeuralNetworksBurst, Freer>;
using Memory = std::unique_ptr<ANeuralNetworksMemory, Freer>;
using MemoryDesc = std::unique_ptr<ANeuralNetworksMemoryDesc, Freer>;

// A type that owns its dimensions, passed as a pointer.
struct Type {
  explicit Type(int32_t code, std::vector<uint32_t> dims = {}, float scale = 0, int32_t zero_point = 0)
      : dimensions(std::move(dims)), type{code, 0, nullptr, scale, zero_point} {}
  operator const ANeuralNetworksOperandType*() {
    type.dimensionCount = static_cast<uint32_t>(dimensions.size());
    type.dimensions = dimensions.empty() ? nullptr : dimensions.data();
    return &type;
  }

  std::vector<uint32_t> dimensions;
  ANeuralNetworksOperandType type;
};

inline Type floats(std::vector<uint32_t> dims) {
  return Type(ANEURALNETWORKS_TENSOR_FLOAT32, std::move(dims));
}
inline Type int_scalar() { return Type(ANEURALNETWORKS_INT32); }

inline Model new_model() {
  ANeuralNetworksModel* model = nullptr;
  EXPECT_EQ(ANeuralNetworksModel_create(&model), kOk);
  return Model(model);
}

inline int add_operand(const Model& model, Type type) {
  return ANeuralNetworksModel_addOperand(model.get(), type);
}

inline int add_operation(const Model& model, int32_t code, const std::vector<uint32_t>& inputs,
                         const std::vector<uint32_t>& outputs) {
  return ANeuralNetworksModel_addOperation(model.get(), code, static_cast<uint32_t>(inputs.size()),
                                           inputs.data(), static_cast<uint32_t>(outputs.size()),
                                           outputs.data());
}

inline int identify(const Model& model, const std::vector<uint32_t>& inputs,
                    const std::vector<uint32_t>& outputs) {
  return ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), static_cast<uint32_t>(inputs.size()),
                                                       inputs.data(), static_cast<uint32_t>(outputs.size()),
                                                       outputs.data());
}

inline int finish(const Model& model) { return ANeuralNetworksModel_finish(model.get()); }

// ADD of two tensors with a fuse code, all three as inputs.
inline Model open_add(Type type = floats({2})) {
  Model model = new_model();
  for (const Type& operand : {type, type, int_scalar(), type}) EXPECT_EQ(add_operand(model, operand), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_ADD, {0, 1, 2}, {3}), kOk);
  EXPECT_EQ(identify(model, {0, 1, 2}, {3}), kOk);
  return model;
}

inline Model add_model(Type type = floats({2})) {
  Model model = open_add(std::move(type));
  EXPECT_EQ(finish(model), kOk);
  return model;
}

inline std::vector<const ANeuralNetworksDevice*> devices() {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), kOk);
  std::vector<const ANeuralNetworksDevice*> found;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    EXPECT_EQ(ANeuralNetworks_getDevice(i, &device), kOk);
    found.push_back(device);
  }
  return found;
}

inline Compilation open_compilation(const Model& model) {
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), &compilation), kOk);
  return Compilation(compilation);
}

inline Compilation open_for_device(const Model& model) {
  ANeuralNetworksCompilation* compilation = nullptr;
  const ANeuralNetworksDevice* const device = devices().back();
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, &compilation), kOk);
  return Compilation(compilation);
}

inline Compilation finished(Compilation compilation) {
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  return compilation;
}

inline Execution execution_of(const Compilation& compilation) {
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &execution), kOk);
  return Execution(execution);
}

// For a model of one operation.
inline void expect_that_nobody_runs_it(const Model& model) {
  for (const ANeuralNetworksDevice* const device : devices()) {
    bool supported = true;
    EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &device, 1, &supported),
              kOk);
    EXPECT_FALSE(supported);
    ANeuralNetworksCompilation* made = nullptr;
    EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, &made), kOk);
    const Compilation compilation(made);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(made), kData);
  }
  const Compilation compilation = open_compilation(model);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kData);
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &execution), kState);
}

// A finished compilation of ADD, an execution of it, and arguments.
struct Ready {
  explicit Ready(bool for_device = false, Type type = floats({2}))
      : model(add_model(std::move(type))),
        compilation(finished(for_device ? open_for_device(model) : open_compilation(model))),
        execution(execution_of(compilation)) {}

  ANeuralNetworksExecution* get() const { return execution.get(); }
  void bind_inputs() {
    EXPECT_EQ(ANeuralNetworksExecution_setInput(get(), 0, nullptr, a, sizeof a), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(get(), 1, nullptr, b, sizeof b), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(get(), 2, nullptr, &fuse, sizeof fuse), kOk);
  }
  void bind() {
    bind_inputs();
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(get(), 0, nullptr, out, sizeof out), kOk);
  }

  float a[2] = {1, 2}, b[2] = {3, 4}, out[2] = {0, 0};
  int32_t fuse = 0;
  Model model;
  Compilation compilation;
  Execution execution;
};

// A memfd, and the memory of all of it.
struct SharedFile {
  explicit SharedFile(size_t bytes) : fd(memfd_create("nnapi_tests", MFD_CLOEXEC)), size(bytes) {
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(bytes)), 0);
    data = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    memory = part(bytes, 0);
  }
  ~SharedFile() {
    munmap(data, size);
    close(fd);
  }
  Memory part(size_t bytes, size_t offset, int protect = PROT_READ | PROT_WRITE) const {
    ANeuralNetworksMemory* made = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromFd(bytes, protect, fd, offset, &made), kOk);
    return Memory(made);
  }
  ANeuralNetworksMemory* get() const { return memory.get(); }

  int fd;
  size_t size;
  std::byte* data = nullptr;
  Memory memory;
};

}  // namespace nnapi_tests
