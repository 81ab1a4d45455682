# nnrt_library_path(target folder...): the folders where the loader looks for the target's libraries, identical in the build tree and
# after installation. CMake would pad a path replaced at installation with colons, and an empty entry in such a path means the
# current folder.
function(nnrt_library_path target)
  set(folders ${ARGN})
  list(REMOVE_DUPLICATES folders)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${folders}")
endfunction()

# Like nnrt_library_path(), for a program in the folder `installed`.
function(nnrt_library_path_of_program target installed)
  file(RELATIVE_PATH libraries /${installed} /${CMAKE_INSTALL_LIBDIR})
  nnrt_library_path(${target} $ORIGIN/${libraries} $ORIGIN/../lib)
endfunction()
