// Making of messages. (std::format is not in the compilers this project is built with.)
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
  out.exceptions(std::ios::badbit);  // else a stream keeps to itself that there was no memory for the rest
  (out << ... << parts);
  return std::move(out).str();
}

// The entries of a list with separators between them; empty ones are left out.
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
