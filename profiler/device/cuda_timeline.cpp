#include "profiler/device/cuda_timeline.h"

#include <fmt/format.h>

#include "codegen/cuda/cuda.h"
#include "codegen/driver/record.h"
#include "profiler/cuda/timing.h"
#include "profiler/device/cuda_call.h"
#include "profiler/device/cuda_compile.h"
#include "profiler/device/cuda_executable.h"
#include "profiler/device/cuda_kernels.h"

namespace tw::device {
namespace {

constexpr int kWarmUps = 2;
constexpr int kCalibrationRecords = 64;

// One form of the program in the GPU, with memory of its own.
struct Loaded {
    CudaKernels kernels;
    std::unique_ptr<CudaCall> call;
};

class Recording {
public:
    Recording(const driver::CompileSnapshot& snapshot, interp::Arguments& arguments, const CudaTimelineOptions& options,
            const protocol::CudaCompiler& client, DiagnosticSink& diagnostics, const std::function<void(double)>& progress, std::stop_token stop)
        : snapshot_(snapshot), arguments_(arguments), options_(options), client_(client), diagnostics_(diagnostics), progress_(progress),
          stop_(std::move(stop))
    {
    }

    std::optional<CudaTimeline> run(int ordinal)
    {
        if (!snapshot_.gpuProgram || !open(ordinal))
            return std::nullopt;
        Loaded plain, marked;
        if (!load(snapshot_.gpuProgram, plain))
            return std::nullopt;
        const auto recorded = driver::recordProgram(snapshot_, optionsFor(*plain.call), diagnostics_);
        if (!recorded || !load(recorded->program, marked))
            return std::nullopt;
        if (measure(plain, marked) && record(marked, recorded->records)) {
            calibrate();
            tell(1);
            return std::move(out_);
        }
        return std::nullopt;
    }

    bool deviceIsLost() const { return context_ && (context_->isLost() || stop_.stop_requested()); }

private:
    bool failed(const cuda::Failure& failure)
    {
        diagnostics_.report(toDiagnostic(failure, snapshot_.function->range));
        return false;
    }
    template <class T>
    bool isFine(const cuda::Result<T>& result)
    {
        return result ? true : failed(result.error());
    }
    void tell(double fraction) const
    {
        if (progress_)
            progress_(fraction);
    }

    bool open(int ordinal)
    {
        auto driver = cuda::Driver::open();
        if (!driver)
            return failed(driver.error());
        auto context = cuda::Context::open(*driver, ordinal);
        if (!context)
            return failed(context.error());
        context_ = std::move(*context);
        return isFine(context_->enter());
    }

    std::optional<std::string> cubin(const gpu::GpuProgram& program)
    {
        const std::string text = nvrtc::withLineDirectives(program, &snapshot_.program->sources());
        protocol::CudaCompileResult compiled = compileAnywhere({snapshot_.function->name, text, snapshot_.target.name, program.fastMath}, client_);
        for (const Diagnostic& d : compiled.head.diagnostics)
            diagnostics_.report(d);
        return compiled.head.outcome == protocol::Outcome::kFine ? std::optional(std::move(compiled.cubin)) : std::nullopt;
    }

    bool load(const std::shared_ptr<const gpu::GpuProgram>& program, Loaded& to)
    {
        auto image = cubin(*program);
        if (!image)
            return false;
        auto kernels = loadKernels(context_, snapshot_.function, program, std::move(*image));
        if (!kernels)
            return failed(kernels.error());
        to.kernels = std::move(*kernels);
        to.call = std::make_unique<CudaCall>(to.kernels, arguments_);
        return to.call->prepare(diagnostics_) && isFine(to.call->keepInputs());
    }

    // The registers that records need must not cost a resident block.
    passes::RecordOptions optionsFor(const CudaCall& plain) const
    {
        passes::RecordOptions wanted;
        wanted.blocks = options_.blocks;
        for (const CudaCall::Launch& l : plain.launches()) {
            wanted.residentBlocks.resize(std::max(wanted.residentBlocks.size(), l.index + 1));
            const auto& [x, y, z] = l.shape.block;
            wanted.residentBlocks[l.index] = cuda::residentBlocks(*context_, l.function, x * y * z, l.shape.dynamicSharedBytes);
        }
        return wanted;
    }

    // One more sample of the duration, in microseconds.
    bool sample(CudaCall& call, int warmUps, std::vector<double>& to)
    {
        const auto samples = cuda::time(context_, [&] { return call.restore(); }, [&] { return call.launchAll(); }, {warmUps, 1, options_.coldL2}, stop_);
        if (!samples)
            return failed(samples.error());
        to.insert(to.end(), samples->begin(), samples->end());
        return !stop_.stop_requested();
    }

