// String building for messages. (The supported compilers lack std::format.)
#pragma once

#include "core/base/result.h"

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);  // otherwise out-of-memory would truncate the text silently
  (out << ... << parts);
  return std::move(out).str();
}

// The non-empty entries of a separated list.
std::vector<std::string> list_entries(std::string_view text, char separator);

template <typename... Parts>
Error invalid(const Parts&... parts) {
  return {Code::invalid_parameter, cat(parts...)};
}

template <typename... Parts>
Error unsupported(const Parts&... parts) {
  return {Code::unsupported, cat(parts...)};
}

}  // namespace nnrt
