/**
 * @file NeuralNetworks.h
 *
 * The Neural Networks API: models, compilations, executions, memories and devices. Usable from C11 and C++17;
 * link with libneuralnetworks.so, or load it with dlopen.
 *
 * Typical use: build and finish a model; ANeuralNetworksCompilation_create and _finish; then, as often as
 * needed, ANeuralNetworksExecution_create, _setInput, _setOutput and _compute.
 *
 * Rules for all functions:
 * - They return a ResultCode unless stated otherwise. ANEURALNETWORKS_UNEXPECTED_NULL: a handle or a required
 *   pointer is NULL; checked first. ANEURALNETWORKS_OUT_OF_MEMORY: memory, threads or file descriptors are
 *   exhausted. Further codes are listed per function.
 * - Unless stated otherwise, a failed call changes nothing. The reason is logged as one line on standard
 *   error (environment NNRT_LOG: error, warning, info, debug or off).
 * - Strings and arrays are copied unless stated otherwise. Sizes, offsets and lengths are in bytes, times and
 *   durations in nanoseconds.
 * - The client owns the result of a _create function and passes it to the corresponding _free function, which
 *   ignores NULL.
 * - Different objects may be used from different threads at the same time, even if they share a model, a
 *   compilation or a memory. Calls on one object must be serialized by the client, except
 *   ANeuralNetworksEvent_wait.
 *
 * "Level n" is the feature level that introduced a function; without it, level 27.
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
 * Returns the feature level of this library.
 *
 * @return ANEURALNETWORKS_FEATURE_LEVEL_8.
 * Level 31.
 */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/**
 * Returns the default time limit of a WHILE; see ANeuralNetworksExecution_setLoopTimeout.
 *
 * @return 2,000,000,000 ns.
 * Level 30.
 */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/**
 * Returns the maximum time limit for ANeuralNetworksExecution_setLoopTimeout.
 *
 * @return 15,000,000,000 ns.
 * Level 30.
 */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/**
 * Returns the number of devices: GPUs first, then the CPU, which is named nnapi-reference.
 *
 * @param numDevices receives their number.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer.
 * Level 29.
 */
int ANeuralNetworks_getDeviceCount(uint32_t* numDevices);

/**
 * Returns a device. Devices live as long as the process; the same index always gives the same pointer.
 *
 * @param devIndex 0 to numDevices - 1.
 * @param device receives the device.
 * @return ANEURALNETWORKS_BAD_DATA: there is no such device.
 * Level 29.
 */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device);

/**
 * Returns the unique name of a device.
 *
 * @param device the device.
 * @param name receives the name, which is owned by the library and lives as long as the device.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer.
 * Level 29.
 */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name);

/**
 * Returns the type of a device.
 *
 * @param device the device.
 * @param type receives a DeviceTypeCode.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer.
 * Level 29.
 */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type);

/**
 * Returns the version of a device's driver, in human-readable form.
 *
 * @param device the device.
 * @param version receives the text, which is owned by the library and lives as long as the device.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer.
 * Level 29.
 */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version);

/**
 * Returns the feature level of a device, which does not exceed that of the library.
 *
 * @param device the device.
 * @param featureLevel receives a FeatureLevelCode.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer.
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
 * Creates an empty model, to which operands, values and operations are added until finish. After finish, even
 * a failed one, functions that modify the model return ANEURALNETWORKS_BAD_STATE.
 *
 * @param model receives the model, to be freed with ANeuralNetworksModel_free.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer. ANEURALNETWORKS_OUT_OF_MEMORY: no memory.
 */
int ANeuralNetworksModel_create(ANeuralNetworksModel** model);

/**
 * Frees a model. Its compilations, and models that refer to it, remain valid.
 *
 * @param model the model, or NULL.
 */
void ANeuralNetworksModel_free(ANeuralNetworksModel* model);

