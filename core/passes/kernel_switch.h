// Implementations forced or forbidden by name: "+winograd4,-cooperative_matrix".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

class KernelSwitch {
 public:
  // The name of an implementation or graph pass. Later calls override earlier ones.
  void force(std::string_view name);
  void forbid(std::string_view name);

  bool forces_any() const { return !forced_.empty(); }
  bool forces(std::string_view name) const;
  bool forbids(std::string_view name) const;
  // Canonical: equal switches give equal text.
  std::string text() const;

  bool operator==(const KernelSwitch&) const = default;

 private:
  std::vector<std::string> forced_, forbidden_;  // sorted
};

// Parses the value of this environment variable. Entries without + or - and unknown names are ignored with a
// warning; the latter lists the known names.
KernelSwitch parse_kernel_switch(std::string_view variable, std::string_view text,
                                 std::span<const std::string_view> known);

}  // namespace nnrt
