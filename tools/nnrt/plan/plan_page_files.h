// The files of page/, embedded by CMake.
#pragma once

#include <string_view>

namespace nnrt::tool {

extern const std::string_view kPlanHtml, kPlanCss, kPlanJs, kPlanToolsJs;

}  // namespace nnrt::tool
