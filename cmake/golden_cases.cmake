# The loader of golden cases, for programs other than the runner: the operator page, benchmarks, core tests.
find_package(nlohmann_json REQUIRED)
set(NNRT_CONFORMANCE ${PROJECT_SOURCE_DIR}/tests/conformance)
add_library(nnrt_golden_cases STATIC ${NNRT_CONFORMANCE}/runner/case.cpp ${NNRT_CONFORMANCE}/runner/names.cpp)
target_include_directories(nnrt_golden_cases PUBLIC ${NNRT_CONFORMANCE}/runner ${PROJECT_SOURCE_DIR}/api/include ${NNRT_GENERATED})
target_compile_definitions(nnrt_golden_cases INTERFACE NNRT_GOLDEN_CASES="${NNRT_CONFORMANCE}/golden")
target_link_libraries(nnrt_golden_cases PRIVATE nlohmann_json::nlohmann_json)
nnrt_warnings(nnrt_golden_cases)
# g++ 12 false positive in std::string's memcpy (GCC bug 105329).
target_compile_options(nnrt_golden_cases PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
