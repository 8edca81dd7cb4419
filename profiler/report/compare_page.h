// Variants side by side, as a page, a picture and a table.
#pragma once

#include <string>
#include <vector>

#include "profiler/compare/compare.h"

namespace tw::report {

// As `toHtml`: opens offline, no script. What is the same is folded.
[[nodiscard]] std::string comparisonPage(const std::vector<compare::Variant>& variants, const std::vector<compare::Row>& rows);
// Bars of the rows that differ and that every variant has a number for; empty without one.
[[nodiscard]] std::string comparisonChart(const std::vector<compare::Variant>& variants, const std::vector<compare::Row>& rows);
// RFC 4180: group, name, unit, source, differs, then one column a variant.
[[nodiscard]] std::string comparisonCsv(const std::vector<compare::Variant>& variants, const std::vector<compare::Row>& rows);

}  // namespace tw::report