/**
 * Adds an operand. The first has the index 0, the next 1, and so on.
 *
 * @param model a model that is not finished.
 * @param type the type; unknown dimensions are 0, and a tensor without dimensions has unknown rank.
 * @return ANEURALNETWORKS_BAD_DATA: the type is not valid. ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model, const ANeuralNetworksOperandType* type);

/**
 * Sets an operand's constant value, or marks an optional operand as omitted. A later call replaces the value.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param buffer the value. Up to ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes are copied
 *        immediately; larger values must stay valid and unchanged until finish has copied them. NULL with
 *        length 0: omitted.
 * @param length size of the value; must match the operand.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, a wrong length, or a tensor with unknown dimensions.
 *         ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index, const void* buffer,
                                         size_t length);

/**
 * Sets an operand's constant value to part of a memory. It is not copied: the client must not change it until
 * the model and its compilations are freed. The memory itself may be freed earlier.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param memory a memory that was not made from a descriptor.
 * @param offset start of the value.
 * @param length size of the value; must match the operand.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, a wrong length, a range outside the memory, a tensor
 *         with unknown dimensions, or a memory from a descriptor. ANEURALNETWORKS_BAD_STATE: the model is
 *         finished.
 */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory, size_t offset,
                                                   size_t length);

/**
 * Sets the model of an operand of type MODEL, for IF and WHILE. A model may be used by several operands.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param value a model that is finished.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, or it has another type. ANEURALNETWORKS_BAD_STATE: the
 *         model is finished, or the value is not finished or its finish failed.
 * Level 30.
 */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index,
                                                  const ANeuralNetworksModel* value);

/**
 * Sets the scales of an operand of type TENSOR_QUANT8_SYMM_PER_CHANNEL.
 *
 * @param model a model that is not finished.
 * @param index the operand.
 * @param channelQuant the scales, copied.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, it has another type, or the scales do not match its
 *         dimensions. ANEURALNETWORKS_BAD_STATE: the model is finished.
 * Level 29.
 */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel* model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams* channelQuant);

/**
 * Adds an operation. Operations may be added in any order. OperationCode lists the operands of each.
 *
 * @param model a model that is not finished.
 * @param type an OperationCode.
 * @param inputCount number of inputs.
 * @param inputs indices of operands.
 * @param outputCount number of outputs.
 * @param outputs indices of operands.
 * @return ANEURALNETWORKS_BAD_DATA: no such operation or operand, or operands that the operation does not
 *         accept. ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model, ANeuralNetworksOperationType type,
                                      uint32_t inputCount, const uint32_t* inputs, uint32_t outputCount,
                                      const uint32_t* outputs);

/**
 * Specifies the model's inputs and outputs, in the order used by ANeuralNetworksExecution_setInput and
 * _setOutput. May be called only once.
 *
 * @param model a model that is not finished.
 * @param inputCount number of inputs.
 * @param inputs indices of operands without a value.
 * @param outputCount number of outputs.
 * @param outputs indices of operands without a value.
 * @return ANEURALNETWORKS_BAD_DATA: no such operand, an operand with a value, a duplicate, or called before.
 *         ANEURALNETWORKS_BAD_STATE: the model is finished.
 */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount,
                                                  const uint32_t* inputs, uint32_t outputCount,
                                                  const uint32_t* outputs);

/**
 * Allows computing TENSOR_FLOAT32 with the range and precision of 16-bit floats. Off by default. For nested
 * models the setting of the outermost applies.
 *
 * @param model a model that is not finished.
 * @param allow whether to allow it.
 * @return ANEURALNETWORKS_BAD_STATE: the model is finished.
 * Level 28.
 */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow);

/**
 * Validates a model and makes it immutable. If this fails, the model can only be freed.
 *
 * @param model a model that is not finished.
 * @return ANEURALNETWORKS_BAD_DATA: the model is invalid: no operation, input or output; a cycle; an operand
 *         that is written twice, or never; a constant or an input that is written; a constant with unknown
 *         dimensions; missing per-channel scales. ANEURALNETWORKS_BAD_STATE: called before.
 */
int ANeuralNetworksModel_finish(ANeuralNetworksModel* model);

/**
 * Queries which operations can run on at least one of some devices.
 *
 * @param model a model that is finished.
 * @param devices the devices.
 * @param numDevices their number, not 0.
 * @param supportedOps receives, for each operation in the order in which they were added, whether one of the
 *        devices runs it.
 * @return ANEURALNETWORKS_BAD_DATA: no devices, or a duplicate. ANEURALNETWORKS_BAD_STATE: the model is not
 *         finished, or its finish failed.
 * Level 29.
 */
int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices,
                                                          uint32_t numDevices, bool* supportedOps);

/* ---- Compilations ---- */

