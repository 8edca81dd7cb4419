// The one table of verbs and options: the parser, --help, shell completion and the man page are made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::cli {

enum VerbBit : unsigned {
    kList = 1, kCheck = 2, kIr = 4, kEmit = 8, kRun = 16, kVerify = 32, kProfile = 64, kTune = 128, kCompare = 256, kExport = 512,
    kDoctor = 1024, kServe = 2048, kHelp = 4096, kCompletion = 8192, kManpage = 16384, kRuns = 32768,
    kFileVerbs = kList | kCheck | kIr | kEmit | kRun | kVerify | kProfile | kTune | kCompare,
    kEvery = 0xffffffff
};

struct VerbInfo {
    VerbBit bit;
    std::string_view name;
    std::string_view arguments;  // "FILE.py"
    std::string_view summary;    // one line
    std::string_view details;    // what its output means; may be empty
    std::string_view example;
    int minFiles, maxFiles;
};

struct OptionInfo {
    std::string_view name;   // "--kernel"
    std::string_view alias;  // "-o", or empty
    std::string_view value;  // "NAME[@INSTANCE]"; empty for a flag
    unsigned verbs;
    bool isRepeatable;
    std::string_view choices;  // space-separated words for completion (not a restriction), or "FILE", "DIR"
    std::string_view help;
};

[[nodiscard]] const std::vector<VerbInfo>& verbs();
[[nodiscard]] const std::vector<OptionInfo>& optionTable();
[[nodiscard]] const VerbInfo* findVerb(std::string_view name);

}  // namespace tw::cli
