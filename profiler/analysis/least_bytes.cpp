#include "profiler/analysis/least_bytes.h"

#include <algorithm>

#include "core/analysis/walk.h"

namespace tw::profile_analysis {

double LeastBytes::Touched::elements() const
{
    double n = hull.empty() ? 0 : 1;
    for (const Hull& h : hull)
        n *= static_cast<double>(h.high - h.low);
    return n;
}

void LeastBytes::add(const ir::BufferNode& buffer, const Domain& domain, const std::vector<Clip>& clips, analysis::Effect effect, double requested)
{
    const ir::BufferNode* root = analysis::storageOf(&buffer);
    const auto [found, isNew] = tensors_.try_emplace(root);
    Tensor& tensor = found->second;
    tensor.type = root->dtype;
    if (isNew)
        tensor.writtenFirst = effect.writes && !effect.reads;
    std::vector<Hull> hull;
    if (root == &buffer)
        for (const Clip& c : clips)
            hull.push_back(hullOf(domain, c, values_));
    else
        for (const ir::Expr& extent : root->shape)
            hull.push_back({0, valueOf(extent, values_).value_or(0)});
    for (const auto& [takes, touched] : {std::pair{effect.reads, &tensor.read}, std::pair{effect.writes, &tensor.written}}) {
        if (!takes)
            continue;
        touched->requested += requested;
        if (touched->hull.empty())
            touched->hull = hull;
        for (std::size_t i = 0; i < std::min(hull.size(), touched->hull.size()); ++i)
            touched->hull[i] = {std::min(hull[i].low, touched->hull[i].low), std::max(hull[i].high, touched->hull[i].high)};
    }
}

Bytes LeastBytes::total() const
{
    Bytes sum;
    for (const ir::Param& p : function_.params) {
        const auto* buffer = std::get_if<ir::Buffer>(&p.value);
        const auto found = buffer ? tensors_.find(buffer->get()) : tensors_.end();
        if (found == tensors_.end())
            continue;
        const Tensor& t = found->second;
        const auto bytes = [&](const Touched& touched) { return std::min(touched.requested, touched.elements() * t.type.bits() * t.type.lanes / 8.0); };
        sum.read += t.writtenFirst ? 0 : bytes(t.read);
        sum.written += bytes(t.written);
    }
    return sum;
}

}  // namespace tw::profile_analysis
