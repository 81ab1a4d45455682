/**
 * @file NeuralNetworks.h
 *
 * The Neural Networks API: models, compilations, executions, memories and devices. Usable from C11 and C++17;
 * link with libneuralnetworks.so, or open it and look its functions up.
 *
 * The usual way: compose and finish a model; ANeuralNetworksCompilation_create and _finish; then, as often as
 * wanted, ANeuralNetworksExecution_create, _setInput, _setOutput and _compute.
 *
 * For all functions:
 * - They return a ResultCode where nothing else is said. ANEURALNETWORKS_UNEXPECTED_NULL: a handle, or a
 *   pointer that is required, is NULL; this is looked at first. ANEURALNETWORKS_OUT_OF_MEMORY: memory,
 * threads or file descriptors ran out. What else a function returns stands with it.
 * - A call that fails changes nothing where nothing else is said. The reason goes to the log, one line on
 *   standard error (environment NNRT_LOG: error, warning, info, debug or off).
 * - Strings and arrays are copied where nothing else is said. Sizes, offsets and lengths are in bytes, times
 *   and durations in nanoseconds.
 * - What a _create function gives belongs to the client, who gives it to the _free function of its kind.
 *   NULL is ignored there.
 * - Different objects may be used from different threads at the same time, also those that share a model, a
 *   compilation or a memory. Calls on one object are the client's to serialize, except
 *   ANeuralNetworksEvent_wait.
 *
 * "Level n" names the feature level that brought a function; nothing marked means level 27.
 */
#ifndef ANDROID_NEURAL_NETWORKS_H
#define ANDROID_NEURAL_NETWORKS_H

#include "NeuralNetworksTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- The runtime and its devices ---- */

/**
 * Tells the feature level of this library.
 *
 * @return ANEURALNETWORKS_FEATURE_LEVEL_8.
 * Level 31.
 */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/**
 * Tells for how long a WHILE may loop where ANeuralNetworksExecution_setLoopTimeout is not called.
 *
 * @return 2,000,000,000 ns.
 * Level 30.
 */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/**
 * Tells the longest time that ANeuralNetworksExecution_setLoopTimeout takes.
 *
 * @return 15,000,000,000 ns.
 * Level 30.
 */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/**
 * Counts the devices: GPUs first, then the CPU, whose name is nnapi-reference.
 *
 * @param numDevices receives their number.
 * Level 29.
 */
int ANeuralNetworks_getDeviceCount(uint32_t* numDevices);

/**
 * Gives a device. It lives as long as the process, and each call gives the same pointer.
 *
 * @param devIndex 0 to the number of devices - 1.
 * @param device receives the device.
 * @return ANEURALNETWORKS_BAD_DATA: there is no such device.
 * Level 29.
 */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device);

/**
 * Tells the name of a device, which no other device has.
 *
 * @param device the device.
 * @param name receives the name, which belongs to the library and lives as long as the device.
 * Level 29.
 */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name);

/**
 * Tells the kind of a device.
 *
 * @param device the device.
 * @param type receives a DeviceTypeCode.
 * Level 29.
 */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type);

/**
 * Tells the version of a device's driver, for people.
 *
 * @param device the device.
 * @param version receives the text, which belongs to the library and lives as long as the device.
 * Level 29.
 */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version);

/**
 * Tells the feature level of a device. It is not above that of the library.
 *
 * @param device the device.
 * @param featureLevel receives a FeatureLevelCode.
 * Level 29.
 */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device, int64_t* featureLevel);

/**
 * Waits until a device can be used.
 *
 * @param device the device.
 * @return ANEURALNETWORKS_DEAD_OBJECT: the device is gone and will not come back.
 * Level 30.
 */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device);

/* ---- Models ---- */

/**
 * Makes an empty model. Operands, values and operations are added; finish ends that. Functions that modify a
 * model return ANEURALNETWORKS_BAD_STATE once finish was called, even if it failed.
 *
 * @param model receives the model.
 */
int ANeuralNetworksModel_create(ANeuralNetworksModel** model);

/**
 * Frees a model. Its compilations, and models that refer to it, keep what they need.
 *
 * @param model the model, or NULL.
 */
void ANeuralNetworksModel_free(ANeuralNetworksModel* model);

