// The first device of these test programs: the CPU, with a hook before its runs. The second is the CPU under
// another name.
#pragma once

#include "core/device/device.h"
#include "core/device/run_gate.h"

#include <functional>

namespace nnrt::test {

// Called by each run before it computes; an error ends the run. May be null. Set it only while nothing runs.
using Script = std::function<Status(Deadline)>;
void set_script(Script script);

// The device takes one run at a time.
RunGate& device_gate();

}  // namespace nnrt::test
