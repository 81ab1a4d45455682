// The files of page/, which CMake puts into the program.
#pragma once

#include <string_view>

namespace nnrt::tool {

extern const std::string_view kPlanHtml, kPlanCss, kPlanJs, kPlanToolsJs;

}  // namespace nnrt::tool
