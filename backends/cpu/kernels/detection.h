// DETECTION_POST_PROCESS: decoding of SSD boxes, suppression of overlaps, the best detections of one image.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status detection_post_process(const KernelArgs& args);

}  // namespace nnrt::cpu
