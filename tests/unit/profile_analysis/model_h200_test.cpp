// The model against durations measured on an H200 (tests/data/model_h200.jsonl): samples and corpus programs of all kinds.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiler/analysis/facts.h"
#include "profiler/analysis/model.h"

namespace tw::profile_analysis {
namespace {

using nlohmann::json;

std::string literal(const json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? "True" : "False";
    return value.is_string() ? "'" + value.get<std::string>() + "'" : value.dump();
}

std::string textOf(const std::string& file)
{
    for (const char* folder : {"samples", "tests/corpus/programs"}) {
        std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / folder / file);
        if (!in)
            continue;
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    return {};
}

struct Pair {
    std::string name;
    double measured = 0, modelled = 0;
    [[nodiscard]] double ratio() const { return modelled / measured; }
};

Pair pairOf(const json& row)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>("kernel.py", textOf(row.at("file")));
    request.target = "sm_90a";
    request.stages = static_cast<unsigned>(driver::StageWanted::kCuda);
    request.kernel.kernel = row.at("kernel");
    Values values;
    for (const auto& [name, value] : row.at("params").items())
        request.kernel.params[name] = literal(value);
    for (const auto& [name, value] : row.at("dims").items()) {
        request.kernel.dims[name] = literal(value);
        values[name] = value.get<std::int64_t>();
    }
    Pair pair{fmt::format("{} {}", row.at("file").get<std::string>(), row.at("params").dump()), row.at("us"), 0};
    const auto snapshot = driver::compile(request);
    EXPECT_TRUE(snapshot->function) << pair.name;
    if (!snapshot->function)
        return pair;
    const Work work = workOf(*snapshot->function, values);
    CompiledFacts facts = factsOf(*snapshot);
    for (LaunchFacts& launch : facts.launches)
        launch.registers = row.at("registers");
    const auto model = modelOf(work, facts.launches, snapshot->target);
    EXPECT_TRUE(model) << pair.name;
    pair.modelled = model ? model->us() : 0;
    return pair;
}

const std::vector<Pair>& pairs()
{
    static const std::vector<Pair> kPairs = [] {
        std::vector<Pair> out;
        std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / "tests/data/model_h200.jsonl");
        for (std::string line; std::getline(in, line);)
            out.push_back(pairOf(json::parse(line)));
        return out;
    }();
    return kPairs;
}

// Spearman's; no two durations are equal.
double rankCorrelation(const std::vector<Pair>& all)
{
    const auto ranks = [&](double Pair::* value) {
        std::vector<std::size_t> order(all.size()), rank(all.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, {}, [&](std::size_t i) { return all[i].*value; });
        for (std::size_t i = 0; i < order.size(); ++i)
            rank[order[i]] = i;
        return rank;
    };
    const auto a = ranks(&Pair::measured), b = ranks(&Pair::modelled);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    const auto n = static_cast<double>(a.size());
    return 1 - 6 * sum / (n * (n * n - 1));
}

TEST(ModelAgainstH200, RanksKernels)
{
    ASSERT_GE(pairs().size(), 40U);
    EXPECT_GT(rankCorrelation(pairs()), 0.9);
}

TEST(ModelAgainstH200, MostAreWithinAFactorOfOneAndAHalf)
{
    std::size_t near = 0;
    std::string far;
    for (const Pair& p : pairs()) {
        const bool isNear = std::abs(std::log(p.ratio())) < std::log(1.5);
        near += isNear ? 1 : 0;
        if (!isNear)
            far += fmt::format("{:.2f} × {:.1f} us: {}\n", p.ratio(), p.measured, p.name);
    }
    EXPECT_GE(near * 100, pairs().size() * 85) << far;
}

// Configurations of one product: what tune has to rank.
TEST(ModelAgainstH200, RanksTheConfigurationsOfAProduct)
{
    std::vector<Pair> products;
    for (const Pair& p : pairs())
        if (p.name.starts_with("04_gemm.py") && p.name.find("\"K\":4096,\"M\":4096,\"N\":4096") != std::string::npos)
            products.push_back(p);
    ASSERT_GE(products.size(), 5U);
    EXPECT_GE(rankCorrelation(products), 0.8);
    EXPECT_EQ(std::ranges::min_element(products, {}, &Pair::modelled), std::ranges::min_element(products, {}, &Pair::measured));
}

}  // namespace
}  // namespace tw::profile_analysis