/**
 * Creates a compilation of a model for all devices; the runtime chooses among them, and falls back to the CPU
 * for what they do not support or fail to run.
 *
 * @param model a model that is finished.
 * @param compilation receives the compilation, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the model is not finished, or its finish failed.
 */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation);

/**
 * Creates a compilation of a model for the given devices only.
 *
 * @param model a model that is finished.
 * @param devices the devices, in any order.
 * @param numDevices their number, not 0.
 * @param compilation receives the compilation, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA: no devices, or a duplicate. ANEURALNETWORKS_BAD_STATE: the model is not
 *         finished, or its finish failed.
 * Level 29.
 */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model,
                                                const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation** compilation);

/**
 * Frees a compilation. Its executions remain valid.
 *
 * @param compilation the compilation, or NULL.
 */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation);

/**
 * Sets the expected use of the compilation.
 *
 * @param compilation a compilation that is not finished.
 * @param preference a PreferenceCode.
 * @return ANEURALNETWORKS_BAD_DATA: not a PreferenceCode. ANEURALNETWORKS_BAD_STATE: finished.
 */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, int32_t preference);

/**
 * Enables a cache on disk, from which the same model compiles faster. An unusable directory or file is not an
 * error: the model is compiled without it.
 *
 * @param compilation a compilation that is not finished.
 * @param cacheDir path of an existing directory; processes may share it.
 * @param token ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN bytes chosen by the client to identify the model.
 * @return ANEURALNETWORKS_BAD_STATE: finished.
 * Level 29.
 */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir,
                                          const uint8_t* token);

/**
 * Sets the priority of the compilation's computations among those of this process.
 *
 * @param compilation a compilation that is not finished.
 * @param priority a PriorityCode.
 * @return ANEURALNETWORKS_BAD_DATA: not a PriorityCode. ANEURALNETWORKS_BAD_STATE: finished.
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
 * Compiles. If this fails, the compilation can only be freed.
 *
 * @param compilation a compilation that is not finished.
 * @return ANEURALNETWORKS_BAD_DATA: a value in the model is invalid, or none of the devices runs an
 *         operation. ANEURALNETWORKS_BAD_STATE: called before. ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT: it
 *         took too long. Other codes: a device failed.
 */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation);

/**
 * Returns the preferred alignment of an input's address.
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
 * Returns the preferred multiple for an input's length. See
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

/**
 * Returns the preferred alignment of an output's address.
 *
 * @param compilation a compilation that is finished.
 * @param index the output.
 * @param alignment receives a power of two; 1: any.
 * @return ANEURALNETWORKS_BAD_DATA: no such output. ANEURALNETWORKS_BAD_STATE: not finished, or finish
 * failed. Level 31.
 */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment);

/**
 * Returns the preferred multiple for an output's length. See
 * ANeuralNetworksExecution_enableInputAndOutputPadding.
 *
 * @param compilation a compilation that is finished.
 * @param index the output.
 * @param padding receives a power of two; 1: any.
 * @return ANEURALNETWORKS_BAD_DATA: no such output. ANEURALNETWORKS_BAD_STATE: not finished, or finish
 * failed. Level 31.
 */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding);

/* ---- Memories ---- */

/**
 * Creates a memory from part of a file, which is mapped: later changes of its content are visible.
 *
 * @param size size of the part, not 0.
 * @param protect PROT_READ, PROT_WRITE or both, as for mmap: the access allowed to the library.
 * @param fd descriptor of a file that can be mapped; it is duplicated.
 * @param offset start of the part in the file; any number.
 * @param memory receives the memory, or NULL if the function fails.
 * @return ANEURALNETWORKS_UNMAPPABLE: the file cannot be mapped or is too short. ANEURALNETWORKS_BAD_DATA:
 *         the size is 0, or protect allows no access.
 */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory** memory);

/**
 * Not supported: there are no buffers of Android's graphics system.
 *
 * @param ahwb the buffer.
 * @param memory receives NULL.
 * @return ANEURALNETWORKS_UNMAPPABLE.
 * Level 29.
 */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb,
                                                    ANeuralNetworksMemory** memory);

/**
 * Creates a memory from a descriptor. It has no content until a computation or ANeuralNetworksMemory_copy
 * writes it.
 *
 * @param desc a descriptor that is finished.
 * @param memory receives the memory, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the descriptor is not finished. ANEURALNETWORKS_OP_FAILED: its
 *         dimensions are not fully known.
 * Level 30.
 */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc,
                                         ANeuralNetworksMemory** memory);

