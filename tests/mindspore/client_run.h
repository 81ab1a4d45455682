// What a client does with a model: build, run once, and read the results.
#pragma once

#include "case.h"

#include <neural_network_runtime/neural_network_runtime.h>

#include <string>
#include <vector>

namespace nnrt::test {

using Buffers = std::vector<std::vector<unsigned char>>;

struct Results {
  std::string failure;  // the call that failed; empty: none
  Buffers outputs;

  bool operator==(const Results&) const = default;
};

// Destroys the model. Inputs are in the model's order; an input of unknown dimensions gets those of the case.
Results run_model(OH_NNModel* model, const conformance::Run& run);

// The case's model through OH_NNModel_AddOperation; null if a call fails.
OH_NNModel* compose_model(const conformance::Case& golden);

}  // namespace nnrt::test
