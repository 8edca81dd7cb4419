# One target for warnings and options, and the one function that every folder uses.
add_library(tw_options INTERFACE)
target_include_directories(tw_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_options(tw_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tw_options INTERFACE -fpch-preprocess) # lets ccache see through precompiled headers
endif()
if(TW_PORTABLE)
  # Debian has fmt as a shared library or as headers: with the headers alone, the linker leaves the library out.
  target_compile_definitions(tw_options INTERFACE FMT_HEADER_ONLY=1)
  # glibc stays shared: a static one cannot open the GPU driver at run time.
  target_link_options(tw_options INTERFACE
    -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL -s)
endif()
if(TW_SANITIZE)
  target_compile_options(tw_options INTERFACE -fsanitize=${TW_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tw_options INTERFACE -fsanitize=${TW_SANITIZE})
endif()
if(TW_WITH_FUZZERS)
  # Every library counts its edges: without that the fuzzer sees only its own twenty lines and mutates blindly.
  target_compile_options(tw_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The standard headers that nearly every file includes, compiled once for all of core, codegen and profiler.
add_library(tw_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(tw_pch PUBLIC tw_options)
set(TW_PCH_HEADERS
  <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <stop_token> <string> <string_view>
  <unordered_map> <utility> <variant> <vector>)
target_precompile_headers(tw_pch PRIVATE ${TW_PCH_HEADERS})

# tw_library(NAME SOURCES a.cpp … LINKS tw_x …): the library of one folder. LINKS are the only folders it may include.
# PCH names headers that nearly every file of a large folder includes: it then has precompiled headers of its own.
# UNITY: with TW_UNITY six files at a time are compiled as one, so file-local names must differ within the folder.
function(tw_library name)
  cmake_parse_arguments(ARG "NO_PCH;UNITY" "" "SOURCES;LINKS;PCH" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tw_options ${ARG_LINKS})
  if(TW_UNITY AND ARG_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  if(ARG_PCH)
    target_precompile_headers(${name} PRIVATE ${TW_PCH_HEADERS} ${ARG_PCH})
    # With headers of ours not through ccache: a cached precompiled header remembers other times of them than a fresh
    # checkout has, and GCC's #pragma once, which compares them, then lets them in twice.
    if(ARG_PCH MATCHES "core/|codegen/|profiler/|app/")
      set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
    endif()
  elseif(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM tw_pch)
  endif()
endfunction()
