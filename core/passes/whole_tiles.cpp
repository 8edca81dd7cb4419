#include "core/passes/whole_tiles.h"

#include "core/ir/build.h"
#include "core/layout/shared.h"
#include "core/passes/lower_steps.h"

namespace tw::passes {

using ir::Buffer;
using ir::Expr;
using ir::Region;
using ir::Stmt;
using layout::Fragment;
using I = std::int64_t;

Buffer newTile(const std::string& name, ir::DType type, const std::vector<I>& shape, ir::MemoryScope scope)
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = type;
    for (const I extent : shape)
        buffer->shape.push_back(ir::intImm(extent));
    buffer->scope = scope;
    return buffer;
}

Region wholeOf(const Buffer& buffer)
{
    return {buffer, std::vector<Expr>(buffer->shape.size(), ir::intImm(0)), buffer->shape};
}

Stmt annotation(const Buffer& buffer, Ref<const ir::LayoutMap> map, const ir::Provenance& where)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{ir::OpId::kAnnotateLayout, {wholeOf(buffer), std::move(map)}, {}}, where);
}

Stmt copyNest(const Buffer& src, const Buffer& dst, const Fragment& by, const ir::Provenance& where)
{
    std::vector<ir::Axis> axes;
    std::vector<Expr> at;
    for (const I extent : by.shape) {
        const ir::Var v = newVar(std::string(1, static_cast<char>('i' + static_cast<int>(axes.size() % 8))));
        axes.push_back({v, ir::intImm(0), ir::intImm(extent), {}});
        at.emplace_back(v);
    }
    Stmt body = storeAt(dst, at, ir::cast(dst->dtype, loadAt(src, at)), where);
    auto loop = std::make_shared<ir::For>(ir::ForKind::kParallel, std::move(axes), std::move(body), ir::Attrs{}, where);
    loop->layout = layout::toMap(by);
    return loop;
}

}  // namespace tw::passes
