// Roles that the models share.
#pragma once

#include <Qt>
#include <QMetaType>

#include "core/support/source.h"

namespace tw::gui {

enum ModelRole {
    kRangeRole = Qt::UserRole + 1,  // SourceRange: where the row points
    kKernelRole,                    // QString
    kInstanceRole,                  // QString, empty for the kernel itself
    kDetailRole,                    // QString: muted text beside the name
    kSeverityRole,                  // int: tw::Severity
    kSortRole                       // what tables sort by: a number where the cell shows one
};

}  // namespace tw::gui

Q_DECLARE_METATYPE(tw::SourceRange)
