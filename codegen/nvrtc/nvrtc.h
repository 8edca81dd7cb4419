// CUDA text to PTX, machine code and SASS, with NVIDIA's compiler opened at run time.
//
// Nothing here needs a GPU or a driver. A compile takes tens to hundreds of milliseconds and may be stopped at any time. Any thread.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/gpu_c/gpu_program.h"
#include "core/support/diagnostic.h"
#include "core/target/occupancy.h"

namespace tw::nvrtc {

// What ptxas says of a kernel in its log (-v), and what follows from it.
struct KernelResources {
    std::string entry;          // as in KernelLaunch
    int registers = 0;          // a thread
    std::int64_t spillStores = 0, spillLoads = 0, stackBytes = 0;  // bytes a thread
    std::int64_t staticSharedBytes = 0;                            // of a block
    target::Occupancy occupancy;                                   // with the launch's dynamic shared memory
};

struct Compiled {
    std::string ptx;
    std::string cubin;                       // an ELF file for the target
    std::vector<KernelResources> resources;  // in the order of the program's launches, those that the text defines
    std::string log;
};

enum class FailureKind : std::uint8_t {
    kMissing,      // no NVRTC on this machine
    kUnsupported,  // this NVRTC knows no such target
    kCancelled,
    kRejected      // the text does not compile, or the tool fails on it
};
struct Failure {
    FailureKind kind{};
    std::string message;  // one sentence; a remedy where there is one
    std::string log;      // the compiler's, of kRejected
};

// Warnings of the compiler are diagnostics: in generated code they are a defect of ours. `sources` gives the source lines that
// the machine code is attributed to; it may be null. `target` is a CUDA target. Every FailureKind can come.
[[nodiscard]] tl::expected<Compiled, Failure> compile(const gpu::GpuProgram& program, const target::Target& target, const SourceSet* sources,
                                                      DiagnosticSink& diagnostics, std::stop_token stop);

// The text as it is compiled: every line of a kernel carries its source line, so that line tables name the user's file.
[[nodiscard]] std::string withLineDirectives(const gpu::GpuProgram& program, const SourceSet* sources);

struct Sass {
    std::string text;
    std::vector<gpu::LineSource> lines;  // lines of `text`
};
// Disassembles a cubin with nvdisasm, in a process of its own; waits for it. kMissing names what to install, kRejected a cubin that
// nvdisasm does not understand. `program`, `sources`: what the cubin was compiled from.
[[nodiscard]] tl::expected<Sass, Failure> disassemble(const std::string& cubin, const gpu::GpuProgram& program, const SourceSet* sources);
// Lines of PTX, attributed by its .loc directives.
[[nodiscard]] std::vector<gpu::LineSource> ptxLines(const std::string& ptx, const gpu::GpuProgram& program, const SourceSet* sources);

// NVRTC's version ("13.0") and the path of nvdisasm, or what to install.
[[nodiscard]] tl::expected<std::string, std::string> nvrtcVersion();
[[nodiscard]] tl::expected<std::string, std::string> disassemblerPath();

}  // namespace tw::nvrtc
