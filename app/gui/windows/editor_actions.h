// Commands that act at the caret of an editor with what the compiler knows.
#pragma once

#include "app/gui/session/compile_worker.h"

namespace tw::gui {

class CodeEditor;

// Applies the fix of the problem at the caret's line; a menu if there are several.
void applyFix(CodeEditor& editor);
// To the definition of the name at the caret; nothing if the file has none.
void goToDefinition(CodeEditor& editor, const SnapshotPtr& snapshot);

}  // namespace tw::gui
