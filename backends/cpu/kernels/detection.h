// DETECTION_POST_PROCESS: SSD box decoding, NMS, and the best detections of an image.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status detection_post_process(const KernelArgs& args);

}  // namespace nnrt::cpu
