#include "tests/fuzz/nnapi_calls/call_state.h"

#include <sys/mman.h>
#include <unistd.h>

namespace nnapi_calls {
namespace {

constexpr uint32_t bit(int code) { return 1u << code; }
constexpr uint32_t kOk = bit(ANEURALNETWORKS_NO_ERROR), kNull = kOk | bit(ANEURALNETWORKS_UNEXPECTED_NULL),
                   kData = kNull | bit(ANEURALNETWORKS_BAD_DATA),
                   kState = kNull | bit(ANEURALNETWORKS_BAD_STATE), kBoth = kData | kState,
                   kUnmappable = bit(ANEURALNETWORKS_UNMAPPABLE),
                   kLate = bit(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT) |
                           bit(ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT),
                   kFailed = bit(ANEURALNETWORKS_OP_FAILED),
                   kSmall = bit(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE),
                   kLacks = bit(ANEURALNETWORKS_OUT_OF_MEMORY),
                   kRun = kBoth | kFailed | kSmall | kLate | kLacks;

#define STEP(name, results, ...)                            \
  Step {                                                    \
    name, results, [](CallState& w) -> int { __VA_ARGS__; } \
  }

constexpr Step kSteps[] = {
    STEP("getDeviceCount", kNull, return ANeuralNetworks_getDeviceCount(w.out(w.number))),
    STEP("getDevice", kData, ANeuralNetworksDevice* device = nullptr;
         return ANeuralNetworks_getDevice(static_cast<uint32_t>(w.choices.below(4)), w.out(device))),
    STEP("Device_getName", kNull, const char* text = nullptr; uint32_t count = 0;
         const auto* const list = w.devices(count);
         return ANeuralNetworksDevice_getName(list == nullptr ? nullptr : list[0], w.out(text))),
    STEP("Device_wait", kNull, uint32_t count = 0; const auto* const list = w.devices(count);
         return ANeuralNetworksDevice_wait(list == nullptr ? nullptr : list[0])),

    STEP("Device_getExtensionSupport", kNull, uint32_t count = 0; const auto* const list = w.devices(count);
         static bool supported = false; return ANeuralNetworksDevice_getExtensionSupport(
             list == nullptr ? nullptr : list[0], "com.example", w.out(supported))),
    STEP("NNRt_getLastError", kData, static char text[64]; size_t length = 0;
         const size_t capacity = w.choices.below(sizeof text);
         return ANeuralNetworksNNRt_getLastError(text, capacity, w.out(length))),

    STEP("Model_create", kNull, return w.keep(w.models, ANeuralNetworksModel_create)),
    STEP("Model_free", kOk, return w.free_one(w.models)),
    STEP("Model_addOperand", kBoth, return ANeuralNetworksModel_addOperand(w.pick(w.models), w.type())),
    STEP("Model_addOperand again", kBoth, return ANeuralNetworksModel_addOperand(w.pick(w.models), w.type())),
    STEP("Model_setOperandValue", kBoth, auto* const model = w.pick(w.models);
         const int32_t index = w.index(); void* const buffer = w.buffer();
         return ANeuralNetworksModel_setOperandValue(model, index, buffer, w.length())),
    STEP("Model_setOperandValueFromMemory", kBoth, auto* const model = w.pick(w.models);
         const int32_t index = w.index(); auto* const memory = w.pick(w.memories);
         return ANeuralNetworksModel_setOperandValueFromMemory(model, index, memory, w.choices.below(40),
                                                               w.length())),
    STEP("Model_setOperandValueFromModel", kBoth, auto* const model = w.pick(w.models);
         const int32_t index = w.index();
         return ANeuralNetworksModel_setOperandValueFromModel(model, index, w.pick(w.models))),
    STEP(
        "Model_setOperandSymmPerChannelQuantParams", kBoth, static const float scales[] = {1, 2, 3};
        const ANeuralNetworksSymmPerChannelQuantParams params{
            static_cast<uint32_t>(w.choices.below(3)), static_cast<uint32_t>(w.choices.below(4)), scales};
        auto* const model = w.pick(w.models);
        return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, w.index(), &params)),
    STEP("Model_addOperation", kBoth, auto* const model = w.pick(w.models); uint32_t reads = 0, writes = 0;
         const auto code = static_cast<int32_t>(w.choices.below(108)) - 1;
         const uint32_t* const inputs = w.indices(reads); const uint32_t* const outputs = w.indices(writes);
         return ANeuralNetworksModel_addOperation(model, code, reads, inputs, writes, outputs)),
    STEP("Model_addOperation of one input", kBoth, auto* const model = w.pick(w.models);
         static constexpr int32_t kOperations[] = {ANEURALNETWORKS_ABS, ANEURALNETWORKS_FLOOR,
                                                   ANEURALNETWORKS_RELU, ANEURALNETWORKS_TANH};
         const uint32_t input = static_cast<uint32_t>(w.choices.below(3)),
         output = static_cast<uint32_t>(w.choices.below(5));
         return ANeuralNetworksModel_addOperation(model, kOperations[w.choices.below(4)], 1, &input, 1,
                                                  &output)),
    STEP("Model_addOperation of a maker", kBoth, auto* const model = w.pick(w.models);
         uint32_t reads = 0, writes = 0; const uint32_t* const inputs = w.indices(reads);
         const uint32_t* const outputs = w.indices(writes); return ANeuralNetworksModel_addOperation(
             model, ANEURALNETWORKS_OEM_OPERATION, reads, inputs, writes, outputs)),
    STEP("Model_identifyInputsAndOutputs", kBoth, auto* const model = w.pick(w.models);
         uint32_t reads = 0, writes = 0; const uint32_t* const inputs = w.indices(reads);
         const uint32_t* const outputs = w.indices(writes);
         return ANeuralNetworksModel_identifyInputsAndOutputs(model, reads, inputs, writes, outputs)),
    STEP("Model_relaxComputationFloat32toFloat16", kState,
         return ANeuralNetworksModel_relaxComputationFloat32toFloat16(w.pick(w.models),
                                                                      w.choices.below(2) == 0)),
    STEP("Model_finish", kBoth, return ANeuralNetworksModel_finish(w.pick(w.models))),
    STEP("Model_getSupportedOperationsForDevices", kBoth, uint32_t count = 0; static bool supported[256];
         const auto* const list = w.devices(count); auto* const model = w.pick(w.models);
         return ANeuralNetworksModel_getSupportedOperationsForDevices(model, list, count,
                                                                      w.out(supported[0]))),

