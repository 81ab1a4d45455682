// The checks of "Memory", with descriptors.
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <cmath>

namespace nnapi_tests {
namespace {

MemoryDesc new_desc() {
  ANeuralNetworksMemoryDesc* desc = nullptr;
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kOk);
  return MemoryDesc(desc);
}

int add_input(const MemoryDesc& desc, const Compilation& compilation, uint32_t index = 0,
              float frequency = 1) {
  return ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), index, frequency);
}
int add_output(const MemoryDesc& desc, const Compilation& compilation, uint32_t index = 0,
               float frequency = 1) {
  return ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation.get(), index, frequency);
}
int set_dimensions(const MemoryDesc& desc, const std::vector<uint32_t>& dims) {
  return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), static_cast<uint32_t>(dims.size()), dims.data());
}
int finish(const MemoryDesc& desc) { return ANeuralNetworksMemoryDesc_finish(desc.get()); }

Memory memory_of(const MemoryDesc& desc) {
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory), kOk);
  return Memory(memory);
}

Compilation compiled(Type type) { return finished(open_compilation(add_model(std::move(type)))); }

TEST(MemoryDesc, Create) { EXPECT_EQ(ANeuralNetworksMemoryDesc_create(nullptr), kNull); }

TEST(MemoryDesc, AddRoles) {
  const Compilation done = compiled(floats({2})), open = open_compilation(add_model());
  for (const auto add : {add_input, add_output}) {
    const MemoryDesc desc = new_desc();
    EXPECT_EQ(add(nullptr, done, 0, 1), kNull);
    EXPECT_EQ(add(desc, nullptr, 0, 1), kNull);
    EXPECT_EQ(add(desc, open, 0, 1), kData) << "not finished";
    EXPECT_EQ(add(desc, done, 999, 1), kData);
    for (const float frequency : {10.0f, 0.0f, -1.0f, NAN}) EXPECT_EQ(add(desc, done, 0, frequency), kData);
    EXPECT_EQ(add(desc, done, 0, 0.5f), kOk);
    EXPECT_EQ(add(desc, done, 0, 1), kData) << "twice";
    EXPECT_EQ(finish(desc), kOk);
    EXPECT_EQ(add(desc, compiled(floats({2})), 0, 1), kState);
  }
}

TEST(MemoryDesc, RolesAgree) {
  const auto quantized = [](float scale, int32_t zero_point) {
    return Type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, scale, zero_point);
  };
  struct Row {
    Type first, second;
    int expected;
  };
  for (const Row& row :
       {Row{floats({2}), floats({2}), kOk}, Row{floats({2}), floats({0}), kOk},
        Row{floats({2}), floats({3}), kData}, Row{floats({2}), floats({2, 1}), kData},
        Row{floats({2}), Type(ANEURALNETWORKS_TENSOR_FLOAT16, {2}), kData},
        Row{quantized(0.5f, 1), quantized(0.5f, 1), kOk}, Row{quantized(0.5f, 1), quantized(0.25f, 1), kData},
        Row{quantized(0.5f, 1), quantized(0.5f, 2), kData}}) {
    const MemoryDesc desc = new_desc();
    EXPECT_EQ(add_input(desc, compiled(row.first)), kOk);
    EXPECT_EQ(add_output(desc, compiled(row.second)), row.expected);
  }
}

TEST(MemoryDesc, SetDimensions) {
  const Compilation compilation = compiled(floats({2, 0}));
  const MemoryDesc desc = new_desc();
  EXPECT_EQ(set_dimensions(nullptr, {2}), kNull);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 0, nullptr), kOk);
  EXPECT_EQ(add_input(desc, compilation), kOk);
  EXPECT_EQ(set_dimensions(desc, {2}), kData);
  EXPECT_EQ(set_dimensions(desc, {3, 0}), kData);
  EXPECT_EQ(set_dimensions(desc, {2, 5}), kOk);
  EXPECT_EQ(set_dimensions(desc, {2, 4}), kData);
  EXPECT_EQ(add_input(desc, compilation, 2), kData) << "a scalar beside a tensor";
  EXPECT_EQ(finish(desc), kOk);
  EXPECT_EQ(set_dimensions(desc, {2, 5}), kState);
}

TEST(MemoryDesc, ScalarsHaveNoDimensions) {
  const Compilation compilation = compiled(floats({2}));
  const MemoryDesc before = new_desc(), after = new_desc();
  EXPECT_EQ(set_dimensions(before, {1}), kOk);
  EXPECT_EQ(add_input(before, compilation, 2), kData);
  EXPECT_EQ(add_input(after, compilation, 2), kOk);
  EXPECT_EQ(set_dimensions(after, {1}), kData);
}

TEST(MemoryDesc, Finish) {
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(nullptr), kNull);
  const MemoryDesc desc = new_desc();
  EXPECT_EQ(finish(desc), kData);
  EXPECT_EQ(add_input(desc, compiled(floats({2}))), kOk);
  EXPECT_EQ(finish(desc), kOk);
  EXPECT_EQ(finish(desc), kState);
}

TEST(MemoryDesc, CreateMemory) {
  const MemoryDesc desc = new_desc();
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(nullptr, &memory), kNull);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), nullptr), kNull);
  EXPECT_EQ(add_input(desc, compiled(floats({0}))), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory), kState);
  EXPECT_EQ(finish(desc), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory), kFailed) << "its size is not known";
  EXPECT_EQ(memory, nullptr);
}

