// One run of a file: finds its kernels and their calls (survey), or goes to one of them again and traces it.
//
// A trace with overlays runs the file again up to the instance's call, so that closures and objects are what they were
// there; results of other kernels' calls are taken from the survey. Nothing is shared between runs, so that any number of
// them may go on at once.
#pragma once

#include <compare>
#include <deque>
#include <set>

#include "core/staging/compile_options.h"
#include "core/staging/interpreter.h"
#include "core/staging/program_state.h"
#include "core/staging/trace/tracer.h"

namespace tw::staging {

// What a run knows of one kernel of the file. Numbered in order of discovery; found again by where it is defined.
struct Entry {
    std::uint32_t id = 0;
    std::string name;
    std::set<std::string> aliases;
    KernelForm form{};
    SourceRange range;
    std::shared_ptr<KernelValue> kernel;      // its first definition
    std::shared_ptr<FunctionValue> function;  // undecorated factories, and the Python of all others
    std::vector<std::uint32_t> records;       // calls with different arguments, in order
    bool usedInside = false;                  // called while another kernel was staged
    bool isMethod = false;
    std::shared_ptr<ClassValue> built;        // of a method that nothing calls: the class that its object is made of
    int traced = 0;
    std::optional<CompileOptions> compileOptions;  // of tilelang.compile(prim_func, …)
};

// One set of arguments of a kernel.
struct Record {
    std::uint32_t entry = 0;
    CallKey key;
    std::shared_ptr<KernelValue> kernel;
    std::map<std::string, Value> arguments;      // of every parameter, by name
    std::map<std::string, Value> tensors;        // eager and array kernels: what run-time parameters were given
    std::map<std::string, std::int64_t> dims;    // symbolic extents that calls determine
    std::map<std::string, std::int64_t> callDims;  // array kernels: those of another call, for extents that nothing else gives
    std::optional<CompileOptions> compileOptions;
    Traced traced;
    SourceRange callRange;
    std::shared_ptr<const KernelValue> compiled;  // array kernels: what tl.compile made
    bool isDefault = false;
};

class Session final : public KernelHost {
public:
    struct Target {  // of a trace; absent in a survey
        std::uint64_t entry = 0;                // where the kernel is defined
        std::optional<CallKey> call;            // absent: the default instance
        std::string selector;
        bool keepCall = false;                  // an explicit instance: its own values come before the defaults
        Bindings params, dims;
        std::map<std::string, GivenTensor> tensors;  // inputs at hand
        std::map<std::string, std::int64_t> knownDims;
        std::optional<CompileOptions> compileOptions;
    };
    Session(std::shared_ptr<const syntax::Module> module, const Options& options, DiagnosticSink& sink, std::stop_token stop);
    ~Session() override;

    void run();                     // module level, `__main__`, functions that nothing calls
    void traceDefaults();           // survey: instances without a call
    void runTarget(const Target& target, const std::map<CallKey, Traced>& known);
    // Stages several calls in one run, each as runTarget would. No overlays. Absent from the result: what the file does not
    // reach any more, and what stands behind a kernel that used up its budget.
    struct Staged {
        Record record;
        std::vector<std::string> missing;
    };
    std::map<CallKey, Staged> runTargets(const std::vector<Target>& targets, const std::map<CallKey, Traced>& known);

    std::deque<Entry>& entries() { return entries_; }
    std::deque<Record>& records() { return records_; }
    std::map<CallKey, Traced>& results() { return results_; }
    SourceSet& sources() { return sources_; }
    [[nodiscard]] const Value* global(const std::string& name) const  // of the opened file, after run()
    {
        const auto it = globals_->names.find(name);
        return it == globals_->names.end() ? nullptr : &it->second;
    }
    Interpreter& interpreter() { return *interpreter_; }
    const std::optional<Record>& targetRecord() const { return targetRecord_; }
    const std::vector<std::string>& missing() const { return missing_; }
    const std::set<std::string>& usedOverlays() const { return usedOverlays_; }

    // ---- KernelHost ----
    void kernelDefined(const std::shared_ptr<KernelValue>& kernel) override;
    Value definePrimFunc(const std::shared_ptr<FunctionValue>& function, const SourceRange& decorator) override;
    Value kernelCompiled(const std::shared_ptr<KernelValue>& compiled, const CallArguments& call) override;
    Value callKernel(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments) override;
    std::optional<Value> kernelAttribute(const std::shared_ptr<KernelValue>& kernel, const std::string& name) override;
    std::optional<Value> enterFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments) override;
    void overlayParameters(const FunctionValue& function, Environment& scope) override;

