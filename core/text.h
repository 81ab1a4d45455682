// Making of messages. (std::format is not in the compilers this project is built with.)
#pragma once

#include "core/result.h"

#include <sstream>
#include <string>
#include <vector>

namespace nnrt {

template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

template <typename... Parts>
Error invalid(const Parts&... parts) {
  return {Code::invalid_parameter, cat(parts...)};
}

template <typename... Parts>
Error unsupported(const Parts&... parts) {
  return {Code::unsupported, cat(parts...)};
}

}  // namespace nnrt
