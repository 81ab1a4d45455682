# nnrt_operator_list(FOLDER header...): writes for OH_NN_OPS_HSWISH = 17, and so on for every operator of the API's headers, in the
# order of the numbers: NNRT_OP(hswish, HSWISH, 17) to FOLDER/core/graph/operators.inc, for C++, and #define OP_HSWISH 17u to
# FOLDER/elementwise/operator_numbers.glsl, for shaders. So a number stands in the header alone.
function(nnrt_operator_list folder)
  set(rows "")
  set(defines "")
  foreach(header IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${header} lines REGEX "^ *OH_NN_OPS_[A-Z0-9_]+ = [0-9]+,?$")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^ *OH_NN_OPS_([A-Z0-9_]+) = ([0-9]+),?$" "\\2;\\1" row "${line}")
      list(GET row 0 number)
      list(GET row 1 name)
      string(TOLOWER ${name} op)
      if(op STREQUAL "assert")  # a macro of the standard library
        set(op assert_)
      endif()
      string(APPEND rows "NNRT_OP(${op}, ${name}, ${number})\n")
      string(APPEND defines "#define OP_${name} ${number}u\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/core/graph/operators.inc CONTENT "${rows}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/elementwise/operator_numbers.glsl CONTENT "${defines}" @ONLY)
endfunction()
