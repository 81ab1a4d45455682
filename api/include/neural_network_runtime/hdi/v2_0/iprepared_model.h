/**
 * @file iprepared_model.h
 *
 * A compiled model of a driver. No two methods of one are called at once; its last reference is given up when
 * no run is inside. Exceptions of methods are caught and count as NNRT_DEVICE_ERROR.
 */
#ifndef NNRT_HDI_V2_0_IPREPARED_MODEL_H
#define NNRT_HDI_V2_0_IPREPARED_MODEL_H

#include "nnrt_types.h"

namespace nnrt::hdi::V2_0 {

class IPreparedModel {
 public:
  virtual ~IPreparedModel() = default;

  /**
   * The compiled model as 1 to 100 shared buffers, which PrepareModelFromModelCache gets back in this order.
   * The runtime copies them at once; they and their fds stay the model's.
   */
  virtual int32_t ExportModelCache(std::vector<SharedBuffer>& modelCache) = 0;

  /**
   * For each input of the model the least and the most of each dimension; the same where it is fixed. Others
   * than the model has inputs, or dimensions: a run answers OH_NN_FAILED.
   */
  virtual int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                                    std::vector<std::vector<uint32_t>>& maxInputDims) = 0;

  /**
   * Computes; returns when the outputs are written. Inputs and outputs are in the order of the model. Memory
   * may have come from AllocateBuffer or from anywhere else: any fd that can be mapped, which is a duplicate
   * for this call (innrt_device.h).
   * @param outputDims receives the true dimensions of each output. If a buffer is too small for its output
   *        they report what is needed, and the return code is NNRT_INSUFFICIENT_BUFFER.
   */
  virtual int32_t Run(const std::vector<IOTensor>& inputs, const std::vector<IOTensor>& outputs,
                      std::vector<std::vector<int32_t>>& outputDims) = 0;

  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 2;
    minorVer = 0;
    return NNRT_SUCCESS;
  }
};

}  // namespace nnrt::hdi::V2_0

#endif