/**
 * Copies a memory's content to another one of the same size, or of the same type and dimensions. If this
 * fails, a destination created from a descriptor has no content afterwards.
 *
 * @param src the source.
 * @param dst the destination, which is written although declared const.
 * @return ANEURALNETWORKS_BAD_DATA: sizes, types or dimensions differ, or the source has no content.
 *         ANEURALNETWORKS_UNMAPPABLE: the destination is not writable, or the source is not readable.
 * Level 30.
 */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst);

/**
 * Frees a memory. Models and executions that use it remain valid.
 *
 * @param memory the memory, or NULL.
 */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory);

/**
 * Creates an empty memory descriptor.
 *
 * @param desc receives the descriptor, to be freed with ANeuralNetworksMemoryDesc_free.
 * @return ANEURALNETWORKS_UNEXPECTED_NULL: a null pointer. ANEURALNETWORKS_OUT_OF_MEMORY: no memory.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc);

/**
 * Frees a descriptor. Memories created from it remain valid.
 *
 * @param desc the descriptor, or NULL.
 * Level 30.
 */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc);

/**
 * Declares that the memory will be used as an input.
 *
 * @param desc a descriptor that is not finished.
 * @param compilation a compilation that is finished.
 * @param index the input. All inputs and outputs of a memory must have the same type and compatible
 *        dimensions.
 * @param frequency how often, above 0 and up to 1. A hint.
 * @return ANEURALNETWORKS_BAD_DATA: the compilation is not finished, no such input, already declared,
 *         incompatible with other roles, or the frequency is out of range. ANEURALNETWORKS_BAD_STATE:
 *         finished.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc,
                                           const ANeuralNetworksCompilation* compilation, uint32_t index,
                                           float frequency);

/**
 * Declares that the memory will be used as an output.
 *
 * @param desc a descriptor that is not finished.
 * @param compilation a compilation that is finished.
 * @param index the output. All inputs and outputs of a memory must have the same type and compatible
 *        dimensions.
 * @param frequency how often, above 0 and up to 1. A hint.
 * @return as ANeuralNetworksMemoryDesc_addInputRole.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc,
                                            const ANeuralNetworksCompilation* compilation, uint32_t index,
                                            float frequency);

/**
 * Sets dimensions of the memory that its inputs and outputs leave unspecified.
 *
 * @param desc a descriptor that is not finished.
 * @param rank number of dimensions; 0 leaves all unspecified.
 * @param dimensions the dimensions; 0 leaves one unspecified.
 * @return ANEURALNETWORKS_BAD_DATA: they contradict known dimensions. ANEURALNETWORKS_BAD_STATE: finished.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank,
                                            const uint32_t* dimensions);

/**
 * Makes a descriptor immutable.
 *
 * @param desc a descriptor that is not finished.
 * @return ANEURALNETWORKS_BAD_DATA: it has no input and no output. ANEURALNETWORKS_BAD_STATE: called before.
 * Level 30.
 */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc);

/* ---- Executions ---- */

/**
 * Creates an execution: the arguments and results of a computation. A compilation may have several.
 *
 * @param compilation a compilation that is finished.
 * @param execution receives the execution, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_STATE: the compilation is not finished, or its finish failed.
 */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation,
                                    ANeuralNetworksExecution** execution);

/**
 * Waits for the execution's computation, then frees it.
 *
 * @param execution the execution, or NULL.
 */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution);

/**
 * Sets an input.
 *
 * @param execution an execution that has not started.
 * @param index the input.
 * @param type NULL, or the type with the dimensions known now. Only the dimensions are used.
 * @param buffer the value, which must stay valid until the computation has ended. NULL with length 0: an
 *        optional input is omitted.
 * @param length its size: that of the type, or more if padding is enabled.
 * @return ANEURALNETWORKS_BAD_DATA: no such input, a type that is invalid or incompatible with the model,
 *         dimensions that remain unknown, or a wrong length. ANEURALNETWORKS_BAD_STATE: already set, or
 *         started.
 */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer,
                                      size_t length);