/**
 * Adds an operand. The first has the index 0, the next 1, and so on.
 *
 * @param model a model that is not finished.
 * @param type its type: dimensions that are not known are 0; tensors without dimensions have an unknown rank.
 * @return ANEURALNETWORKS_BAD_DATA: the type is not valid. ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type);

/**
 * Makes an operand a constant, or marks an optional one as omitted. A later call replaces the value.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param buffer first byte of the value. Up to ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes
 * are copied now; more must stay as they are until finish has copied them. NULL with length 0: omitted.
 * @param length size of the value, that of the operand.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, a wrong length, or a tensor with unknown dimensions.
 *         ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index, const void* buffer,
                                         size_t length);

/**
 * Makes an operand a constant that lies in a memory. It is not copied: the client must not change it until
 * the model and its compilations are freed. The memory may be freed earlier.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param memory a memory that was not made from a descriptor.
 * @param offset where the value begins.
 * @param length size of the value, that of the operand.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, a wrong length, a range outside the memory, a tensor
 * with unknown dimensions, or a memory from a descriptor. ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory, size_t offset,
                                                   size_t length);

/**
 * Gives an operand of type MODEL its model, for IF and WHILE. Several operands may have the same.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param value a model that is finished.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, or its type is another. ANEURALNETWORKS_BAD_STATE: the
 *         model is finished, or the value is not, or its finish failed.
 * Level 30.
 */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index,
                                                  const ANeuralNetworksModel* value);

/**
 * Sets the scales of an operand of type TENSOR_QUANT8_SYMM_PER_CHANNEL.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param channelQuant the scales, which are copied.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, its type is another, or the scales do not fit its
 *         dimensions. ANEURALNETWORKS_BAD_STATE: the model is finished.
 * Level 29.
 */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel* model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams* channelQuant);

/**
 * Adds an operation. Operations are added in any order. OperationCode says which operands each takes.
 *
 * @param model a model that is not finished.
 * @param type an OperationCode.
 * @param inputCount number of inputs.
 * @param inputs indices of operands.
 * @param outputCount number of outputs.
 * @param outputs indices of operands.
 * @return ANEURALNETWORKS_BAD_DATA: no such operation or operand, or operands that the operation does not
 * take. ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, ANeuralNetworksOperationType type,
                                      uint32_t inputCount, const uint32_t* inputs, uint32_t outputCount,
                                      const uint32_t* outputs);

/**
 * Says which operands a computation is given and which it gives. Their order is that of the indices of
 * ANeuralNetworksExecution_setInput and _setOutput. To be called once.
 *
 * @param model a model that is not finished.
 * @param inputCount number of inputs.
 * @param inputs indices of operands without a value.
 * @param outputCount number of outputs.
 * @param outputs indices of operands without a value.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, one that has a value, the same twice, or called before.
 *         ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount,
                                                  const uint32_t* inputs, uint32_t outputCount,
                                                  const uint32_t* outputs);

/**
 * Allows to compute TENSOR_FLOAT32 with the range and the precision of 16-bit floats. Not allowed by default.
 * With models within models, the setting of the outermost counts.
 *
 * @param model a model that is not finished.
 * @param allow whether it is allowed.
 * @return ANEURALNETWORKS_BAD_STATE: the model is finished.
 * Level 28.
 */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow);

/**
 * Checks a model and ends its modification. A model whose finish failed can only be freed.
 *
 * @param model a model that is not finished.
 * @return ANEURALNETWORKS_BAD_DATA: the model is not valid: no operation, input or output; a cycle; an
 * operand that is written twice, or never; a constant or an input that is written; a constant with unknown
 *         dimensions; scales per channel that are missing. ANEURALNETWORKS_BAD_STATE: called before.
 */
int ANeuralNetworksModel_finish(ANeuralNetworksModel* model);

/**
 * Tells which operations some devices can run.
 *
 * @param model a model that is finished.
 * @param devices the devices.
 * @param numDevices their number, not 0.
 * @param supportedOps receives for each operation, in the order in which they were added, whether one of the
 *        devices runs it.
 * @return ANEURALNETWORKS_BAD_DATA: no devices, or one twice. ANEURALNETWORKS_BAD_STATE: the model is not
 *         finished, or its finish failed.
 * Level 29.
 */
