// Queries the devices of a compiled model about its kernels, for reports.
#pragma once

#include "core/runtime/compile.h"

#include <map>
#include <vector>

namespace nnrt {

// One report per partition, in order.
std::vector<KernelReport> kernel_reports(const CompiledModel& model);

// Groups the reports by operation; an operation with several nodes has the choices of all.
std::map<uint32_t, OperationKernels> kernels_of_operations(const std::vector<KernelReport>& reports);

}  // namespace nnrt
