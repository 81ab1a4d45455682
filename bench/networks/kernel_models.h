// Models of one operator, with what a run of it has to do.
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
  bool large = false;  // takes seconds but on GPUs
};

std::vector<Kernel> kernels();
// A convolution or a matrix product without other operators.
bool is_product(const Kernel& kernel);

// The work of one run. A multiplication with its addition is two operations; movements and elementwise
// operators count none.
struct Work {
  double operations = 0;
  double bytes = 0;  // inputs, constants and outputs, each once
};
Work work_of(const conformance::Case& model);

}  // namespace bench
