#include "core/placement/cost_file.h"

#include "core/base/checksum.h"
#include "core/base/text.h"
#include "core/placement/line_file.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace nnrt {
namespace {

// Changed with the format or the probes.
constexpr std::string_view kFormat = "costs2";

std::string_view first_word(std::string_view line) { return line.substr(0, line.find(' ')); }

std::string word_for(const std::string& key) {
  const std::string text = cat(kFormat, ' ', key);
  return cat(kFormat, '-', std::hex, checksum(std::as_bytes(std::span(text))));
}

// The numbers of a line, in file order.
template <typename Costs>
auto numbers_of(Costs& costs) {
  return std::array{&costs.partition_us, &costs.node_us, &costs.gflops[0],      &costs.gflops[1],
                    &costs.gflops[2],    &costs.gbytes,  &costs.transfer_gbytes};
}

std::optional<DeviceCosts> parse(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  DeviceCosts costs;
  for (double* number : numbers_of(costs)) {
    if (!(words >> *number) || !std::isfinite(*number) || *number < 0) return {};
  }
  return costs;
}

}  // namespace

std::optional<DeviceCosts> CostFile::find(const std::string& key) const {
  const std::string word = word_for(key);
  for (const std::string& line : read_lines(path_)) {
    if (first_word(line) == word) return parse(line);
  }
  return {};
}

void CostFile::store(const std::string& key, const DeviceCosts& costs) const {
  const std::string word = word_for(key);
  std::ostringstream text;
  text.exceptions(std::ios::badbit);  // fail rather than write a partial line
  text << word << std::setprecision(6);
  for (const double* number : numbers_of(costs)) text << ' ' << *number;
  text << '\n';
  replace_lines(
      path_, [&](std::string_view line) { return first_word(line) == word; }, text.str());
}

}  // namespace nnrt