    // By turns, so that clocks and temperatures are the same for both.
    bool measure(Loaded& plain, Loaded& marked)
    {
        std::vector<double> without, with;
        const int rounds = std::max(1, options_.repeat);
        for (int round = 0; round < rounds; ++round) {
            if (!sample(*plain.call, round == 0 ? kWarmUps : 0, without) || !sample(*marked.call, round == 0 ? kWarmUps : 0, with))
                return false;
            tell(0.9 * (round + 1) / rounds);
        }
        plainUs_ = cuda::summarizeTimes(std::move(without)).median;
        recordedUs_ = cuda::summarizeTimes(std::move(with)).median;
        return true;
    }

    bool record(Loaded& marked, const std::vector<gpu::StageRecords>& tables)
    {
        for (const gpu::StageRecords& table : tables)
            if (!isFine(marked.call->workspace(table.workspace).fill(0)))
                return false;
        std::vector<double> unused;
        if (!sample(*marked.call, 0, unused) || !isFine(context_->synchronize("recording stages")))
            return false;
        for (const gpu::StageRecords& table : tables) {
            cuda::Memory& memory = marked.call->workspace(table.workspace);
            timeline::LaunchRecords records{table, std::vector<std::uint8_t>(static_cast<std::size_t>(memory.bytes()))};
            if (!isFine(memory.download(records.bytes)))
                return false;
            out_.records.push_back(std::move(records));
        }
        if (!marked.call->finish(arguments_, diagnostics_))
            return false;
        auto decoded = timeline::decode(out_.records);
        if (!decoded) {
            diagnostics_.error(Code::kArgument, snapshot_.function->range, decoded.error());
            return false;
        }
        out_.timeline = std::move(decoded->timeline);
        out_.remarks = std::move(decoded->remarks);
        out_.timeline.plainUs = plainUs_;
        out_.timeline.recordedUs = recordedUs_;
        return true;
    }

    // What one record costs: many, one behind the other, in a kernel that does nothing else.
    void calibrate()
    {
        gpu::GpuProgram program;
        program.language = "cuda";
        std::string body;
        for (int i = 0; i < kCalibrationRecords; ++i)
            body += fmt::format("    tw_record(recorder, words, {}, 1);\n", kCalibrationRecords);
        const std::string kernel = fmt::format("extern \"C\" __global__ void calibrate(unsigned* words)\n{{\n"
                                               "    unsigned recorder = tw_record_start(words, 0, 1, 0, {0});\n{1}    tw_record_finish(recorder, words, {0});\n}}\n",
                                               kCalibrationRecords, body);
        program.text = cuda_backend::preludeFor(kernel) + kernel;
        const auto image = cubin(program);
        auto module = image ? cuda::Module::load(context_, *image) : cuda::Result<std::unique_ptr<cuda::Module>>(nullptr);
        const auto entry = module && *module ? (*module)->find("calibrate") : cuda::Result<cuda::api::Function>(nullptr);
        auto memory = cuda::Memory::allocate(context_, 4 * (gpu::kRecordHeaderWords + gpu::kRecordWords * kCalibrationRecords));
        if (!entry || !*entry || !memory)
            return;
        cuda::LaunchShape shape;
        shape.block = {32, 1, 1};
        cuda::ParameterList parameters;
        parameters.add((*memory)->address());
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>((*memory)->bytes()));
        for (int round = 0; round < 2; ++round)  // the second finds its code in the cache
            if (!cuda::launch(*context_, *entry, shape, parameters))
                return;
        if (!(*memory)->download(bytes))
            return;
        const std::vector<std::uint32_t> words = timeline::wordsOf(bytes);
        const std::uint32_t first = words[gpu::kRecordHeaderWords + 1], last = words.back();
        out_.timeline.recordCostNs = static_cast<double>(last - first) / (kCalibrationRecords - 1) * 1000 / out_.timeline.clockMHz;
    }

    const driver::CompileSnapshot& snapshot_;
    interp::Arguments& arguments_;
    const CudaTimelineOptions& options_;
    const protocol::CudaCompiler& client_;
    DiagnosticSink& diagnostics_;
    const std::function<void(double)>& progress_;
    std::stop_token stop_;
    std::shared_ptr<cuda::Context> context_;
    CudaTimeline out_;
    double plainUs_ = 0, recordedUs_ = 0;
};

}  // namespace

std::optional<CudaTimeline> timelineOnCuda(int ordinal, const driver::CompileSnapshot& snapshot, interp::Arguments& arguments,
                                           const CudaTimelineOptions& options, const protocol::CudaCompiler& client, DiagnosticSink& diagnostics,
                                           const std::function<void(double)>& progress, std::stop_token stop)
{
    Recording recording(snapshot, arguments, options, client, diagnostics, progress, std::move(stop));
    auto out = recording.run(ordinal);
    if (out)
        out->deviceIsLost = recording.deviceIsLost();
    return out;
}

}  // namespace tw::device
