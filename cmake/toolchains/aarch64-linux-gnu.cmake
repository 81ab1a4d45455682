# Cross builds for 64-bit Arm Linux with Debian's cross compiler and the packages that `./dev aarch64` unpacks.
# Built programs run under qemu-user; flatc and glslc are the build machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(NNRT_SYSROOT_DEFAULT ${CMAKE_CURRENT_LIST_DIR}/../../.deps/aarch64 REALPATH)
set(NNRT_SYSROOT ${NNRT_SYSROOT_DEFAULT} CACHE PATH "Folder with the unpacked packages of the target")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NNRT_SYSROOT)
set(CMAKE_SYSROOT ${NNRT_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The emulated processor for tests: `max` has all extensions, `cortex-a72` only those of the first generation.
set(NNRT_QEMU_CPU max CACHE STRING "The processor that qemu-user emulates")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;${NNRT_SYSROOT};-cpu;${NNRT_QEMU_CPU}")
