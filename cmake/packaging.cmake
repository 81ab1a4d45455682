# `cpack` in the build tree makes the Debian packages. Each package holds one component, and every install() names its component.
# Dependencies on other projects are read from the binaries; those between these packages are declared here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nnrt)
set(CPACK_PACKAGE_CONTACT "NNRt maintainers <maintainers@nnrt.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Libraries in the build tree find each other.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/finish_files.cmake)
# Sets file permissions that would otherwise depend on the checkout's umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(package_files ${PROJECT_BINARY_DIR}/package)
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/changelog.in ${package_files}/changelog @ONLY)
execute_process(COMMAND gzip -9nc ${package_files}/changelog OUTPUT_FILE ${package_files}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)

# nnrt_package(COMPONENT NAME SUMMARY text DESCRIPTION text [SECTION section] [ALL] [BINARIES] [LIBRARIES]
#   [NEEDS NAME...] [DEPENDS text] [RECOMMENDS text])
#   ALL: architecture-independent. BINARIES: has programs or libraries. LIBRARIES: runs ldconfig.
function(nnrt_package component name)
  cmake_parse_arguments(PARSE_ARGV 2 package "ALL;BINARIES;LIBRARIES" "SUMMARY;DESCRIPTION;SECTION;DEPENDS;RECOMMENDS" "NEEDS")
  string(TOUPPER ${component} id)
  set(prefix CPACK_DEBIAN_${id})
  set(needs ${package_DEPENDS})
  foreach(need IN LISTS package_NEEDS)
    list(APPEND needs "${need} (= ${PROJECT_VERSION})")
  endforeach()
  list(JOIN needs ", " needs)
  set(${prefix}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(${prefix}_PACKAGE_DEPENDS "${needs}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_RECOMMENDS "${package_RECOMMENDS}" PARENT_SCOPE)
  set(${prefix}_DESCRIPTION "${package_SUMMARY}\n${package_DESCRIPTION}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_SHLIBDEPS ${package_BINARIES} PARENT_SCOPE)
  if(package_SECTION)
    set(${prefix}_PACKAGE_SECTION ${package_SECTION} PARENT_SCOPE)
  endif()
  if(package_ALL)
    set(${prefix}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
  endif()
  if(package_LIBRARIES)
    set(${prefix}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/package/triggers PARENT_SCOPE)
  endif()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(documents ${CMAKE_INSTALL_DATADIR}/doc/${name})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/copyright ${PROJECT_SOURCE_DIR}/NOTICE ${package_files}/changelog.gz
    DESTINATION ${documents} COMPONENT ${component})
  set(overrides ${PROJECT_SOURCE_DIR}/cmake/package/${name}.lintian-overrides)
  if(EXISTS ${overrides})
    install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name} COMPONENT ${component})
  endif()
endfunction()

nnrt_package(runtime libnnrt0 BINARIES LIBRARIES
  DEPENDS libvulkan1  # which it opens itself
  SUMMARY "OpenHarmony's Neural Network Runtime on GPUs and CPUs"
  DESCRIPTION "The C API OH_NN of OpenHarmony, in libneural_network_core.so and
 libneural_network_runtime.so, over a device for every GPU with Vulkan, a
 device for the CPU, and a scheduler that divides a model between them.
 Programs for OpenHarmony find the same functions and structures here."
  RECOMMENDS "mesa-vulkan-drivers | vulkan-icd, nnrt")
nnrt_package(nnapi libneuralnetworks BINARIES LIBRARIES NEEDS libnnrt0
  SUMMARY "Android's Neural Networks API on GPUs and CPUs"
  DESCRIPTION "The C API ANeuralNetworks of Android, feature level 8, in
 libneuralnetworks.so, over a device for every GPU with Vulkan and one for
 the CPU."
  RECOMMENDS "mesa-vulkan-drivers | vulkan-icd, nnrt")
if(NNRT_TOOLS)
  nnrt_package(import libnnrt-import0 BINARIES LIBRARIES NEEDS libnnrt0
    SUMMARY "reads ONNX, TFLite and MindSpore Lite files for NNRt"
    DESCRIPTION "A C API that reads ONNX, TensorFlow Lite and MindSpore Lite files as OH_NN
 models.")
  set(import_package libnnrt-import0)
endif()
if(TARGET nnrt_onnxruntime)
  nnrt_package(onnxruntime libnnrt-onnxruntime BINARIES NEEDS libnnrt0
    SUMMARY "execution provider for ONNX Runtime on GPUs and CPUs"
    DESCRIPTION "A plugin that runs ONNX Runtime's models on the devices of NNRt:
 libnnrt_onnxruntime.so.")
endif()
if(TARGET nnrt_tflite)
  nnrt_package(tflite libnnrt-tflite BINARIES NEEDS libnnrt0
    SUMMARY "delegate for TensorFlow Lite on GPUs and CPUs"
    DESCRIPTION "An external delegate that runs TensorFlow Lite's models on the devices of
 NNRt: libnnrt_tflite.so.")
endif()
nnrt_package(dev libnnrt-dev SECTION libdevel NEEDS libnnrt0 ${import_package}
  SUMMARY "OpenHarmony's Neural Network Runtime: headers"
  DESCRIPTION "Headers of the API and of drivers, and what CMake and pkg-config need in
 order to find the libraries of NNRt.")
nnrt_package(nnapi_dev libneuralnetworks-dev SECTION libdevel NEEDS libneuralnetworks libnnrt-dev
  SUMMARY "Android's Neural Networks API: header"
  DESCRIPTION "The header of Android's Neural Networks API, and what CMake and pkg-config
 need in order to find libneuralnetworks.so.")
nnrt_package(tools nnrt SECTION utils BINARIES NEEDS libnnrt0
  SUMMARY "runs ONNX, TFLite and MindSpore Lite models on GPUs and CPUs"
  DESCRIPTION "The command nnrt runs, measures, compares and explains model files on the
 devices of NNRt. The program nnrt-device-host keeps drivers out of the
 processes that use them.")
if(NNRT_TESTS)
  nnrt_package(conformance nnrt-conformance SECTION utils BINARIES NEEDS libnnrt0 libneuralnetworks nnrt
    SUMMARY "checks what a device of NNRt computes"
    DESCRIPTION "Cases with known results for every operator of OH_NN and of Android's Neural
 Networks API, and the command nnrt-conformance, which runs them on a device
 or on a vendor's driver.")
endif()
if(TARGET nnrt_python)
  math(EXPR next_minor "${NNRT_PYTHON_MINOR} + 1")  # the module is of one version of Python
  nnrt_package(python python3-nnrt SECTION python BINARIES NEEDS libnnrt0
    DEPENDS "python3 (>= 3.${NNRT_PYTHON_MINOR}), python3 (<< 3.${next_minor}), python3-numpy"
    RECOMMENDS "nnrt"
    SUMMARY "runs ONNX, TFLite and MindSpore Lite models (Python 3)"
    DESCRIPTION "The module nnrt: models of files with numpy arrays in and out, tensors whose
 memory is the device's, threads and asyncio.")
endif()
nnrt_package(driver libnnrt-driver BINARIES
  DEPENDS libvulkan1
  SUMMARY "driver for OpenHarmony's own runtime on GPUs and CPUs"
  DESCRIPTION "libnnrt_vdi_impl.z.so, which a service of OpenHarmony opens: the devices of NNRt
 as a driver with the interface HDI. On a PC, its runtime opens it as a
 plugin.")
nnrt_package(doc nnrt-doc SECTION doc ALL
  SUMMARY "OpenHarmony's Neural Network Runtime: documentation"
  DESCRIPTION "The guide, the specification of the API and of its operators, and examples
 in C and C++.")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/nnrt-doc COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/nnrt-doc COMPONENT doc)
# What the packages hold, without tests and benchmarks: `cmake --build build --target packaged`, then `cpack`.
add_custom_target(packaged)
foreach(target nnrt_shared neural_network_core neural_network_runtime neuralnetworks nnrt_import_shared nnrt nnrt_manual_pages nnrt-device-host
    nnrt_device_host_page conformance_runner nnapi_runner nnrt_vdi_impl nnrt_python_package nnrt_onnxruntime nnrt_tflite)
  if(TARGET ${target})
    add_dependencies(packaged ${target})
  endif()
endforeach()
include(CPack)
