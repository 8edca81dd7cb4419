#include "codegen/llvm/jit.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/runtime.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

namespace {

void initializeTarget()
{
    static const bool done = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return true;
    }();
    (void)done;
}

std::unique_ptr<llvm::TargetMachine> makeMachine(const HostCpu& cpu)
{
    initializeTarget();
    auto builder = llvm::orc::JITTargetMachineBuilder(llvm::Triple(llvm::sys::getProcessTriple()));
    builder.setCPU(cpu.name);
    builder.getFeatures() = llvm::SubtargetFeatures(cpu.features);
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    auto machine = builder.createTargetMachine();
    TW_CHECK(static_cast<bool>(machine), "LLVM has no back end for this processor");
    return std::move(*machine);
}

struct Built {
    std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module;
    std::vector<ir::Provenance> provenances;
    std::set<const llvm::MDNode*> streamed;
};

// The module as emitted; no module if the function cannot be.
Built build(const ir::Function& function, const HostCpu& cpu, llvm::TargetMachine& machine, DiagnosticSink& diagnostics)
{
    Built built;
    auto module = std::make_unique<llvm::Module>(function.name, *built.context);
    module->setTargetTriple(machine.getTargetTriple().str());
    module->setDataLayout(machine.createDataLayout());
    Emitter emitter(*built.context, *module, function, cpu, diagnostics);
    if (!emitter.emit())
        return built;
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    TW_CHECK(!llvm::verifyModule(*module, &stream), "LLVM rejects the emitted module: " + stream.str());
    built.provenances = emitter.provenances();
    built.streamed = emitter.streamed();
    built.module = std::move(module);
    return built;
}

void optimize(Built& built, llvm::TargetMachine& machine)
{
    llvm::Module& module = *built.module;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    llvm::PipelineTuningOptions options;
    options.LoopVectorization = true;
    options.SLPVectorization = true;
    llvm::PassBuilder passes(&machine, options);
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(graphs);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, graphs, modules);
    passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
    streamStores(module, built.streamed);
}

// Records on which line of the text each instruction is printed.
class LineRecorder : public llvm::AssemblyAnnotationWriter {
public:
    LineRecorder(const std::map<const llvm::Instruction*, unsigned>& places, const std::vector<ir::Provenance>& provenances,
                 EmittedText& text)
        : places_(places), provenances_(provenances), text_(text)
    {
    }
    void emitInstructionAnnot(const llvm::Instruction* instruction, llvm::formatted_raw_ostream& out) override
    {
        const auto found = places_.find(instruction);
        if (found != places_.end() && found->second > 0 && found->second <= provenances_.size())
            text_.lines.emplace_back(static_cast<int>(out.getLine()) + 1, provenances_[found->second - 1]);
    }

private:
    const std::map<const llvm::Instruction*, unsigned>& places_;
    const std::vector<ir::Provenance>& provenances_;
    EmittedText& text_;
};

EmittedText printModule(llvm::Module& module, const std::vector<ir::Provenance>& provenances)
{
    std::map<const llvm::Instruction*, unsigned> places;
    for (llvm::Function& function : module)
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instruction : block) {
                places[&instruction] = instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
                instruction.setDebugLoc({});
            }
    llvm::StripDebugInfo(module);
    EmittedText text;
    LineRecorder recorder(places, provenances, text);
    llvm::raw_string_ostream stream(text.text);
    module.print(stream, &recorder);
    stream.flush();
    return text;
}

llvm::SmallString<0> machineCode(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type)
{
    llvm::SmallString<0> code;
    llvm::raw_svector_ostream stream(code);
    llvm::legacy::PassManager passes;
    TW_CHECK(!machine.addPassesToEmitFile(passes, stream, nullptr, type), "LLVM cannot write machine code for this processor");
    passes.run(module);
    return code;
}

