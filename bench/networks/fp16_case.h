// Converts a float network to fp16.
#pragma once

#include "case.h"

namespace bench {

// FLOAT32 tensors and constants become FLOAT16; operator parameters are unchanged.
conformance::Case with_fp16(conformance::Case network);

}  // namespace bench
