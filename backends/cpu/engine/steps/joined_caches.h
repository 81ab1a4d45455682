// Growing key/value caches: ATTENTION concatenates past and new keys and values while it reads them.
#pragma once

#include "backends/cpu/base/joined_rows.h"
#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Sets Step::joins of ATTENTIONs, and Step::joined of the CONCATs that nothing else reads. Call before
// find_last_readers().
void find_joined_caches(Program& program);

// What the step can join while it computes, in this run. Nothing if joining first is as fast.
JoinedInputs joined_inputs(const Program& program, const RunContext& context, const Program::Step& step,
                           const NodeView& view);

}  // namespace nnrt::cpu
