// Integer LSTM kernels, one file each.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status quantized_16bit_lstm(const KernelArgs& args);
Status quantized_lstm(const KernelArgs& args);

}  // namespace nnrt::cpu