int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices,
                                                          uint32_t numDevices, bool* supportedOps);

/* ---- Compilations ---- */

/**
 * Makes the compilation of a model for all devices; the runtime chooses among them, and what they do not run,
 * or fail to run, runs on the CPU.
 *
 * @param model a model that is finished.
 * @param compilation receives the compilation, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the model is not finished, or its finish failed.
 */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation);

/**
 * Makes the compilation of a model for these devices alone.
 *
 * @param model a model that is finished.
 * @param devices the devices, in any order.
 * @param numDevices their number, not 0.
 * @param compilation receives the compilation, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA: no devices, or one twice. ANEURALNETWORKS_BAD_STATE: the model is not
 *         finished, or its finish failed.
 * Level 29.
 */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model,
                                                const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation** compilation);

/**
 * Frees a compilation. Its executions keep what they need.
 *
 * @param compilation the compilation, or NULL.
 */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation);

/**
 * Says how the compilation is going to be used.
 *
 * @param compilation a compilation that is not finished.
 * @param preference a PreferenceCode.
 * @return ANEURALNETWORKS_BAD_DATA: another number. ANEURALNETWORKS_BAD_STATE: finished.
 */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, int32_t preference);

/**
 * Keeps what is compiled in files, from which the same model is compiled with less work. A directory or files
 * that cannot be used are not an error: the model is compiled as without them.
 *
 * @param compilation a compilation that is not finished.
 * @param cacheDir path of an existing directory, which processes may share.
 * @param token ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN bytes that the client chooses for the model.
 * @return ANEURALNETWORKS_BAD_STATE: finished.
 * Level 29.
 */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir,
                                          const uint8_t* token);

/**
 * Sets the importance of the compilation's computations among those of this process.
 *
 * @param compilation a compilation that is not finished.
 * @param priority a PriorityCode.
 * @return ANEURALNETWORKS_BAD_DATA: another number. ANEURALNETWORKS_BAD_STATE: finished.
 * Level 30.
 */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority);

/**
 * Limits the time that ANeuralNetworksCompilation_finish may take.
 *
 * @param compilation a compilation for one device, made by ANeuralNetworksCompilation_createForDevices.
 * @param duration the time; 0: no limit.
 * @return ANEURALNETWORKS_BAD_STATE: finished. ANEURALNETWORKS_BAD_DATA: not for exactly one device.
 * Level 30.
 */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation, uint64_t duration);

/**
 * Compiles. A compilation whose finish failed can only be freed.
 *
 * @param compilation a compilation that is not finished.
 * @return ANEURALNETWORKS_BAD_DATA: the model is wrong in what only its values tell, or none of the devices
 *         runs one of its operations. ANEURALNETWORKS_BAD_STATE: called before.
 *         ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT: it took too long. Another code: a device failed.
 */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation);

/**
 * Tells the alignment of an input's address at which devices work fastest.
 *
 * @param compilation a compilation that is finished.
 * @param index the input.
 * @param alignment receives a power of two; 1: any.
 * @return ANEURALNETWORKS_BAD_DATA: no such input. ANEURALNETWORKS_BAD_STATE: not finished, or finish failed.
 * Level 31.
 */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);

/**
 * Tells of which number an input's length should be a multiple. See
 * ANeuralNetworksExecution_enableInputAndOutputPadding.
 *
 * @param compilation a compilation that is finished.
 * @param index the input.
 * @param padding receives a power of two; 1: any.
 * @return ANEURALNETWORKS_BAD_DATA: no such input. ANEURALNETWORKS_BAD_STATE: not finished, or finish failed.
 * Level 31.
 */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);

/** As ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, of an output. Level 31. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);

/** As ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, of an output. Level 31. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);

/* ---- Memories ---- */

/**
 * Makes a memory of a part of a file, which is mapped: changes of its content are seen.
 *
 * @param size size of the part, not 0.
 * @param protect PROT_READ, PROT_WRITE or both, as of mmap: what the library may do.
 * @param fd descriptor of a file that can be mapped; it is duplicated.
 * @param offset where the part begins in the file; any number.
 * @param memory receives the memory, or NULL if the function fails.
 * @return ANEURALNETWORKS_UNMAPPABLE: it cannot be mapped, or the file is shorter. ANEURALNETWORKS_BAD_DATA:
 *         the size is 0, or protect says nothing.
 */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory** memory);

