// Results of classifiers.
#pragma once

#include "tools/nnrt/data/output_report.h"

#include <vector>

namespace nnrt::tool {

// Returns whether the output can be that of a classifier: a score for each class of one sample.
bool is_classifier(const Output& output);

// The classes with the best scores, the best one first, of equal ones the first. NaN is the worst.
std::vector<size_t> best_classes(const Output& output, size_t count);

}  // namespace nnrt::tool
