# Headers of the frameworks whose plugins are built. They come from Debian's packages libonnxruntime-dev and
# libtensorflow-lite-dev: installed, or in the root that `./dev frameworks` makes.
set(NNRT_FRAMEWORKS "${PROJECT_SOURCE_DIR}/.deps/frameworks" CACHE PATH "Root of a Debian that has packages of frameworks")

# nnrt_framework_plugin(NAME TITLE PACKAGE header suffix...): finds the folder that has the header and sets
# NNRT_<NAME>_INCLUDE; the option NNRT_<NAME>_PLUGIN is on if there is one.
function(nnrt_framework_plugin name title package header)
  list(TRANSFORM ARGN PREPEND ${NNRT_FRAMEWORKS}/usr/include/ OUTPUT_VARIABLE folders)
  find_path(NNRT_${name}_INCLUDE ${header} HINTS ${folders} PATH_SUFFIXES ${ARGN})
  set(found ON)
  if(NOT NNRT_${name}_INCLUDE)
    set(found OFF)
  endif()
  option(NNRT_${name}_PLUGIN "Build the plugin for ${title}" ${found})
  if(NNRT_${name}_PLUGIN AND NOT found)
    message(FATAL_ERROR "NNRT_${name}_PLUGIN needs ${header} of the package ${package}. `./dev frameworks` unpacks it.")
  elseif(NOT found)
    message(STATUS "The plugin for ${title} is not built: ${header} of the package ${package} is not found")
  endif()
endfunction()

nnrt_framework_plugin(ONNXRUNTIME "ONNX Runtime" libonnxruntime-dev onnxruntime_ep_c_api.h onnxruntime)
nnrt_framework_plugin(TFLITE "TensorFlow Lite" libtensorflow-lite-dev tensorflow/lite/c/common.h .)