/**
 * Would make a memory of a buffer of Android's graphics system, which is not there.
 *
 * @param ahwb the buffer.
 * @param memory receives NULL.
 * @return ANEURALNETWORKS_UNMAPPABLE.
 * Level 29.
 */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb,
                                                    ANeuralNetworksMemory** memory);

/**
 * Makes a memory as a descriptor describes it. It has no content until a computation, or
 * ANeuralNetworksMemory_copy, writes it.
 *
 * @param desc a descriptor that is finished.
 * @param memory receives the memory, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the descriptor is not finished. ANEURALNETWORKS_OP_FAILED: its
 * dimensions are not known. Level 30.
 */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc,
                                         ANeuralNetworksMemory** memory);

/**
 * Copies a memory's content into another of the same size, or of the same type and dimensions. Where it
 * fails, a destination that was made from a descriptor has no content afterwards.
 *
 * @param src the source.
 * @param dst the destination, which is written although it is declared const.
 * @return ANEURALNETWORKS_BAD_DATA: sizes, types or dimensions differ, or the source has no content.
 *         ANEURALNETWORKS_UNMAPPABLE: the destination may not be written, or the source not read.
 * Level 30.
 */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst);

/**
 * Frees a memory. Models and executions that use it keep what they need.
 *
 * @param memory the memory, or NULL.
 */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory);

/**
 * Makes an empty descriptor of a memory.
 *
 * @param desc receives the descriptor.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc);

/**
 * Frees a descriptor. Memories that were made from it stay.
 *
 * @param desc the descriptor, or NULL.
 * Level 30.
 */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc);

/**
 * Says that the memory is going to be an input.
 *
 * @param desc a descriptor that is not finished.
 * @param compilation a compilation that is finished.
 * @param index the input. All inputs and outputs of a memory have one type, and dimensions that agree.
 * @param frequency how often, above 0 and up to 1. A hint.
 * @return ANEURALNETWORKS_BAD_DATA: the compilation is not finished, no such input, said before, it differs
 *         from others, or the frequency is out of range. ANEURALNETWORKS_BAD_STATE: finished.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc,
                                           const ANeuralNetworksCompilation* compilation, uint32_t index,
                                           float frequency);

/** As ANeuralNetworksMemoryDesc_addInputRole, of an output. Level 30. */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc,
                                            const ANeuralNetworksCompilation* compilation, uint32_t index,
                                            float frequency);

/**
 * Sets the dimensions of the memory, where those of its inputs and outputs leave something open.
 *
 * @param desc a descriptor that is not finished.
 * @param rank number of dimensions; 0 leaves all open.
 * @param dimensions the dimensions; 0 leaves one open.
 * @return ANEURALNETWORKS_BAD_DATA: they contradict what is known. ANEURALNETWORKS_BAD_STATE: finished.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank,
                                            const uint32_t* dimensions);

/**
 * Ends the modification of a descriptor.
 *
 * @param desc a descriptor that is not finished.
 * @return ANEURALNETWORKS_BAD_DATA: it names no input and no output. ANEURALNETWORKS_BAD_STATE: called
 * before. Level 30.
 */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc);

/* ---- Executions ---- */

/**
 * Makes an execution: the arguments of a computation, and what it finds. There may be several at a time.
 *
 * @param compilation a compilation that is finished.
 * @param execution receives the execution, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the compilation is not finished, or its finish failed.
 */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation,
                                    ANeuralNetworksExecution** execution);

/**
 * Frees an execution, after it has waited for its computation.
 *
 * @param execution the execution, or NULL.
 */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution);

/**
 * Sets an input.
 *
 * @param execution an execution that has not started.
 * @param index the input.
 * @param type NULL, or the type with dimensions that are known now. Only the dimensions are used.
 * @param buffer the value, which must stay until the computation has ended. NULL with length 0: an optional
 *        input is omitted.
 * @param length its size: that of the type, or more where padding is enabled.
 * @return ANEURALNETWORKS_BAD_DATA: no such input, a type that is not valid or does not agree with the model,
 *         dimensions that remain unknown, or a wrong length. ANEURALNETWORKS_BAD_STATE: set before, or
 * started.
 */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer,
                                      size_t length);

