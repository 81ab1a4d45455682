// Single-operator models, with the work of a run.
#pragma once

#include "networks/network_stack.h"

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct Kernel {
  std::string name;  // "conv/3x3_128_128_28"
  std::function<conformance::Case()> describe;
  bool int8 = false;
  bool large = false;  // takes seconds except on GPUs
};

std::vector<Kernel> kernels();
// A convolution or a matrix product without other operators.
bool is_product(const Kernel& kernel);

// The work of one run. A multiply-add counts as two operations; data movement and elementwise operators count
// as none.
struct Work {
  double operations = 0;
  double bytes = 0;  // inputs, constants and outputs, once each
};
Work work_of(const conformance::Case& model);

}  // namespace bench