// Assembly with `.loc FILE LINE …` directives: they give the line map and are left out of the text.
EmittedText readAssembly(llvm::StringRef assembly, const std::vector<ir::Provenance>& provenances)
{
    EmittedText result;
    unsigned place = 0;
    int line = 0;
    llvm::SmallVector<llvm::StringRef, 0> lines;
    assembly.split(lines, '\n');
    for (const llvm::StringRef raw : lines) {
        const llvm::StringRef text = raw.trim();
        if (text.starts_with(".loc")) {
            llvm::SmallVector<llvm::StringRef, 8> words;
            text.split(words, ' ', -1, false);
            llvm::SmallVector<llvm::StringRef, 8> first;
            words[0].split(first, '\t', -1, false);
            const llvm::StringRef number = first.size() > 1 ? (words.size() > 1 ? words[1] : "0") : (words.size() > 2 ? words[2] : "0");
            if (number.getAsInteger(10, place))
                place = 0;
            continue;
        }
        if (text.starts_with(".file") || text.starts_with(".cfi_") || text.starts_with(".Ltmp") || text.starts_with(".ident") ||
            text.starts_with(".Lfunc_begin") || text.starts_with(".Lfunc_end"))
            continue;
        result.text.append(raw.begin(), raw.end());
        result.text += '\n';
        ++line;
        const bool instruction = !text.empty() && text.front() != '.' && text.front() != '#' && !text.ends_with(":");
        if (instruction && place > 0 && place <= provenances.size())
            result.lines.emplace_back(line, provenances[place - 1]);
    }
    return result;
}

class JitCode final : public CompiledCode {
public:
    std::unique_ptr<llvm::orc::LLJIT> jit;
};

std::string describe(llvm::Error error) { return llvm::toString(std::move(error)); }

}  // namespace

HostCpu hostCpu()
{
    HostCpu cpu;
    cpu.name = llvm::sys::getHostCPUName().str();
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    llvm::SubtargetFeatures text;
    for (const auto& feature : features)
        text.AddFeature(feature.first(), feature.second);
    cpu.features = text.getString();
    const auto has = [&](const char* name) { return features.lookup(name); };
    cpu.hasFma = has("fma") || has("neon");
    cpu.vectorBytes = has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq") ? 64 : has("avx2") ? 32 : 16;
    return cpu;
}

std::unique_ptr<CompiledCode> compileToMemory(const ir::Function& function, DiagnosticSink& diagnostics)
{
    const HostCpu cpu = hostCpu();
    auto machine = makeMachine(cpu);
    Built built = build(function, cpu, *machine, diagnostics);
    if (!built.module)
        return nullptr;
    optimize(built, *machine);
    auto code = std::make_unique<JitCode>();
    code->provenances = std::move(built.provenances);
    auto jit = llvm::orc::LLJITBuilder().create();
    TW_CHECK(static_cast<bool>(jit), "LLVM's JIT does not start: " + describe(jit.takeError()));
    code->jit = std::move(*jit);
    llvm::orc::SymbolMap symbols;
    for (const auto& [name, address] : runtimeSymbols())
        symbols[code->jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    auto& library = code->jit->getMainJITDylib();
    auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)));
    TW_CHECK(!error, describe(std::move(error)));
    auto generator = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(code->jit->getDataLayout().getGlobalPrefix());
    if (generator)  // memcpy, memset and the like
        library.addGenerator(std::move(*generator));
    // Our own target machine writes the object: the JIT's would not have the host's features.
    const llvm::SmallString<0> object = machineCode(*built.module, *machine, llvm::CodeGenFileType::ObjectFile);
    error = code->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, function.name));
    TW_CHECK(!error, describe(std::move(error)));
    auto host = code->jit->lookup("tw_host");
    TW_CHECK(static_cast<bool>(host), "the compiled code does not link: " + describe(host.takeError()));
    code->host = host->toPtr<HostFunction>();
    return code;
}

EmittedText compileToText(const ir::Function& function, TextKind kind, DiagnosticSink& diagnostics)
{
    const HostCpu cpu = hostCpu();
    auto machine = makeMachine(cpu);
    Built built = build(function, cpu, *machine, diagnostics);
    if (!built.module)
        return {};
    if (kind != TextKind::kUnoptimizedIr)
        optimize(built, *machine);
    if (kind != TextKind::kAssembly)
        return printModule(*built.module, built.provenances);
    return readAssembly(machineCode(*built.module, *machine, llvm::CodeGenFileType::AssemblyFile), built.provenances);
}

std::string compileToObject(const ir::Function& function, DiagnosticSink& diagnostics)
{
    const HostCpu cpu = hostCpu();
    auto machine = makeMachine(cpu);
    Built built = build(function, cpu, *machine, diagnostics);
    if (!built.module)
        return {};
    optimize(built, *machine);
    return machineCode(*built.module, *machine, llvm::CodeGenFileType::ObjectFile).str().str();
}

}  // namespace tw::llvm_backend
