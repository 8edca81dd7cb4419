#include "app/cli/option_table.h"

namespace tw::cli {

const std::vector<VerbInfo>& verbs()
{
    static const std::vector<VerbInfo> kVerbs = {
        {kList, "list", "FILE.py", "kernels, their tensors, instances and search spaces", "", "tilec list gemm.py", 1, 1},
        {kCheck, "check", "FILE.py", "what is wrong with the file",
         "Every kernel and instance is staged, checked and lowered. Exit status 1 if there is an error.", "tilec check gemm.py --kernel matmul", 1, 1},
        {kIr, "ir", "FILE.py", "the IR of one kernel as TileLang text",
         "Without --after or --all: the tile stage as it was traced.", "tilec ir gemm.py --kernel matmul --all", 1, 1},
        {kEmit, "emit", "FILE.py", "target text or binary of one kernel", "", "tilec emit gemm.py --target cpu --format llvm", 1, 1},
        {kRun, "run", "FILE.py", "runs one kernel; statistics of its outputs and time",
         "Inputs that are not given are generated from --seed.", "tilec run gemm.py --input A=a.npy --output-dir out", 1, 1},
        {kVerify, "verify", "FILE.py", "compares a device with the interpreter",
         "Exit status 3 if an element is further from the interpreter's than rounding can explain.", "tilec verify gemm.py --device cpu", 1, 1},
        {kProfile, "profile", "FILE.py", "times, counters, a model and findings of one kernel",
         "cuda:N measures, sim counts in a simulation and models, cpu measures time. Every number says where it comes from.", "tilec profile gemm.py --device cuda:0", 1, 1},
        {kTune, "tune", "FILE.py", "measures the configurations of a search space",
         "The file's own configurations, or the product of --space. All are compiled and modelled, the best are measured and their answers checked.\n"
         "A run that was ended goes on where it was: what was measured is in the store.", "tilec tune gemm.py --device cuda:0 --space block_M=64,128 --top 8", 1, 1},
        {kCompare, "compare", "A B …", "two to eight variants side by side",
         "A variant is FILE.py, FILE.py@INSTANCE, the number of a stored run, \"last\" or a .twr file; --space and a repeated --target make more of each file.\n"
         "Files are modelled, with --device they are measured.", "tilec compare gemm.py@call:40 gemm.py@call:41", 1, 1000},
        {kExport, "export", "RUN|FILE.twr", "a stored run as report, table, trace or picture",
         "RUN is a number of the store, or \"last\". Without --format the ending of --output decides.", "tilec export 12 --format html -o gemm.html", 1, 1},
        {kRuns, "runs", "[TEXT]", "the store of runs: what is in it, baselines, notes, tags",
         "Lists the runs that have TEXT in their kernel, file, device, parameters, notes or tags, newest first; a star marks a baseline.",
         "tilec runs matmul --pin 12 --tags 12=fast,fp16", 0, 1},
        {kDoctor, "doctor", "", "what this machine has, what is missing, how to get it", "", "tilec doctor", 0, 0},
        {kServe, "serve", "", "the runner: answers requests on standard input and output",
         "The window and the command line start it themselves; `--device ssh:HOST` starts it on another machine.", "ssh HOST tilec serve", 0, 0},
        {kHelp, "help", "[VERB]", "how to use a verb", "", "tilec help run", 0, 1},
        {kCompletion, "completion", "bash|zsh|fish", "a completion script for a shell", "", "tilec completion bash > /etc/bash_completion.d/tilec", 1, 1},
        {kManpage, "manpage", "", "the manual page in roff", "", "tilec manpage | man -l -", 0, 0},
    };
    return kVerbs;
}

const std::vector<OptionInfo>& optionTable()
{
    static const std::vector<OptionInfo> kOptions = {
        {"--json", "", "", kEvery, false, "", "one JSON document on standard output and nothing else"},
        {"--kernel", "", "NAME[@INSTANCE]", kFileVerbs | kRuns, false, "", "the kernel, by the name that the file's author calls; instances: default, call:LINE"},
        {"--param", "", "NAME=VALUE", kFileVerbs, true, "", "a factory argument, compile-time constant or scalar, as a Python literal or a word"},
        {"--dim", "", "NAME=VALUE", kFileVerbs, true, "", "a symbolic extent"},
        {"--target", "", "TARGET", kFileVerbs & ~kCompare, false,
         "sm_60 sm_70 sm_75 sm_80 sm_86 sm_89 sm_90a sm_100a gfx90a gfx942 apple cpu", "what to compile for"},
        {"--target", "", "TARGET", kCompare, true,
         "sm_60 sm_70 sm_75 sm_80 sm_86 sm_89 sm_90a sm_100a gfx90a gfx942 apple cpu", "what to compile for; each makes a variant of each file"},
        {"--device", "", "DEVICE", kFileVerbs | kDoctor, false, "cpu interp sim cuda:0 ssh: cmd:",
         "where to run: cpu (default), interp, sim, cuda:N, ssh:HOST[/DEVICE], cmd:COMMAND[/DEVICE] (a command that starts a runner)"},
        {"--color", "", "WHEN", kEvery, false, "auto always never", "colour of the text output"},
        {"--quiet", "", "", kEvery, false, "", "errors only"},
        {"--no-lower", "", "", kCheck, false, "", "the front end only"},
        {"--after", "", "PASS", kIr, false, "", "the IR after this pass"},
        {"--all", "", "", kIr, false, "", "the IR after every pass"},
        {"--stage", "", "STAGE", kIr, false, "tile thread", "the tile stage or the thread stage"},
        {"--why", "", "", kIr, false, "", "why each layout was chosen"},
        {"--format", "", "FORMAT", kEmit, false, "cuda hip metal llvm asm ptx sass cubin obj", "what to write"},
        {"--format", "", "FORMAT", kExport, false, "html csv json perfetto svg png twr", "what to write; png needs tilewright beside tilec"},
        {"--format", "", "FORMAT", kCompare, false, "text html csv json svg", "what to write"},
        {"--view", "", "NAME", kExport, false, "roofline timeline headline stalls series", "the picture that --format svg and png write"},
        {"--output", "-o", "OUT", kEmit | kExport | kCompare, false, "FILE", "the file to write"},
        {"--lines", "", "", kEmit, false, "", "the map from lines of the text to lines of the source"},
        {"--input", "", "NAME=FILE.npy|VALUE", kRun | kVerify | kProfile | kTune, true, "FILE", "a tensor from a file, or a scalar"},
        {"--seed", "", "N", kRun | kVerify | kProfile | kTune | kCompare, false, "", "seed of generated inputs (default 0)"},
        {"--output-dir", "", "DIR", kRun, false, "DIR", "write the outputs there as .npy files"},
        {"--repeat", "", "N", kRun | kProfile | kTune, false, "", "timed runs, each from the same inputs (default 1; profile: 10; tune: 20)"},
        {"--inputs", "", "N", kVerify, false, "", "sets of fresh inputs (default 1)"},
        {"--rtol", "", "X", kVerify, false, "", "relative tolerance instead of the language's bounds"},
        {"--atol", "", "X", kVerify, false, "", "absolute tolerance instead of the language's bounds"},
        {"--metrics", "", "NAMES", kProfile, false, "", "counters to measure, separated by commas: headline, memory, compute, stalls or their own names (--list-metrics)"},
        {"--list-metrics", "", "", kProfile, false, "", "no profile: what --metrics may name on --device (cuda:0), and what it means; words after it search"},
        {"--timeline", "", "OUT.json", kProfile, false, "FILE", "write a timeline"},
        {"--store", "", "DB", kProfile, false, "FILE", "store the run"},
        {"--store", "", "DB", kExport | kCompare | kTune | kRuns, false, "FILE", "the store of runs (default: the user's)"},
        {"--report", "", "OUT.html", kProfile, false, "FILE", "write a report"},
        {"--budget", "", "SECONDS", kTune, false, "", "begin no measurement later than this"},
        {"--top", "", "N", kTune, false, "", "how many to measure, best model first (default: up to a sixth, at least 8, ending where the model expects no better; all where nothing is modelled)"},
        {"--space", "", "NAME=VALUE,VALUE,…", kTune | kCompare, true, "", "values to try for a parameter"},
        {"--pin", "", "RUN", kRuns, true, "", "make it the baseline of its kernel on its device"},
        {"--unpin", "", "RUN", kRuns, true, "", "no baseline any more"},
        {"--note", "", "RUN=TEXT", kRuns, true, "", "what is to be said of it"},
        {"--tags", "", "RUN=TAG,TAG", kRuns, true, "", "its tags instead of those it has"},
        {"--remove", "", "RUN", kRuns, true, "", "remove it for good"},
        {"--salvage", "", "", kRuns, false, "", "move what can be read of a damaged store into a new one"},
        {"--again", "", "", kTune, false, "", "measure again what the store knows"},
        {"--progress", "", "", kTune, false, "", "each step as one line of JSON on standard error"},
        {"--write", "", "", kTune, false, "", "write the best values into the file's defaults, where that is certain to have the effect"},
        {"--help", "-h", "", kEvery, false, "", "this text"},
    };
    return kOptions;
}

const VerbInfo* findVerb(std::string_view name)
{
    for (const VerbInfo& verb : verbs())
        if (verb.name == name)
            return &verb;
    return nullptr;
}

}  // namespace tw::cli