/**
 * As ANeuralNetworksExecution_setInput, with a value in a memory.
 *
 * @param execution an execution that has not started.
 * @param index the input.
 * @param type as there.
 * @param memory the memory; of a memory from a descriptor the descriptor names this input.
 * @param offset where the value begins; 0 of a memory from a descriptor.
 * @param length its size; 0 of a memory from a descriptor. Offset 0 and length 0: the whole memory.
 * @return As there. ANEURALNETWORKS_BAD_DATA: also a range outside the memory.
 */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, size_t offset,
                                                size_t length);

/**
 * Sets where an output goes.
 *
 * @param execution an execution that has not started.
 * @param index the output.
 * @param type NULL, or the type with dimensions that are known now. Only the dimensions are used.
 * @param buffer receives the value. NULL with length 0: the output is not wanted.
 * @param length its size: that of the type, or more where padding is enabled; any where dimensions are
 * unknown.
 * @return As ANeuralNetworksExecution_setInput, but dimensions may remain unknown.
 */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer, size_t length);

/**
 * As ANeuralNetworksExecution_setOutput, with a memory. It must not overlap another argument.
 *
 * @param execution an execution that has not started.
 * @param index the output.
 * @param type as there.
 * @param memory the memory; of a memory from a descriptor the descriptor names this output.
 * @param offset as of ANeuralNetworksExecution_setInputFromMemory.
 * @param length as there.
 * @return As there.
 */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, size_t offset,
                                                 size_t length);

/**
 * Computes, and returns when that has ended.
 *
 * @param execution an execution whose inputs and outputs are set.
 * @return ANEURALNETWORKS_BAD_DATA: an argument is not set. ANEURALNETWORKS_BAD_STATE: it has started, and is
 *         not reusable or has not ended. ANEURALNETWORKS_OP_FAILED: an operation found a wrong value or
 * shape, or a device failed. ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE: an output has too little room;
 *         ANeuralNetworksExecution_getOutputOperandDimensions tells how much it needs.
 *         ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT: it took too long.
 * Level 29.
 */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution);

/**
 * Starts to compute, and returns.
 *
 * @param execution as of ANeuralNetworksExecution_compute. It and its arguments must stay until the event
 *        was waited for.
 * @param event receives an event whose wait returns how the computation ended; NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA, ANEURALNETWORKS_BAD_STATE: as there.
 */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event);

/**
 * As ANeuralNetworksExecution_compute, within a burst.
 *
 * @param execution an execution whose inputs and outputs are set.
 * @param burst a burst of the same compilation.
 * @return As there. ANEURALNETWORKS_BAD_DATA: also a burst of another compilation. ANEURALNETWORKS_BAD_STATE:
 *         also a burst in which another thread computes.
 * Level 29.
 */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst);

/**
 * Starts to compute once some events have been signalled, and returns.
 *
 * @param execution as of ANeuralNetworksExecution_startCompute. The dimensions of its outputs are known.
 * @param dependencies the events, which must stay until the computation has ended. Where one failed, the
 *        computation fails with ANEURALNETWORKS_OP_FAILED.
 * @param numDependencies their number; 0: none.
 * @param duration limits the time from when the events have been signalled; 0: no limit. Another number only
 *        for a compilation for one device, made by ANeuralNetworksCompilation_createForDevices.
 * @param event receives an event, as of ANeuralNetworksExecution_startCompute.
 * @return ANEURALNETWORKS_BAD_DATA: as there, a duration without one device, or an output with unknown
 *         dimensions. ANEURALNETWORKS_BAD_STATE: as there.
 * Level 30.
 */
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t numDependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event);

/**
 * Tells the rank of an output.
 *
 * @param execution an execution that has ended, well or with too little room for an output.
 * @param index the output.
 * @param rank receives its number of dimensions; 0 of a scalar.
 * @return ANEURALNETWORKS_BAD_STATE: not ended, or with another error. ANEURALNETWORKS_BAD_DATA: no such
 *         output. ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE: the rank is told, but the output had too little
 *         room.
 * Level 29.
 */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, int32_t index,
                                                  uint32_t* rank);