// ADD with a described memory as first input or as output.
struct Described {
  explicit Described(bool for_device = false) : ready(for_device), desc(new_desc()) {
    EXPECT_EQ(add_input(desc, ready.compilation), kOk);
    EXPECT_EQ(add_output(desc, ready.compilation), kOk);
    EXPECT_EQ(finish(desc), kOk);
    memory = memory_of(desc);
  }
  int set_input(int32_t index, size_t offset = 0, size_t length = 0,
                const ANeuralNetworksOperandType* type = nullptr) {
    return ANeuralNetworksExecution_setInputFromMemory(ready.get(), index, type, memory.get(), offset,
                                                       length);
  }
  int set_output(size_t offset = 0, size_t length = 0) {
    return ANeuralNetworksExecution_setOutputFromMemory(ready.get(), 0, nullptr, memory.get(), offset,
                                                        length);
  }
  int compute() { return ANeuralNetworksExecution_compute(ready.get()); }
  void renew() { ready.execution = execution_of(ready.compilation); }

  Ready ready;
  MemoryDesc desc;
  Memory memory;
};

TEST(DescribedMemory, ArgumentsMustFit) {
  Described described;
  EXPECT_EQ(described.set_input(0, 1, 0), kData);
  EXPECT_EQ(described.set_input(0, 0, 8), kData);
  EXPECT_EQ(described.set_input(1), kData) << "a role that was not described";
  EXPECT_EQ(described.set_input(0, 0, 0, floats({1})), kData);
  EXPECT_EQ(described.set_output(1, 0), kData);
  EXPECT_EQ(described.set_output(0, 8), kData);
  EXPECT_EQ(described.set_input(0), kOk);
  EXPECT_EQ(described.set_output(), kOk);
}

TEST(DescribedMemory, BelongsToOneCompilation) {
  Described described;
  const Ready other;
  EXPECT_EQ(
      ANeuralNetworksExecution_setInputFromMemory(other.get(), 0, nullptr, described.memory.get(), 0, 0),
      kData);
}

TEST(DescribedMemory, IsNoConstant) {
  const Described described;
  const Model model = new_model();
  EXPECT_EQ(add_operand(model, floats({2})), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), 0, described.memory.get(), 0, 8),
            kData);
}

TEST(DescribedMemory, CannotBeReadBeforeItIsWritten) {
  Described described;
  EXPECT_EQ(ANeuralNetworksMemory_copy(described.memory.get(), SharedFile(8).get()), kData);
  described.ready.bind_inputs();
  described.renew();
  EXPECT_EQ(described.set_input(0), kOk);
  auto& ready = described.ready;
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, nullptr, ready.b, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, ready.out, 8), kOk);
  EXPECT_EQ(described.compute(), kFailed);
}

TEST(DescribedMemory, PassesResultsOn) {
  for (const bool for_device : {false, true}) {
    Described described(for_device);
    Ready& ready = described.ready;
    ready.bind_inputs();
    EXPECT_EQ(described.set_output(), kOk);
    EXPECT_EQ(described.compute(), kOk);
    described.renew();
    EXPECT_EQ(described.set_input(0), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, nullptr, ready.b, 8), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, ready.out, 8), kOk);
    EXPECT_EQ(described.compute(), kOk);
    EXPECT_EQ(ready.out[0], 7);
    EXPECT_EQ(ready.out[1], 10);
  }
}

TEST(DescribedMemory, HasNoContentAfterFailedRun) {
  Described described;
  const SharedFile file(8);
  EXPECT_EQ(ANeuralNetworksMemory_copy(file.get(), described.memory.get()), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(described.memory.get(), file.get()), kOk);
  described.ready.fuse = 999;
  described.ready.bind_inputs();
  EXPECT_EQ(described.set_output(), kOk);
  EXPECT_EQ(described.compute(), kFailed);
  EXPECT_EQ(ANeuralNetworksMemory_copy(described.memory.get(), file.get()), kData);
}

TEST(DescribedMemory, HasNoContentAfterFailedCopy) {
  const Described described;
  const SharedFile file(8), large(20);
  EXPECT_EQ(ANeuralNetworksMemory_copy(large.get(), described.memory.get()), kData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(file.get(), described.memory.get()), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(described.memory.get(), large.get()), kData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(described.memory.get(), file.get()), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(large.get(), described.memory.get()), kData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(described.memory.get(), file.get()), kData);
}

TEST(DescribedMemory, CopiesAgreeInTypeAndDimensions) {
  const auto memory = [](Type type) {
    const MemoryDesc desc = new_desc();
    EXPECT_EQ(add_input(desc, compiled(std::move(type))), kOk);
    EXPECT_EQ(finish(desc), kOk);
    return memory_of(desc);
  };
  const Memory from = memory(floats({2})), to = memory(floats({2}));
  const SharedFile file(8);
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), to.get()), kData) << "no content";
  EXPECT_EQ(ANeuralNetworksMemory_copy(file.get(), from.get()), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), to.get()), kOk);
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), memory(floats({2, 1})).get()), kData) << "another rank";
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), memory(floats({3})).get()), kData) << "another dimension";
  EXPECT_EQ(ANeuralNetworksMemory_copy(from.get(), memory(Type(ANEURALNETWORKS_TENSOR_FLOAT16, {4})).get()),
            kData);
}

}  // namespace
}  // namespace nnapi_tests
