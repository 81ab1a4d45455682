# Builds for systems with musl and libc++, as boards with OpenHarmony have, by the clang, headers and libraries that `./dev musl`
# unpacks in .deps. CMAKE_SYSTEM_PROCESSOR is x86_64 or aarch64; glslc is the build machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_SYSTEM_PROCESSOR)
get_filename_component(deps ${CMAKE_CURRENT_LIST_DIR}/../../.deps REALPATH)
set(CMAKE_C_COMPILER ${deps}/zig/bin/clang)
set(CMAKE_CXX_COMPILER ${deps}/zig/bin/clang)
set(CMAKE_AR ${deps}/zig/bin/ar)
set(CMAKE_RANLIB ${deps}/zig/bin/ranlib)
set(CMAKE_C_COMPILER_TARGET ${CMAKE_SYSTEM_PROCESSOR}-linux-musl)
set(CMAKE_CXX_COMPILER_TARGET ${CMAKE_SYSTEM_PROCESSOR}-linux-musl)

set(headers ${deps}/zig/package/lib)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(family x86)
else()
  set(family ${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CMAKE_C_FLAGS_INIT "-Wno-unused-command-line-argument -nostdinc")
foreach(folder include libc/include/${CMAKE_SYSTEM_PROCESSOR}-linux-musl libc/include/generic-musl
    libc/include/${family}-linux-any libc/include/any-linux-any)
  string(APPEND CMAKE_C_FLAGS_INIT " -isystem ${headers}/${folder}")
endforeach()
string(APPEND CMAKE_C_FLAGS_INIT " -isystem ${deps}/musl/usr/include")
# As the package compiles libc++.
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ -isystem ${headers}/libcxx/include -isystem ${headers}/libcxxabi/include \
${CMAKE_C_FLAGS_INIT} -D_LIBCPP_HAS_MUSL_LIBC -D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS \
-D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS -D_LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS -D_LIBCPP_ABI_VERSION=1 \
-D_LIBCPP_ABI_NAMESPACE=__1")

set(libraries ${deps}/musl/${CMAKE_SYSTEM_PROCESSOR}/lib)
set(options "--ld-path=${deps}/zig/bin/ld.lld -nostdlib -s -L${libraries} ${libraries}/crti.o")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-pie ${options} ${libraries}/Scrt1.o")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${options}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${options}")
set(CMAKE_C_STANDARD_LIBRARIES "${libraries}/libc.so ${libraries}/libcompiler_rt.a ${libraries}/crtn.o")
set(CMAKE_CXX_STANDARD_LIBRARIES "${libraries}/libc++.a ${libraries}/libc++abi.a ${libraries}/libunwind.a \
${CMAKE_C_STANDARD_LIBRARIES}")

if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${CMAKE_SYSTEM_PROCESSOR};-L;${deps}/musl/${CMAKE_SYSTEM_PROCESSOR}")
endif()

set(CMAKE_FIND_ROOT_PATH ${deps}/musl)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
