// Simulated timelines: of real kernels, against what an H200 recorded of them (tests/data/*.twr), and times by hand.
#include "profiler/timeline/simulated.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "profiler/store/twr.h"
#include "profiler/timeline/summary.h"

namespace tw::timeline {
namespace {

std::shared_ptr<const driver::CompileSnapshot> compiled(const std::string& text, const staging::Bindings& params)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>("kernel.py", text);
    request.target = "sm_90a";
    request.stages = static_cast<unsigned>(driver::StageWanted::kCuda);
    request.kernel.params = params;
    return driver::compile(request);
}

// Zeros: nothing in these kernels depends on values.
interp::Arguments argumentsOf(const ir::Function& function)
{
    interp::Arguments arguments;
    for (const ir::Param& p : function.params) {
        const auto& buffer = std::get<ir::Buffer>(p.value);
        std::vector<std::int64_t> shape;
        for (const ir::Expr& extent : buffer->shape)
            shape.push_back(*ir::asInt(extent));
        arguments.tensors[p.name()] = interp::makeTensor(buffer->dtype, shape);
    }
    return arguments;
}

capture::Timeline simulated(const driver::CompileSnapshot& snapshot, const sim::TimelineOptions& options)
{
    DiagnosticSink sink;
    const auto recorded = driver::recordProgram(snapshot, {}, sink);
    EXPECT_TRUE(recorded);
    if (!recorded)
        return {};
    interp::Arguments arguments = argumentsOf(*recorded->function);
    const auto made = simulate(*recorded, snapshot.target, arguments, options);
    EXPECT_TRUE(made) << (made ? "" : made.error());
    return made ? made->timeline : capture::Timeline{};
}

struct Shares {
    double clocks = 0;  // of the role in a block
    std::map<std::string, double> by;
};

// By role, without the numbers that tell consumers apart; `record`: clocks of each stage that are its record's.
std::map<std::string, Shares> sharesOf(const capture::Timeline& t, double record)
{
    std::map<std::string, Shares> roles;
    std::map<std::string, int> tracks;
    const auto nameOf = [](const capture::Track& track) { return track.role.substr(0, track.role.find(' ')); };
    for (const capture::Track& track : t.tracks)
        ++tracks[nameOf(track)];
    for (const capture::Span& s : t.spans) {
        Shares& role = roles[nameOf(t.tracks[static_cast<std::size_t>(s.track)])];
        const double clocks = (s.endNs - s.startNs) * t.clockMHz / 1000 - record;
        role.clocks += clocks;
        role.by[s.event] += clocks;
    }
    for (auto& [name, role] : roles) {
        for (auto& [event, clocks] : role.by)
            clocks /= role.clocks;
        role.clocks /= tracks[name];
    }
    return roles;
}

// Of the stages that hold no work at all, which every kernel has before its first: what a record costs where it stands. 47 clocks.
double emptyStage(const capture::Timeline& t)
{
    double shortest = 1e300;
    for (const capture::Span& s : t.spans)
        shortest = std::min(shortest, (s.endNs - s.startNs) * t.clockMHz / 1000);
    return shortest;
}

class AgainstH200 : public testing::TestWithParam<const char*> {};

TEST_P(AgainstH200, BlocksTakeAboutAsLongAndSpendItAlike)
{
    const auto open = [](const std::string& name) { return store::readTwr((std::filesystem::path(TW_SOURCE_DIR) / "tests/data/overlapped" / (name + ".twr")).string()); };
    const auto read = open(GetParam()), attention = open("attention");
    ASSERT_TRUE(read) << read.error();
    ASSERT_TRUE(attention) << attention.error();
    const double record = emptyStage(attention->timelines.at(1));
    EXPECT_NEAR(record, 47, 3);
    const auto snapshot = compiled(read->files.at(0).text, read->params);
    sim::TimelineOptions options;
    options.launches = {{read->launches.at(0).blocksPerSm, 0.1}};
    options.blocks = {341};
    const capture::Timeline t = simulated(*snapshot, options);
    EXPECT_EQ(t.origin, capture::Origin::kSimulated);
    const auto ours = sharesOf(t, 0), theirs = sharesOf(read->timelines.at(1), record);
    ASSERT_EQ(ours.size(), theirs.size());
    for (const auto& [name, measured] : theirs) {
        const Shares& sim = ours.at(name);
        EXPECT_GT(sim.clocks, 0.8 * measured.clocks) << name;
        EXPECT_LT(sim.clocks, 1.2 * measured.clocks) << name;
        for (const char* event : {"wait", "tensor", "issue", "compute", "reduce"}) {
            const auto share = [&](const Shares& s) { return s.by.contains(event) ? s.by.at(event) : 0.0; };
            EXPECT_NEAR(share(sim), share(measured), 0.12) << name << " " << event;  // of the role's time
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Captures, AgainstH200, testing::Values("gemm_4_stages", "gemm_ring", "attention"), [](const auto& name) { return std::string(name.param); });

std::string sample(const std::string& name)
{
    std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / "samples" / name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(Simulated, StagesOfARoleFillItsTime)
{
    const auto snapshot = compiled(sample("09_attention.py"), {{"batch", "1"}, {"heads", "1"}, {"seq", "256"}, {"dim", "64"}, {"causal", "False"}, {"block_M", "64"}, {"block_N", "64"}});
    const capture::Timeline t = simulated(*snapshot, {});
    ASSERT_FALSE(t.tracks.empty());
    for (const RoleSummary& role : summarize(t).roles) {
        double sum = 0;
        for (const auto& [event, ns] : role.byEvent)
            sum += ns;
        EXPECT_NEAR(sum, role.totalNs, 1e-6 * role.totalNs) << role.role;
        EXPECT_TRUE(role.byEvent.contains("tensor")) << role.role;
    }
    for (const capture::Span& s : t.spans)
        EXPECT_LT(s.startNs, s.endNs);
}

TEST(Simulated, ADroppedStageSerializes)
{
    const auto clocks = [](const char* stages) {
        const auto snapshot = compiled(sample("04_gemm.py"), {{"M", "128"}, {"N", "128"}, {"K", "512"}, {"num_stages", stages}});
        return simulated(*snapshot, {}).spans.back().endNs;
    };
    EXPECT_GT(clocks("1"), 1.4 * clocks("4"));
}

TEST(Simulated, OnlyChosenBlocksRun)
{
    const auto snapshot = compiled(sample("04_gemm.py"), {{"M", "256"}, {"N", "256"}, {"K", "64"}});
    sim::TimelineOptions options;
    options.blocks = {1, 3, 99};
    std::vector<std::int64_t> blocks;
    for (const capture::Track& track : simulated(*snapshot, options).tracks)
        blocks.push_back(track.block);
    EXPECT_EQ(blocks, (std::vector<std::int64_t>{1, 3}));
}

TEST(Simulated, SharingAMultiprocessorTakesLonger)
{
    const auto snapshot = compiled(sample("04_gemm.py"), {{"M", "128"}, {"N", "128"}, {"K", "512"}});
    sim::TimelineOptions alone, three;
    three.launches = {{3, 0}};
    const double one = simulated(*snapshot, alone).spans.back().endNs, shared = simulated(*snapshot, three).spans.back().endNs;
    EXPECT_GT(shared, 1.2 * one);
    EXPECT_LT(shared, 3.2 * one);
}

}  // namespace
}  // namespace tw::timeline