/**
 * As ANeuralNetworksExecution_setInput, with the value in a memory.
 *
 * @param execution an execution that has not started.
 * @param index the input.
 * @param type as for ANeuralNetworksExecution_setInput.
 * @param memory the memory; if created from a descriptor, that must include this input.
 * @param offset start of the value; 0 for a memory from a descriptor.
 * @param length its size; 0 for a memory from a descriptor. Offset 0 and length 0: the complete memory.
 * @return As ANeuralNetworksExecution_setInput. ANEURALNETWORKS_BAD_DATA: also a range outside the memory.
 */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, size_t offset,
                                                size_t length);

/**
 * Sets the destination of an output.
 *
 * @param execution an execution that has not started.
 * @param index the output.
 * @param type NULL, or the type with the dimensions known now. Only the dimensions are used.
 * @param buffer receives the value. NULL with length 0: the output is not needed.
 * @param length its size: that of the type, or more if padding is enabled; any if dimensions are unknown.
 * @return As ANeuralNetworksExecution_setInput, but dimensions may remain unknown.
 */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer, size_t length);

/**
 * As ANeuralNetworksExecution_setOutput, with a memory. It must not overlap another argument.
 *
 * @param execution an execution that has not started.
 * @param index the output.
 * @param type as for ANeuralNetworksExecution_setOutput.
 * @param memory the memory; if created from a descriptor, that must include this output.
 * @param offset as for ANeuralNetworksExecution_setInputFromMemory.
 * @param length as for ANeuralNetworksExecution_setInputFromMemory.
 * @return As ANeuralNetworksExecution_setInputFromMemory.
 */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, size_t offset,
                                                 size_t length);

/**
 * Computes synchronously.
 *
 * @param execution an execution whose inputs and outputs are set.
 * @return ANEURALNETWORKS_BAD_DATA: an argument is not set. ANEURALNETWORKS_BAD_STATE: it has started, and is
 *         not reusable or has not ended. ANEURALNETWORKS_OP_FAILED: an operation found an invalid value or
 *         shape, or a device failed. ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE: an output is too small;
 *         ANeuralNetworksExecution_getOutputOperandDimensions returns the dimensions needed.
 *         ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT: it took too long.
 * Level 29.
 */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution);

/**
 * Starts an asynchronous computation.
 *
 * @param execution as for ANeuralNetworksExecution_compute. It and its arguments must stay valid until the
 *        event has been waited for.
 * @param event receives an event whose wait returns the result of the computation; NULL if the function
 *        fails.
 * @return ANEURALNETWORKS_BAD_DATA, ANEURALNETWORKS_BAD_STATE: as ANeuralNetworksExecution_compute.
 */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution, ANeuralNetworksEvent** event);

/**
 * As ANeuralNetworksExecution_compute, within a burst.
 *
 * @param execution an execution whose inputs and outputs are set.
 * @param burst a burst of the same compilation.
 * @return As ANeuralNetworksExecution_compute. ANEURALNETWORKS_BAD_DATA: also a burst of another compilation.
 *         ANEURALNETWORKS_BAD_STATE: also if another thread is computing in the burst.
 * Level 29.
 */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution, ANeuralNetworksBurst* burst);

/**
 * Starts an asynchronous computation that waits for some events.
 *
 * @param execution as for ANeuralNetworksExecution_startCompute. The dimensions of its outputs must be known.
 * @param dependencies the events, which must stay valid until the computation has ended. If one failed, the
 *        computation fails with ANEURALNETWORKS_OP_FAILED.
 * @param numDependencies their number; may be 0.
 * @param duration time limit, counted from when all events have been signaled; 0: no limit. Other values
 *        require a compilation for one device, made by ANeuralNetworksCompilation_createForDevices.
 * @param event receives an event, as for ANeuralNetworksExecution_startCompute.
 * @return ANEURALNETWORKS_BAD_DATA: as ANeuralNetworksExecution_compute, a duration without one device, or an
 *         output with unknown dimensions. ANEURALNETWORKS_BAD_STATE: as ANeuralNetworksExecution_compute.
 * Level 30.
 */
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution* execution,
                                                          const ANeuralNetworksEvent* const* dependencies,
                                                          uint32_t numDependencies, uint64_t duration,
                                                          ANeuralNetworksEvent** event);

