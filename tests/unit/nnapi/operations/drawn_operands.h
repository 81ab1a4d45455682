// For every form of every operation: matching operands.
#pragma once

#include "nnapi/operations/operand_form.h"
#include "nnapi/operations/operation_row.h"

#include <string>
#include <vector>

namespace nnrt::nnapi::test {

struct Operands {
  std::vector<Operand> inputs, outputs;
};

struct Example {
  const OperationRow* row = nullptr;
  int32_t t = 0;            // the type chosen for T
  bool is_largest = false;  // nothing is omitted
  Operands operands;
};

// For every type of T and every operand count.
std::vector<Example> examples_of(const OperationRow& row);
std::vector<Example> all_examples();

Outcome check(const OperationRow& row, const Operands& operands);

}  // namespace nnrt::nnapi::test
