// The first device of the program that these tests are: the CPU, whose runs first do what a test says. The
// second is the CPU under another name.
#pragma once

#include "core/device/device.h"
#include "core/device/run_gate.h"

#include <functional>

namespace nnrt::test {

// Each run calls it before it computes; an error ends the run. May be null. Set while nothing runs.
using Script = std::function<Status(Deadline)>;
void set_script(Script script);

// The device takes one run at a time.
RunGate& device_gate();

}  // namespace nnrt::test
