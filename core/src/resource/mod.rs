//! Resource types: properties, observation, decision, and the providers that act.
