// Text of a stage behind the IR: CUDA (near, so it follows every key), or what the runner makes of it once the text rests: LLVM IR,
// assembly, PTX, SASS. Linked to the source line by line, with the heat of the shown profile in the margin. CUDA and SASS that a profile of
// this very program carries are shown as they were measured.
#pragma once

#include "app/gui/editor/highlight.h"
#include "app/gui/session/far_stages.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/view.h"

class QComboBox;

namespace tw::gui {

class ElidedLabel;
class ListingPanel;
struct Listing;

class CodeView : public View {
    Q_OBJECT

public:
    struct Variant {
        QString title;  // empty if there is only one
        std::function<std::shared_ptr<const driver::TargetCode>(const FarResult&)> code;  // of far stages
    };
    struct Kind {
        QString name, title, iconName;
        Language language{};
        QList<Variant> variants;
        unsigned stages = 0;  // driver::StageWanted bits of the far stages; 0: the near CUDA text
        bool forGpu = false;  // there is none for another target
    };
    static Kind cuda();
    static Kind ptx();
    static Kind sass();
    static Kind llvm();
    static Kind assembly();

    CodeView(Kind kind, FarStages& stages, ProfileSession& profiles, ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override;
    [[nodiscard]] unsigned farStages() const override { return kind_.stages; }
    [[nodiscard]] const Listing& listing() const;
    [[nodiscard]] const QString& heatNote() const { return heatNote_; }  // what the margin shows, or why it is empty

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    QWidget* makeBar(QWidget* parent);
    [[nodiscard]] const driver::TargetCode* profiledCode() const;  // null: none that fits
    void show(const driver::TargetCode& code, std::shared_ptr<const SourceText> source, bool stale, bool busy);
    void showProfiled(const driver::TargetCode& code);
    void refreshNear(const driver::CompileSnapshot& shown);
    void showHeat(bool fits);
    void showCaption(const QString& what);
    void showProblems(const std::vector<Diagnostic>& diagnostics, bool busy);
    [[nodiscard]] QString targetText() const;  // "for sm_90a"

    Kind kind_;
    FarStages& stages_;
    ProfileSession& profiles_;
    ListingPanel* listing_ = nullptr;
    QComboBox* variant_ = nullptr;
    ElidedLabel* caption_ = nullptr;
    QString heatNote_;
};

}  // namespace tw::gui
