//! The keys of the plants.

use crate::dashboard::tabs::actions;

actions! {
    NewPlant, "n a", "Create a plant", "new";
    DeletePlant, "D delete", "Delete a plant, or those that are marked", "delete";
    ResolvePlant, "o", "Say, or correct, whether a plant exists", "found out" of row;
    Mark, "space", "Mark a plant; again: unmark", "mark" of row;
    Details, "enter i", "All requests of the plant; again: the list", "requests" of row;
    Undo, "U", "Take back the last create or delete", "undo";
    MarkAll, "*", "Mark all shown or found; again: none", "mark all" of row;
    ImportPlants, "I", "Import plants: create those of a file", "import";
    Export, "E", "Export the plants to a file", "export";
}
