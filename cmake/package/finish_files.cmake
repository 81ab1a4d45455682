# CPack includes this file before it packages the staged files. Removes the run path of libraries below /usr, which is not needed
# there and not allowed by Debian.
file(GLOB_RECURSE staged LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(file IN LISTS staged)
  if(NOT IS_SYMLINK ${file} AND (file MATCHES "/lib/.*\\.so$" OR file MATCHES "/(bin|libexec/nnrt)/"))
    file(READ ${file} magic LIMIT 4 HEX)
    if(magic STREQUAL "7f454c46")
      file(RPATH_REMOVE FILE ${file})
    endif()
  endif()
endforeach()
