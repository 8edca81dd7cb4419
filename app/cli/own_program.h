// The program that runs: where its file lies, and how to start it again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tw::cli {

// The file of this program, links resolved; also where a dynamic loader was told to run it (`ld-linux.so --library-path L tilec …`),
// when /proc/self/exe is the loader. Where the file is gone, /proc/self/exe, by which the system still starts it.
[[nodiscard]] std::filesystem::path ownProgram();

// A runner of this machine: this program again, whatever it is called: {".../tilec", "serve"}. Where a loader was told to run it, the
// loader with the options it was given comes first.
[[nodiscard]] std::vector<std::string> ownRunnerCommand();

}  // namespace tw::cli
