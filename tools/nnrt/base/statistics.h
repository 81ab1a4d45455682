// Figures of repeated measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace nnrt::tool {

// The value below which the share of the samples lies, between the two nearest; the samples need no order.
// NaN where there are none.
double percentile(std::vector<double> samples, double share);

double mean(const std::vector<double>& samples);

// The most memory that this process ever had in use (VmHWM), in bytes; 0 if the kernel does not report it.
size_t peak_memory();

}  // namespace nnrt::tool