    [[nodiscard]] std::vector<std::string> stagingParameters(const Entry& entry) const;
    [[nodiscard]] bool hasDefault(const Entry& entry, const std::string& parameter) const;
    [[nodiscard]] std::optional<Value> defaultOf(const Entry& entry, const std::string& parameter) const;
    [[nodiscard]] SourceRange rangeOf(const Entry& entry, const std::string& parameter) const;  // the default, or the name
    // *args and **kwargs of a kernel that nothing calls are empty.
    static void addRest(const Entry& entry, std::map<std::string, Value>& arguments);

private:
    // entries
    std::uint32_t entryFor(const SourceRange& range, const std::string& name, KernelForm form);
    CallKey nextKey(const Entry& entry, const SourceRange& site);
    std::uint32_t recordFor(Entry& entry, Record record, bool& isNew);
    void discoverUncalled();
    void callUncalled();
    void noteFactories(Environment& scope);
    void noteMethods(const std::shared_ptr<ClassValue>& type);
    void noteMethod(const Value& value, const std::shared_ptr<ClassValue>& type);
    [[nodiscard]] std::vector<std::string> objectParameters(const Entry& entry) const;  // of its constructor
    std::map<std::string, Value> withObject(const Entry& entry, std::map<std::string, Value> arguments);

    // tracing
    void trace(Record& record);
    void traceInto(Record& record, Traced& out);
    void traceFactory(Record& record, Traced& out);
    void traceEagerKernel(Record& record, Traced& out);
    void traceArrayKernel(Record& record, Traced& out);
    void tracePrim(Record& record, Traced& out);
    void collect(const Value& value, Traced& out, int depth = 0);
    Value runFactory(const Record& record);
    FactoryMode modeOf(const std::shared_ptr<FunctionValue>& function);
    [[nodiscard]] bool traces(const Entry& entry) const;
    [[nodiscard]] bool hasShapes(const Entry& entry) const;
    bool isTarget(const CallKey& key) const;
    void reachTarget(const Record& record);
    void stageTarget(Record record);
    [[noreturn]] void endRun();
    void overlay(Record& record, const Entry& entry);
    void overlayTensors(Record& record, const Entry& entry);

    // calls
    Value callFactory(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments, bool compileOnly);
    Value callPlainFactory(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments);
    void checkArrayCompile(const std::shared_ptr<KernelValue>& compiled, const CallArguments& call);
    Value callArray(const std::shared_ptr<KernelValue>& kernel, const std::shared_ptr<KernelValue>& compiled,
                    const CallArguments& arguments);
    Value callCompiled(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments);
    Value finishCall(Entry& entry, Record record, bool runs);
    Value compiledValue(const Record& record, std::uint32_t index, const Traced& traced);
    Value returnedTensors(const ir::Function& function);
    bool bindCall(const Entry& entry, const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments,
                  Record& record);
    void checkTensors(const KernelValue& kernel, const ir::Function& function, const CallArguments& arguments, Record* record);
    void checkEagerTensors(const ir::Function& function, const Record& record);
    bool isCandidate(const std::shared_ptr<FunctionValue>& function);
    void report(Diagnostic diagnostic, const std::string& kernel);

    std::shared_ptr<const syntax::Module> module_;
    DiagnosticSink& sink_;
    SourceSet sources_;
    std::unique_ptr<Interpreter> interpreter_;
    std::shared_ptr<Environment> globals_;
    std::deque<Entry> entries_;  // references stay valid while they grow
    std::map<std::uint64_t, std::uint32_t> entryAt_;
    std::deque<Record> records_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> occurrences_;
    std::map<CallKey, Traced> results_;
    std::map<const syntax::FunctionDef*, bool> candidates_;
    std::set<const syntax::FunctionDef*> called_;
    std::vector<std::shared_ptr<KernelValue>>* tracedInside_ = nullptr;  // prim_funcs of the factory that is running

    const Target* target_ = nullptr;
    const std::map<CallKey, Traced>* known_ = nullptr;
    std::map<CallKey, const Target*> together_;  // of runTargets; else empty
    std::map<CallKey, Staged> staged_;
    std::optional<Record> targetRecord_;
    std::vector<std::string> missing_;
    std::set<std::string> usedOverlays_;
    bool insideTarget_ = false;
    bool finished_ = false;               // the module level has run
    std::vector<std::uint32_t> retries_;  // prim_funcs of the module level that use names bound further down
};

// A method whose first parameter is its object or class.
[[nodiscard]] bool takesObject(const FunctionValue& function);

// Where something is defined, as one number.
[[nodiscard]] inline std::uint64_t placeOf(const SourceRange& range)
{
    return (static_cast<std::uint64_t>(range.file) << 32) | range.begin;
}

}  // namespace tw::staging