    STEP("Compilation_create", kState, auto* const model = w.pick(w.models); return w.keep(
        w.compilations, [&](auto** out) { return ANeuralNetworksCompilation_create(model, out); })),
    STEP("Compilation_createForDevices", kBoth, auto* const model = w.pick(w.models); uint32_t count = 0;
         const auto* const list = w.devices(count);
         return w.keep(w.compilations,
                       [&](auto** out) {
                         return ANeuralNetworksCompilation_createForDevices(model, list, count, out);
                       })),
    STEP("Compilation_free", kOk, return w.free_one(w.compilations)),
    STEP("Compilation_setPreference", kBoth, auto* const compilation = w.pick(w.compilations);
         return ANeuralNetworksCompilation_setPreference(compilation,
                                                         static_cast<int32_t>(w.choices.below(4)))),
    STEP("Compilation_setPriority", kBoth, auto* const compilation = w.pick(w.compilations);
         return ANeuralNetworksCompilation_setPriority(compilation,
                                                       static_cast<int>(w.choices.below(4)) * 10 + 90)),
    STEP("Compilation_setTimeout", kBoth, auto* const compilation = w.pick(w.compilations);
         return ANeuralNetworksCompilation_setTimeout(compilation, w.duration())),
    STEP("Compilation_setCaching", kState, auto* const compilation = w.pick(w.compilations);
         static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};
         return ANeuralNetworksCompilation_setCaching(compilation, "/nonexistent/directory", token)),
    STEP("Compilation_finish", kBoth | kLate | kFailed,
         return ANeuralNetworksCompilation_finish(w.pick(w.compilations))),
    STEP("Compilation_getPreferredMemoryAlignmentForInput", kBoth,
         auto* const compilation = w.pick(w.compilations);
         return ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
             compilation, static_cast<uint32_t>(w.index()), w.out(w.number))),
    STEP("Compilation_getPreferredMemoryPaddingForOutput", kBoth,
         auto* const compilation = w.pick(w.compilations);
         return ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
             compilation, static_cast<uint32_t>(w.index()), w.out(w.number))),

    STEP("Memory_createFromFd", kData | kUnmappable, const size_t size = w.choices.rarely() ? w.length() : 16;
         const size_t offset = w.choices.rarely() ? w.choices.below(70) : 0;
         const int fd = w.choices.rarely() ? -1 : w.file;
         const int protect = w.choices.rarely() ? static_cast<int>(w.choices.below(4)) : 3; return w.keep(
             w.memories,
             [&](auto** out) { return ANeuralNetworksMemory_createFromFd(size, protect, fd, offset, out); })),
    STEP("Memory_createFromDesc", kState | kFailed, auto* const desc = w.pick(w.descs); return w.keep(
        w.memories, [&](auto** out) { return ANeuralNetworksMemory_createFromDesc(desc, out); })),
    STEP("Memory_copy", kData | kUnmappable, w.settle(); auto* const from = w.pick(w.memories);
         return ANeuralNetworksMemory_copy(from, w.pick(w.memories))),
    STEP("Memory_free", kOk, return w.free_one(w.memories)),
    STEP("MemoryDesc_create", kNull, return w.keep(w.descs, ANeuralNetworksMemoryDesc_create)),
    STEP("MemoryDesc_free", kOk, return w.free_one(w.descs)),
    STEP("MemoryDesc_addInputRole", kBoth, auto* const desc = w.pick(w.descs);
         auto* const compilation = w.pick(w.compilations); return ANeuralNetworksMemoryDesc_addInputRole(
             desc, compilation, static_cast<uint32_t>(w.index()), 1)),
    STEP("MemoryDesc_addOutputRole", kBoth, auto* const desc = w.pick(w.descs);
         auto* const compilation = w.pick(w.compilations); return ANeuralNetworksMemoryDesc_addOutputRole(
             desc, compilation, static_cast<uint32_t>(w.index()), 0.5f)),
    STEP("MemoryDesc_setDimensions", kBoth, static const uint32_t dimensions[] = {2, 2, 0};
         auto* const desc = w.pick(w.descs); return ANeuralNetworksMemoryDesc_setDimensions(
             desc, static_cast<uint32_t>(w.choices.below(4)), dimensions)),
    STEP("MemoryDesc_finish", kBoth, return ANeuralNetworksMemoryDesc_finish(w.pick(w.descs))),

    STEP("Execution_create", kState, auto* const compilation = w.pick(w.compilations); return w.keep(
        w.executions, [&](auto** out) { return ANeuralNetworksExecution_create(compilation, out); })),
    STEP("Execution_free", kOk, w.events.clear(); return w.free_one(w.executions)),
    STEP("Execution_setInput", kBoth, auto* const execution = w.pick(w.executions);
         const int32_t index = w.index(); const auto* const type = w.optional_type();
         void* const buffer = w.buffer();
         return ANeuralNetworksExecution_setInput(execution, index, type, buffer, w.length())),
    STEP("Execution_setInputFromMemory", kBoth | kUnmappable, auto* const execution = w.pick(w.executions);
         const int32_t index = w.index(); const auto* const type = w.optional_type();
         auto* const memory = w.pick(w.memories); const size_t offset = w.choices.rarely() ? 8 : 0;
         return ANeuralNetworksExecution_setInputFromMemory(execution, index, type, memory, offset,
                                                            w.choices.rarely() ? w.length() : 8)),
    STEP("Execution_setOutput", kBoth, auto* const execution = w.pick(w.executions);
         const int32_t index = w.index(); const auto* const type = w.optional_type();
         const size_t length = w.length(); void* const buffer = w.new_buffer(length);
         return ANeuralNetworksExecution_setOutput(execution, index, type, buffer, length)),
    STEP("Execution_setOutputFromMemory", kBoth | kUnmappable, auto* const execution = w.pick(w.executions);
         const int32_t index = w.index(); const auto* const type = w.optional_type();
         auto* const memory = w.pick(w.memories); const size_t offset = w.choices.rarely() ? 8 : 0;
         return ANeuralNetworksExecution_setOutputFromMemory(execution, index, type, memory, offset,
                                                             w.length())),
    STEP("Execution_set all of ADD", kOk, auto* const execution = w.pick(w.executions);
         void* const buffer = w.buffer(); void* const room = w.new_buffer(8);
         if (buffer == nullptr || room == nullptr) return 0; static const int32_t fuse = 0;
         static const uint32_t two = 2;
         static const ANeuralNetworksOperandType vector{ANEURALNETWORKS_TENSOR_FLOAT32, 1, &two, 0, 0};
         for (const int32_t input
              : {0, 1}) ANeuralNetworksExecution_setInput(execution, input, &vector, buffer, 8);
         ANeuralNetworksExecution_setInput(execution, 2, nullptr, &fuse, 4);
         ANeuralNetworksExecution_setOutput(execution, 0, nullptr, room, 8); return 0),
    STEP("Execution_enableInputAndOutputPadding", kState, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_enableInputAndOutputPadding(execution, w.choices.below(2) == 0)),
    STEP("Execution_setReusable", kState, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_setReusable(execution, w.choices.below(2) == 0)),
    STEP("Execution_setMeasureTiming", kBoth, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_setMeasureTiming(execution, w.choices.below(2) == 0)),
    STEP("Execution_setTimeout", kBoth, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_setTimeout(execution, w.duration())),
    STEP("Execution_setLoopTimeout", kState, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_setLoopTimeout(execution, w.duration())),
    STEP("Execution_compute", kRun, w.settle();
         return ANeuralNetworksExecution_compute(w.pick(w.executions))),
    STEP("Execution_burstCompute", kRun, w.settle(); auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_burstCompute(execution, w.pick(w.bursts))),
    STEP("Execution_startCompute", kBoth | kLacks, w.settle(); auto* const execution = w.pick(w.executions);
         return w.keep(w.events,
                       [&](auto** out) { return ANeuralNetworksExecution_startCompute(execution, out); })),
    STEP("Execution_startComputeWithDependencies", kBoth | kLacks, w.settle();
         auto* const execution = w.pick(w.executions);
         const ANeuralNetworksEvent* const event = w.pick(w.events);
         const auto count = static_cast<uint32_t>(w.choices.below(2)); const uint64_t duration = w.duration();
         return w.keep(w.events,
                       [&](auto** out) {
                         return ANeuralNetworksExecution_startComputeWithDependencies(execution, &event,
                                                                                      count, duration, out);
                       })),
    STEP("Execution_getOutputOperandRank", kBoth | kSmall, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_getOutputOperandRank(execution, w.index(), w.out(w.number))),
    STEP("Execution_getOutputOperandDimensions", kBoth | kSmall, auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_getOutputOperandDimensions(execution, w.index(),
                                                                    w.out(w.dimensions[0]))),
    STEP("Execution_getDuration", kBoth, uint64_t duration = 0; auto* const execution = w.pick(w.executions);
         return ANeuralNetworksExecution_getDuration(execution, w.index(), w.out(duration))),

    STEP("Event_wait", kRun, return ANeuralNetworksEvent_wait(w.pick(w.events))),
    STEP("Event_free", kOk, return w.free_one(w.events)),
    STEP("Event_createFromSyncFenceFd", kData, const int fd = w.choices.rarely() ? -1 : w.fence;
         return w.keep(w.events,
                       [&](auto** out) { return ANeuralNetworksEvent_createFromSyncFenceFd(fd, out); })),
    STEP("Event_getSyncFenceFd", kData, int fd = -1; auto* const event = w.pick(w.events);
         const int code = ANeuralNetworksEvent_getSyncFenceFd(event, w.out(fd)); if (fd >= 0) close(fd);
         return code),
    STEP("Burst_create", kState, auto* const compilation = w.pick(w.compilations);
         return w.keep(w.bursts, [&](auto** out) { return ANeuralNetworksBurst_create(compilation, out); })),
    STEP("Burst_free", kOk, return w.free_one(w.bursts)),
};

}  // namespace

std::span<const Step> steps() { return kSteps; }

}  // namespace nnapi_calls
