#include "core/runtime/operation_kernels.h"

#include "core/graph/subgraph.h"

#include <algorithm>

namespace nnrt {
namespace {

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

std::vector<KernelReport> kernel_reports(const CompiledModel& model) {
  Subgraphs subgraphs(*model.lowered);
  std::vector<KernelReport> reports;
  for (const CompiledModel::Partition& partition : model.partitions)
    reports.push_back(partition.model->kernels(subgraphs.cut(partition.nodes).graph));
  return reports;
}

std::map<uint32_t, OperationKernels> kernels_of_operations(const std::vector<KernelReport>& reports) {
  std::map<uint32_t, OperationKernels> kernels;
  for (const KernelReport& report : reports) {
    for (const OperationKernels& one : report.operations) {
      OperationKernels& known = kernels[one.operation];
      append(known.kernels, one.kernels);
      append(known.fused, one.fused);
    }
  }
  for (auto& [operation, own] : kernels) {
    std::ranges::sort(own.fused);
    own.fused.erase(std::unique(own.fused.begin(), own.fused.end()), own.fused.end());
    std::erase(own.fused, operation);
  }
  return kernels;
}

}  // namespace nnrt
