# XRT is optional: without it (or with OFF) xrt_absent.cpp says so at run time.
set(WNPU_XRT AUTO CACHE STRING "Build the NPU path on XRT: AUTO (where it is found), ON or OFF")
set_property(CACHE WNPU_XRT PROPERTY STRINGS AUTO ON OFF)
set(WNPU_HAS_XRT OFF CACHE INTERNAL "npu/ is built on XRT")
if(NOT WNPU_XRT STREQUAL "OFF")
  # 2.13's headers lie in xrt/xrt/ and include each other from there; later ones in xrt/.
  find_path(XRT_INCLUDE_DIR xrt/xrt_bo.h HINTS $ENV{XILINX_XRT}/include /opt/xilinx/xrt/include
            PATH_SUFFIXES xrt)
  find_library(XRT_COREUTIL_LIBRARY xrt_coreutil HINTS $ENV{XILINX_XRT}/lib /opt/xilinx/xrt/lib)
  # XRT's headers include uuid/uuid.h; Debian's packages do not depend on it.
  find_path(UUID_INCLUDE_DIR uuid/uuid.h)
  find_library(UUID_LIBRARY uuid)
  if(XRT_INCLUDE_DIR AND XRT_COREUTIL_LIBRARY AND UUID_INCLUDE_DIR AND UUID_LIBRARY)
    set_property(CACHE WNPU_HAS_XRT PROPERTY VALUE ON)
  elseif(WNPU_XRT STREQUAL "ON")
    message(FATAL_ERROR "WNPU_XRT=ON, but XRT was not found (Debian: libxrt-dev and uuid-dev)")
  endif()
endif()
message(STATUS "XRT: ${WNPU_XRT}, built with it: ${WNPU_HAS_XRT}")

if(WNPU_HAS_XRT)
  target_sources(wnpu_npu PRIVATE xrt/xrt_device.cpp xrt/xrt_launch.cpp xrt/xrt_open.cpp)
  target_include_directories(wnpu_npu SYSTEM PRIVATE ${XRT_INCLUDE_DIR} ${UUID_INCLUDE_DIR})
  target_link_libraries(wnpu_npu PRIVATE ${XRT_COREUTIL_LIBRARY} ${UUID_LIBRARY})
else()
  target_sources(wnpu_npu PRIVATE xrt/xrt_absent.cpp)
endif()
