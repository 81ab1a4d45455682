// Networks of the size that applications have, with weights drawn at random.
#pragma once

#include "case.h"

namespace bench {

conformance::Case resnet_50();     // 122 operators, 25.5 million weights
conformance::Case mobilenet_v2();  // 65 operators, 3.5 million weights

}  // namespace bench