/**
 * Returns the rank of an output.
 *
 * @param execution an execution that has succeeded, or failed because an output was too small.
 * @param index the output.
 * @param rank receives its number of dimensions; 0 for a scalar.
 * @return ANEURALNETWORKS_BAD_STATE: not ended, or failed otherwise. ANEURALNETWORKS_BAD_DATA: no such
 *         output. ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE: the rank is returned, but the output was too
 *         small.
 * Level 29.
 */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, int32_t index,
                                                  uint32_t* rank);

/**
 * Returns the dimensions of an output.
 *
 * @param execution as for ANeuralNetworksExecution_getOutputOperandRank.
 * @param index the output.
 * @param dimensions receives the dimensions; their number is the rank.
 * @return As ANeuralNetworksExecution_getOutputOperandRank. ANEURALNETWORKS_BAD_DATA: also a scalar.
 * Level 29.
 */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, int32_t index,
                                                        uint32_t* dimensions);

/**
 * Enables measurement of durations. Off by default.
 *
 * @param execution an execution that has not started.
 * @param measure whether to measure.
 * @return ANEURALNETWORKS_BAD_DATA: the compilation is not for one device, made by
 *         ANeuralNetworksCompilation_createForDevices. ANEURALNETWORKS_BAD_STATE: started.
 * Level 29.
 */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure);

/**
 * Returns a duration of the computation.
 *
 * @param execution an execution that has succeeded.
 * @param durationCode a DurationCode.
 * @param duration receives the duration; UINT64_MAX if unknown.
 * @return ANEURALNETWORKS_BAD_DATA: not a DurationCode. ANEURALNETWORKS_BAD_STATE: not ended, failed, or
 *         measurement was not enabled.
 * Level 29.
 */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, int32_t durationCode,
                                         uint64_t* duration);

/**
 * Limits the time of a computation, counted from the call that starts it.
 *
 * @param execution an execution that has not started.
 * @param duration the time; 0: no limit.
 * @return ANEURALNETWORKS_BAD_DATA: the compilation is not for one device, made by
 *         ANeuralNetworksCompilation_createForDevices. ANEURALNETWORKS_BAD_STATE: started.
 * Level 30.
 */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/**
 * Limits the time of each WHILE. A computation that exceeds it fails with
 * ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT.
 *
 * @param execution an execution that has not started.
 * @param duration the limit, capped at ANeuralNetworks_getMaximumLoopTimeout; 0: loops are aborted in the
 *        first iteration.
 * @return ANEURALNETWORKS_BAD_STATE: started.
 * Level 30.
 */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, uint64_t duration);

/**
 * Allows lengths of inputs and outputs to exceed their values. Devices may read and write the padding. Off by
 * default.
 *
 * @param execution an execution without inputs and outputs.
 * @param enable whether to allow it.
 * @return ANEURALNETWORKS_BAD_STATE: started, or an argument was set.
 * Level 31.
 */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution, bool enable);

/**
 * Allows an execution to compute more than once, always with the same arguments; their contents may change in
 * between. Off by default.
 *
 * @param execution an execution that has not started.
 * @param reusable whether to allow it.
 * @return ANEURALNETWORKS_BAD_STATE: started.
 * Level 31.
 */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable);

/* ---- Events and bursts ---- */

/**
 * Waits until a computation has ended, or a sync fence has been signaled. May be called several times, from
 * several threads.
 *
 * @param event the event.
 * @return The result of the computation, as from ANeuralNetworksExecution_compute. ANEURALNETWORKS_OP_FAILED:
 *         the descriptor of a sync fence reports an error.
 */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent* event);

/**
 * Waits for the computation, then frees the event.
 *
 * @param event the event, or NULL.
 */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent* event);

/**
 * Creates an event from a descriptor that becomes readable on completion: a sync_file or an eventfd.
 *
 * @param sync_fence_fd the descriptor, above 0; it is duplicated.
 * @param event receives the event, or NULL if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA: not a descriptor.
 * Level 30.
 */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent** event);

/**
 * Returns the descriptor of an event created from a sync fence, or by
 * ANeuralNetworksExecution_startComputeWithDependencies.
 *
 * @param event the event.
 * @param sync_fence_fd receives a descriptor that becomes readable when the event is signaled, and which the
 *        client must close; -1 if the function fails.
 * @return ANEURALNETWORKS_BAD_DATA: the event has none.
 * Level 30.
 */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent* event, int* sync_fence_fd);

/**
 * Creates a burst, for computations in quick succession.
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
