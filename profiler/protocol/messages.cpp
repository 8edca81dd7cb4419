#include "profiler/protocol/messages.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/support/check.h"
#include "profiler/capture/json.h"
#include "profiler/protocol/message_parts.h"
#include "profiler/protocol/simulation_json.h"

namespace tw::protocol {
namespace {

using namespace parts;

// ---- one pair of functions a message ----
void write(Writer& w, const Hello& m) { w.json = {{"type", "hello"}, {"protocol", m.protocol}, {"version", m.version}, {"devices", m.devices}}; }
void read(const Reader&, const Json& j, Hello& m)
{
    m = {j.at("protocol").get<int>(), j.value("version", std::string()), {}};
    if (m.protocol == kProtocolVersion)  // what else another version says is its own affair
        m.devices = j.at("devices").get<std::vector<std::string>>();
}

void write(Writer& w, const RunRequest& m)
{
    const Json j = job(w, m.job);
    w.json = {{"type", "run"}, {"job", j}, {"device", m.device}, {"inputs", inputs(w, m.inputs)}, {"seed", m.seed}, {"repeat", m.repeat},
              {"wantOutputs", m.wantOutputs}};
}
void read(const Reader& r, const Json& j, RunRequest& m)
{
    m = {toJob(r, j.at("job")), j.at("device").get<std::string>(), toInputs(r, j.at("inputs")), j.at("seed").get<std::uint64_t>(),
         j.at("repeat").get<int>(), j.at("wantOutputs").get<bool>()};
}

void write(Writer& w, const VerifyRequest& m)
{
    const Json j = job(w, m.job);
    w.json = {{"type", "verify"}, {"job", j}, {"device", m.device}, {"inputs", inputs(w, m.inputs)}, {"seed", m.seed},
              {"inputSets", m.inputSets}, {"rtol", optionalNumber(m.rtol)}, {"atol", optionalNumber(m.atol)}};
}
void read(const Reader& r, const Json& j, VerifyRequest& m)
{
    m = {toJob(r, j.at("job")), j.at("device").get<std::string>(), toInputs(r, j.at("inputs")), j.at("seed").get<std::uint64_t>(),
         j.at("inputSets").get<int>(), toOptionalNumber(j.at("rtol")), toOptionalNumber(j.at("atol"))};
}

void write(Writer& w, const CompileRequest& m)
{
    const Json j = job(w, m.job);
    w.json = {{"type", "compile"}, {"job", j}, {"stages", m.stages}};
}
void read(const Reader& r, const Json& j, CompileRequest& m) { m = {toJob(r, j.at("job")), j.at("stages").get<unsigned>()}; }

void write(Writer& w, const Cancel&) { w.json = {{"type", "cancel"}}; }
void read(const Reader&, const Json&, Cancel&) {}

void write(Writer& w, const Progress& m) { w.json = {{"type", "progress"}, {"phase", m.phase}, {"fraction", number(m.fraction)}}; }
void read(const Reader&, const Json& j, Progress& m) { m = {j.at("phase").get<std::string>(), toNumber(j.at("fraction"))}; }

void write(Writer& w, const Failure& m) { w.json = {{"type", "failure"}, {"message", m.message}}; }
void read(const Reader&, const Json& j, Failure& m) { m = {j.at("message").get<std::string>()}; }

void write(Writer& w, const RunResult& m)
{
    Json outputs = Json::array();
    for (const Output& o : m.outputs) {
        Json out = {{"name", o.name}, {"dtype", o.dtype}, {"shape", o.shape}, {"min", optionalNumber(o.min)},
                    {"max", optionalNumber(o.max)}, {"mean", optionalNumber(o.mean)}, {"nan", o.nan}, {"inf", o.inf}};
        if (o.data)
            out["data"] = w.payload(std::string(o.data->bytes.begin(), o.data->bytes.end()));
        outputs.push_back(std::move(out));
    }
    w.json = {{"type", "runResult"}, {"head", head(m.head)}, {"log", w.payload(m.log)}, {"outputs", outputs},
              {"compileMs", m.compileMs}, {"samplesUs", m.samplesUs}, {"clock", m.clock},
              {"simulation", m.simulation ? simulationJson(*m.simulation) : Json()}};
}
void read(const Reader& r, const Json& j, RunResult& m)
{
    m.head = toHead(j.at("head"));
    m.log = r.payload(j.at("log"));
    m.compileMs = j.at("compileMs").get<double>();
    m.samplesUs = j.at("samplesUs").get<std::vector<double>>();
    m.clock = j.at("clock").get<std::string>();
    if (!j.at("simulation").is_null())
        m.simulation = toSimulation(j.at("simulation"));
    for (const Json& o : j.at("outputs")) {
        Output out{o.at("name").get<std::string>(), o.at("dtype").get<std::string>(), o.at("shape").get<std::vector<std::int64_t>>(),
                   toOptionalNumber(o.at("min")), toOptionalNumber(o.at("max")), toOptionalNumber(o.at("mean")),
                   o.at("nan").get<std::int64_t>(), o.at("inf").get<std::int64_t>(), std::nullopt};
        if (o.contains("data")) {
            const std::string& bytes = r.payload(o.at("data"));
            out.data = interp::Tensor{ir::parseDType(out.dtype).value_or(ir::kVoid), out.shape, {bytes.begin(), bytes.end()}};
        }
        m.outputs.push_back(std::move(out));
    }
}

void write(Writer& w, const VerifyResult& m)
{
    Json outputs = Json::array();
    for (const Comparison& c : m.outputs) {
        outputs.push_back({{"name", c.name}, {"maxAbs", number(c.maxAbs)}, {"maxRel", number(c.maxRel)}, {"wrong", c.wrong},
                           {"total", c.total}, {"orderDependent", c.orderDependent},
                           {"firstWrong", c.firstWrong ? Json(*c.firstWrong) : Json()}, {"expected", number(c.expected)},
                           {"got", number(c.got)}});
    }
    w.json = {{"type", "verifyResult"}, {"head", head(m.head)}, {"outputs", outputs}};
}
void read(const Reader&, const Json& j, VerifyResult& m)
{
    m.head = toHead(j.at("head"));
    for (const Json& o : j.at("outputs")) {
        Comparison c{o.at("name").get<std::string>(), toNumber(o.at("maxAbs")), toNumber(o.at("maxRel")), o.at("wrong").get<std::int64_t>(),
                     o.at("total").get<std::int64_t>(), o.at("orderDependent").get<std::int64_t>(), std::nullopt,
                     toNumber(o.at("expected")), toNumber(o.at("got"))};
        if (!o.at("firstWrong").is_null())
            c.firstWrong = o.at("firstWrong").get<std::vector<std::int64_t>>();
        m.outputs.push_back(std::move(c));
    }
}

void write(Writer& w, const CompileResult& m)
{
    Json launches = Json::array();
    for (const LaunchInfo& l : m.launches)
        launches.push_back(launch(l));
    w.json = {{"type", "compileResult"}, {"head", head(m.head)}, {"llvmIr", code(w, m.llvmIr)},
              {"llvmOptimized", code(w, m.llvmOptimized)}, {"assembly", code(w, m.assembly)},
              {"object", m.object ? Json(w.payload(*m.object)) : Json()}, {"cuda", code(w, m.cuda)}, {"ptx", code(w, m.ptx)},
              {"sass", code(w, m.sass)}, {"cubin", m.cubin ? Json(w.payload(*m.cubin)) : Json()}, {"launches", launches}};
}
void read(const Reader& r, const Json& j, CompileResult& m)
{
    m = {toHead(j.at("head")), toCode(r, j.at("llvmIr")), toCode(r, j.at("llvmOptimized")), toCode(r, j.at("assembly")), std::nullopt,
         toCode(r, j.at("cuda")), toCode(r, j.at("ptx")), toCode(r, j.at("sass")), std::nullopt, {}};
    if (!j.at("object").is_null())
        m.object = r.payload(j.at("object"));
    if (!j.at("cubin").is_null())
        m.cubin = r.payload(j.at("cubin"));
    for (const Json& l : j.at("launches"))
        m.launches.push_back(toLaunch(l));
}

void write(Writer& w, const ProfileRequest& m)
{
    const Json j = job(w, m.job);
    w.json = {{"type", "profile"}, {"job", j}, {"device", m.device}, {"inputs", inputs(w, m.inputs)}, {"seed", m.seed}, {"repeat", m.repeat},
              {"metrics", m.metrics}, {"stalls", m.stalls}, {"overTime", m.overTime}, {"timeline", m.timeline}, {"blocks", m.blocks},
              {"coldL2", m.coldL2}, {"instructions", m.instructions}};
}
void read(const Reader& r, const Json& j, ProfileRequest& m)
{
    m = {toJob(r, j.at("job")), j.at("device").get<std::string>(), toInputs(r, j.at("inputs")), j.at("seed").get<std::uint64_t>(),
         j.at("repeat").get<int>(), j.at("metrics").get<std::vector<std::string>>(), j.at("stalls").get<bool>(), j.at("overTime").get<bool>(),
         j.at("timeline").get<bool>(), j.at("blocks").get<std::vector<std::int64_t>>(), j.at("coldL2").get<bool>(),
         j.at("instructions").get<bool>()};
}

void write(Writer& w, const ProfileResult& m)
{
    w.json = {{"type", "profileResult"}, {"head", head(m.head)}, {"capture", m.capture ? Json(w.payload(capture::toJson(*m.capture))) : Json()}};
}
void read(const Reader& r, const Json& j, ProfileResult& m)
{
    m.head = toHead(j.at("head"));
    if (j.at("capture").is_null())
        return;
    auto read = capture::fromJson(r.payload(j.at("capture")));
    if (!read)
        throw std::invalid_argument(read.error()); // caught in decode, like the library's own
    m.capture = std::move(*read);
}

void write(Writer& w, const CudaCompileRequest& m)
{
    w.json = {{"type", "compileCuda"}, {"name", m.name}, {"text", w.payload(m.text)}, {"target", m.target}, {"fastMath", m.fastMath}};
}
void read(const Reader& r, const Json& j, CudaCompileRequest& m)
{
    m = {j.at("name").get<std::string>(), r.payload(j.at("text")), j.at("target").get<std::string>(), j.at("fastMath").get<bool>()};
}

void write(Writer& w, const CudaCompileResult& m)
{
    w.json = {{"type", "compileCudaResult"}, {"head", head(m.head)}, {"cubin", w.payload(m.cubin)}, {"log", w.payload(m.log)}};
}
void read(const Reader& r, const Json& j, CudaCompileResult& m) { m = {toHead(j.at("head")), r.payload(j.at("cubin")), r.payload(j.at("log"))}; }

void write(Writer& w, const MachineRequest&) { w.json = {{"type", "machine"}}; }
void read(const Reader&, const Json&, MachineRequest&) {}

void write(Writer& w, const MachineResult& m)
{
    Json checks = Json::array();
    for (const Check& c : m.checks)
        checks.push_back({{"name", c.name}, {"state", c.state}, {"detail", c.detail}, {"remedy", c.remedy}});
    w.json = {{"type", "machineResult"}, {"head", head(m.head)}, {"checks", checks}, {"devices", m.devices}};
}
void read(const Reader&, const Json& j, MachineResult& m)
{
    m.head = toHead(j.at("head"));
    m.devices = j.at("devices").get<std::vector<std::string>>();
    for (const Json& c : j.at("checks"))
        m.checks.push_back({c.at("name").get<std::string>(), c.at("state").get<std::string>(), c.at("detail").get<std::string>(),
                            c.at("remedy").get<std::string>()});
}

void write(Writer& w, const MetricsRequest& m)
{
    w.json = {{"type", "metrics"}, {"device", m.device}, {"words", m.words}, {"target", m.target}, {"limit", m.limit}};
}
void read(const Reader&, const Json& j, MetricsRequest& m)
{
    m = {j.at("device").get<std::string>(), j.at("words").get<std::string>(), j.at("target").get<std::string>(), j.at("limit").get<int>()};
}

void write(Writer& w, const MetricsResult& m)
{
    Json metrics = Json::array();
    for (const MetricInfo& i : m.metrics)
        metrics.push_back({i.name, i.unit, i.meaning, i.sets, i.counter, i.passes});
    w.json = {{"type", "metricsResult"}, {"head", head(m.head)}, {"chip", m.chip}, {"library", m.library}, {"metrics", metrics}, {"found", m.found}};
}
void read(const Reader&, const Json& j, MetricsResult& m)
{
    m = {toHead(j.at("head")), j.at("chip").get<std::string>(), j.at("library").get<std::string>(), {}, j.at("found").get<int>()};
    for (const Json& i : j.at("metrics"))
        m.metrics.push_back({i.at(0).get<std::string>(), i.at(1).get<std::string>(), i.at(2).get<std::string>(), i.at(3).get<std::string>(),
                             i.at(4).get<std::string>(), i.at(5).get<int>()});
}

template <class T>
Message parse(const Reader& r, const Json& j)
{
    T message;
    read(r, j, message);
    return message;
}

Message parseAny(const Reader& r, const Json& j)
{
    static const std::map<std::string, Message (*)(const Reader&, const Json&)> kParsers = {
        {"hello", parse<Hello>},         {"run", parse<RunRequest>},           {"verify", parse<VerifyRequest>},
        {"profile", parse<ProfileRequest>}, {"profileResult", parse<ProfileResult>},
        {"compile", parse<CompileRequest>}, {"cancel", parse<Cancel>},         {"progress", parse<Progress>},
        {"failure", parse<Failure>},     {"runResult", parse<RunResult>},      {"verifyResult", parse<VerifyResult>},
        {"compileResult", parse<CompileResult>}, {"compileCuda", parse<CudaCompileRequest>}, {"compileCudaResult", parse<CudaCompileResult>},
        {"machine", parse<MachineRequest>}, {"machineResult", parse<MachineResult>},
        {"metrics", parse<MetricsRequest>}, {"metricsResult", parse<MetricsResult>},
    };
    const auto found = kParsers.find(j.at("type").get<std::string>());
    if (found == kParsers.end())
        throw std::out_of_range("an unknown type of message");
    return found->second(r, j);
}

}  // namespace

Frame encode(const Envelope& envelope)
{
    Writer w;
    std::visit([&](const auto& message) { write(w, message); }, envelope.message);
    w.json["id"] = envelope.id;
    return {w.json.dump(-1, ' ', false, Json::error_handler_t::replace), std::move(w.payloads)};
}

tl::expected<Envelope, std::string> decode(const Frame& frame)
{
    try {
        const Json json = Json::parse(frame.header);
        return Envelope{json.at("id").get<std::uint64_t>(), parseAny(Reader{frame}, json)};
    } catch (const std::exception& e) {
        return tl::unexpected(fmt::format("not a message of the runner protocol: {}", e.what()));
    }
}

}  // namespace tw::protocol
