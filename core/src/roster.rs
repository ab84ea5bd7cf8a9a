//! The view of a mesh that a module's template sees, and a marked region in a shared file.
