// Implementations that are forced or forbidden by name: "+winograd4,-cooperative_matrix".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

class KernelSwitch {
 public:
  // The name is that of an implementation or of a graph pass. The last word about a name counts.
  void force(std::string_view name);
  void forbid(std::string_view name);

  bool forces_any() const { return !forced_.empty(); }
  bool forces(std::string_view name) const;
  bool forbids(std::string_view name) const;
  // The same text for switches that do the same.
  std::string text() const;

  bool operator==(const KernelSwitch&) const = default;

 private:
  std::vector<std::string> forced_, forbidden_;  // sorted
};

// The switch that the text of this environment variable describes. An entry without a + or a - is left out
// with a warning, and so is an unknown name, with a list of the known ones.
KernelSwitch parse_kernel_switch(std::string_view variable, std::string_view text,
                                 std::span<const std::string_view> known);

}  // namespace nnrt
