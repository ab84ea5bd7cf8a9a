//! Finds expressions in text and gives fields their values.
