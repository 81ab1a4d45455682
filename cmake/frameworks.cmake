# Headers of the frameworks whose plugins are built. They come from Debian's packages libonnxruntime-dev and
# libtensorflow-lite-dev: installed, or in the root that `./dev frameworks` makes.
set(NNRT_FRAMEWORKS "${PROJECT_SOURCE_DIR}/.deps/frameworks" CACHE PATH "Root of a Debian that has packages of frameworks")

# nnrt_framework_plugin(NAME TITLE PACKAGE header suffix...): finds the folder that has the header and sets NNRT_<NAME>_INCLUDE.
# Afterwards NNRT_<NAME>_PLUGIN is ON or OFF; its default, AUTO, is ON if there is a header.
function(nnrt_framework_plugin name title package header)
  set(NNRT_${name}_PLUGIN AUTO CACHE STRING "Build the plugin for ${title}: ON, OFF, or AUTO if its header is found")
  list(TRANSFORM ARGN PREPEND ${NNRT_FRAMEWORKS}/usr/include/ OUTPUT_VARIABLE folders)
  find_path(NNRT_${name}_INCLUDE ${header} HINTS ${folders} PATH_SUFFIXES ${ARGN})
  if(NOT NNRT_${name}_PLUGIN STREQUAL "AUTO")
    set(wanted ${NNRT_${name}_PLUGIN})
  elseif(NNRT_${name}_INCLUDE)
    set(wanted ON)
  else()
    set(wanted OFF)
    message(STATUS "The plugin for ${title} is not built: ${header} of the package ${package} is not found")
  endif()
  if(wanted AND NOT NNRT_${name}_INCLUDE)
    message(FATAL_ERROR "NNRT_${name}_PLUGIN needs ${header} of the package ${package}; `./dev frameworks` unpacks it")
  endif()
  set(NNRT_${name}_PLUGIN ${wanted} PARENT_SCOPE)
endfunction()

nnrt_framework_plugin(ONNXRUNTIME "ONNX Runtime" libonnxruntime-dev onnxruntime_ep_c_api.h onnxruntime)
nnrt_framework_plugin(TFLITE "TensorFlow Lite" libtensorflow-lite-dev tensorflow/lite/c/common.h .)