/**
 * Tells the dimensions of an output.
 *
 * @param execution as of ANeuralNetworksExecution_getOutputOperandRank.
 * @param index the output.
 * @param dimensions receives the dimensions, as many as the rank.
 * @return As there. ANEURALNETWORKS_BAD_DATA: also a scalar.
 * Level 29.
 */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, int32_t index,
                                                        uint32_t* dimensions);

/**
 * Says whether durations are wanted. Not by default.
 *
 * @param execution an execution that has not started.
 * @param measure whether they are wanted.
 * @return ANEURALNETWORKS_BAD_DATA: the compilation is not for one device, made by
 *         ANeuralNetworksCompilation_createForDevices. ANEURALNETWORKS_BAD_STATE: started.
 * Level 29.
 */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure);

/**
 * Tells a duration of the computation.
 *
 * @param execution an execution that has ended well.
 * @param durationCode a DurationCode.
 * @param duration receives it; UINT64_MAX where it is not known.
 * @return ANEURALNETWORKS_BAD_DATA: no such duration. ANEURALNETWORKS_BAD_STATE: not ended, or with an error,
 *         or durations were not wanted.
 * Level 29.
 */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, int32_t durationCode,
                                         uint64_t* duration);

/**
 * Limits the time of a computation, from the call that starts it.
 *
 * @param execution an execution that has not started.
 * @param duration the time; 0: no limit.
 * @return ANEURALNETWORKS_BAD_DATA: the compilation is not for one device, made by
 *         ANeuralNetworksCompilation_createForDevices. ANEURALNETWORKS_BAD_STATE: started.
 * Level 30.
 */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/**
 * Limits the time of each WHILE. A computation in which one takes longer fails with
 * ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT.
 *
 * @param execution an execution that has not started.
 * @param duration the time, at most ANeuralNetworks_getMaximumLoopTimeout, which is taken for more; 0: a loop
 *        is aborted at its first round.
 * @return ANEURALNETWORKS_BAD_STATE: started.
 * Level 30.
 */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/**
 * Says whether lengths of inputs and outputs may be larger than their values. Devices may read, and write,
 * what is behind a value up to the length. Not by default.
 *
 * @param execution an execution without inputs and outputs.
 * @param enable whether they may.
 * @return ANEURALNETWORKS_BAD_STATE: started, or an argument was set.
 * Level 31.
 */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution, bool enable);

/**
 * Says whether an execution may compute more than once, always with the same arguments; their content may
 * change between computations. Not by default.
 *
 * @param execution an execution that has not started.
 * @param reusable whether it may.
 * @return ANEURALNETWORKS_BAD_STATE: started.
 * Level 31.
 */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable);

/* ---- Events and bursts ---- */

/**
 * Waits until a computation has ended, or a sync fence was signalled. May be called several times, from
 * several threads.
 *
 * @param event the event.
 * @return How the computation ended, as of ANeuralNetworksExecution_compute. ANEURALNETWORKS_OP_FAILED: the
 *         descriptor of a sync fence reports an error.
 */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event);

/**
 * Frees an event, after it has waited for the computation.
 *
 * @param event the event, or NULL.
 */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event);

/**
 * Makes an event of a descriptor that becomes readable when something is done: a sync_file, an eventfd.
 *
 * @param sync_fence_fd the descriptor, above 0; it is duplicated.
 * @param event receives the event, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA: it is no descriptor.
 * Level 30.
 */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent** event);

/**
 * Gives the descriptor of an event: of a sync fence, or of
 * ANeuralNetworksExecution_startComputeWithDependencies.
 *
 * @param event the event.
 * @param sync_fence_fd receives a descriptor that becomes readable when the event is signalled and that the
 *        client closes; -1 if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA: the event has none.
 * Level 30.
 */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* sync_fence_fd);

/**
 * Makes a burst, for computations in quick succession.
 *
 * @param compilation a compilation that is finished.
 * @param burst receives the burst, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the compilation is not finished, or its finish failed.
 * Level 29.
 */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation, ANeuralNetworksBurst** burst);

/**
 * Frees a burst.
 *
 * @param burst the burst, or NULL.
 * Level 29.
 */
void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
