// Statistics of repeated measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace nnrt::tool {

// Percentile `share` (0 to 1), interpolated linearly; the samples may be unsorted. NaN without samples.
double percentile(std::vector<double> samples, double share);

double mean(const std::vector<double>& samples);

// Peak resident memory of this process (VmHWM) in bytes; 0 if the kernel does not report it.
size_t peak_memory();

}  // namespace nnrt::tool
