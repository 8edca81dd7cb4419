// What a block of the kernel needs of a multiprocessor, how many blocks fit, what limits them; and what if it needed something else.
#pragma once

#include "app/gui/session/far_stages.h"
#include "app/gui/views/view.h"
#include "app/gui/widgets/export_picture.h"
#include "core/target/occupancy.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;
class QTreeView;

namespace tw::gui {

class LimitBars;
class RowModel;

class ResourceView : public View {
    Q_OBJECT

public:
    ResourceView(FarStages& stages, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override;
    [[nodiscard]] unsigned farStages() const override;

    [[nodiscard]] target::Occupancy occupancy() const;  // of what the controls say
    [[nodiscard]] Picture picture() const;              // what bounds it
    [[nodiscard]] RowModel& rows() { return *rows_; }
    [[nodiscard]] QSpinBox* threadsBox() const { return threads_.box; }
    [[nodiscard]] QSpinBox* registersBox() const { return registers_.box; }
    [[nodiscard]] QSpinBox* sharedBox() const { return shared_.box; }

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    struct Control {
        QSpinBox* box = nullptr;
        QSlider* slider = nullptr;
    };
    // A launch with what is known of it.
    struct Launch {
        QString name;
        std::int64_t threads = 0, staticShared = 0, dynamicShared = 0;
        std::optional<protocol::LaunchInfo> compiled;  // absent until the far stage has run
    };

    QWidget* makeBar(QWidget* parent);
    QWidget* makeWhatIf(QWidget* parent);
    Control addControl(QGridLayout& grid, int row, const QString& label, int step, const QString& suffix);
    [[nodiscard]] std::vector<Launch> launches(const driver::CompileSnapshot& snapshot) const;
    void showLaunch();
    void showRows(const Launch& launch);
    void takeFrom(const target::BlockNeeds& needs);
    void showOccupancy();

    FarStages& stages_;
    RowModel* rows_;
    QTreeView* table_ = nullptr;
    QComboBox* choice_ = nullptr;
    QLabel* caption_ = nullptr;
    QLabel* verdict_ = nullptr;
    QLabel* detail_ = nullptr;
    QToolButton* reset_ = nullptr;
    LimitBars* bars_ = nullptr;
    Control threads_, registers_, shared_;
    std::vector<Launch> launches_;
    target::Target target_;
    target::BlockNeeds needs_;  // of the kernel as it is
    bool following_ = true;     // the controls show the kernel; false once the user has moved one
    bool taking_ = false;
};

}  // namespace tw::gui
