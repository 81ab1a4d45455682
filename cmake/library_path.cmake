# nnrt_library_path(target folder...): the folders in which the loader looks for the target's libraries, the same in the build tree
# as where it is installed. CMake would pad a path that it replaces at installation with colons, and an empty entry of such a path
# is the current folder.
function(nnrt_library_path target)
  set(folders ${ARGN})
  list(REMOVE_DUPLICATES folders)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${folders}")
endfunction()

# The same for a program in the folder `installed`.
function(nnrt_library_path_of_program target installed)
  file(RELATIVE_PATH libraries /${installed} /${CMAKE_INSTALL_LIBDIR})
  nnrt_library_path(${target} $ORIGIN/${libraries} $ORIGIN/../lib)
endfunction()
