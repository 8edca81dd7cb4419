#include "core/target/pipes.h"

#include <array>

namespace tw::target {
namespace {

struct Row {
    std::string_view name;
    Pipes pipes;
};

const auto& rows()
{
    static const std::array kRows = {
#define TW_PIPES(name, arithmetic, special, shared, mma, wgmma, block, transaction, fence, bulk, l2, copies, bulks, narrow, longs, descriptor, stores, mhz) \
    Row{name, {arithmetic, special, shared, mma, wgmma, block, transaction, fence, bulk, l2, copies, bulks, narrow, longs, descriptor, stores, mhz}},
#include "core/target/pipes.def"
#undef TW_PIPES
    };
    return kRows;
}

}  // namespace

const Pipes* pipesOf(const Target& target)
{
    for (const Row& row : rows())
        if (row.name == target.name)
            return &row.pipes;
    return nullptr;
}

}  // namespace tw::target
