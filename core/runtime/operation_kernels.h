// Asks the devices of a compiled model how they compute it, for reports.
#pragma once

#include "core/runtime/compile.h"

#include <map>
#include <vector>

namespace nnrt {

// Returns the report of each partition, in their order.
std::vector<KernelReport> kernel_reports(const CompiledModel& model);

// Collects the reports by operation: one of which several nodes were made has the choices of all.
std::map<uint32_t, OperationKernels> kernels_of_operations(const std::vector<KernelReport>& reports);

}  // namespace nnrt
