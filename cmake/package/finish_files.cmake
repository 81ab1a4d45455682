# CPack includes this file before it makes packages of the staged files. Libraries below /usr are found without a path of their own,
# which Debian does not allow there.
file(GLOB_RECURSE staged LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(file IN LISTS staged)
  if(NOT IS_SYMLINK ${file} AND (file MATCHES "/lib/.*\\.so$" OR file MATCHES "/(bin|libexec/nnrt)/"))
    file(READ ${file} magic LIMIT 4 HEX)
    if(magic STREQUAL "7f454c46")
      file(RPATH_REMOVE FILE ${file})
    endif()
  endif()
endforeach()
