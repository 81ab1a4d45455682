// Converts a float network, or only its weights, to fp16.
#pragma once

#include "case.h"

namespace bench {

// FLOAT32 tensors and constants become FLOAT16; operator parameters are unchanged.
conformance::Case with_fp16(conformance::Case network);

// Rounds FLOAT32 constants to halves; they stay FLOAT32, as in models exported from such checkpoints.
conformance::Case with_half_weights(conformance::Case network);

}  // namespace bench
