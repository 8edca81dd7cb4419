#include <nlohmann/json.hpp>

#include "profiler/timeline/records.h"

using Json = nlohmann::json;

namespace tw {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceRange, file, begin, end)
namespace gpu {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedRole, name, leader)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedEvent, kind, op, source, depth)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageRecords, launch, workspace, capacity, blocks, spread, roles, events)
}  // namespace gpu
}  // namespace tw

namespace tw::timeline {

namespace {

std::size_t blocksOf(const gpu::StageRecords& table) { return table.blocks.empty() ? static_cast<std::size_t>(table.spread) : table.blocks.size(); }

// A role's words without the room that it did not use.
std::size_t usedWords(const gpu::StageRecords& table, const std::uint32_t* words)
{
    return gpu::kRecordHeaderWords + gpu::kRecordWords * static_cast<std::size_t>(std::min<std::int64_t>(table.capacity, words[12]));
}

}  // namespace

std::string toText(std::span<const LaunchRecords> launches)
{
    Json all = Json::array();
    for (const LaunchRecords& l : launches) {
        const std::vector<std::uint32_t> words = wordsOf(l.bytes);
        const std::size_t size = gpu::kRecordHeaderWords + gpu::kRecordWords * static_cast<std::size_t>(l.table.capacity);
        Json roles = Json::array();
        for (std::size_t at = 0; at + size <= words.size(); at += size)
            roles.push_back(std::vector<std::uint32_t>(words.begin() + static_cast<std::ptrdiff_t>(at),
                                                       words.begin() + static_cast<std::ptrdiff_t>(at + usedWords(l.table, words.data() + at))));
        all.push_back({{"table", l.table}, {"roles", roles}});
    }
    return all.dump();
}

tl::expected<std::vector<LaunchRecords>, std::string> fromText(std::string_view text)
{
    try {
        std::vector<LaunchRecords> out;
        for (const Json& launch : Json::parse(text)) {
            LaunchRecords l;
            launch.at("table").get_to(l.table);
            const std::size_t size = gpu::kRecordHeaderWords + gpu::kRecordWords * static_cast<std::size_t>(l.table.capacity);
            if (l.table.capacity <= 0 || l.table.capacity > 1 << 20 || launch.at("roles").size() > blocksOf(l.table) * l.table.roles.size())
                return tl::unexpected(std::string("these are no stage records: their table does not fit their words"));
            for (const Json& role : launch.at("roles")) {
                auto words = role.get<std::vector<std::uint32_t>>();
                words.resize(size);
                for (const std::uint32_t word : words)
                    for (int k = 0; k < 4; ++k)
                        l.bytes.push_back(static_cast<std::uint8_t>(word >> (8 * k)));
            }
            out.push_back(std::move(l));
        }
        return out;
    } catch (const Json::exception& problem) {
        return tl::unexpected(std::string("these are no stage records: ") + problem.what());
    }
}

}  // namespace tw::timeline
