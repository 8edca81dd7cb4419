// What may be counted, as a table with a box in front of each: name, unit, passes, meaning.
#pragma once

#include <QAbstractTableModel>

#include "profiler/protocol/messages.h"

namespace tw::gui {

class MetricModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { kName, kUnit, kPasses, kMeaning, kColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setMetrics(std::vector<protocol::MetricInfo> metrics);
    void setChosen(std::vector<std::string> names);
    [[nodiscard]] const std::vector<std::string>& chosen() const { return chosen_; }  // in the order of choosing; also those not listed now
    void toggle(const QModelIndex& index);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void chosenChanged();

private:
    // A headline metric is in every profile: its box is ticked and stays so.
    [[nodiscard]] static bool isAlwaysCounted(const protocol::MetricInfo& metric);
    [[nodiscard]] bool isChosen(const protocol::MetricInfo& metric) const;
    [[nodiscard]] QString text(const protocol::MetricInfo& metric, int column) const;

    std::vector<protocol::MetricInfo> metrics_;
    std::vector<std::string> chosen_;
};

}  // namespace tw::gui
