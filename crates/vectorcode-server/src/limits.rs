//! How much this server accepts at once, for all front ends in one place.

/// Maximum size of one message or request body. A request is a few hundred bytes; a snippet is at most a file.
pub(crate) const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of results on one page.
pub(crate) const MAX_RESULTS: usize = 100;

/// Calls that run in the engine at the same time; further calls wait. The store keeps as many connections.
pub(crate) const MAX_ENGINE_CALLS: usize = 4;

/// Open event streams.
pub(crate) const MAX_EVENT_STREAMS: usize = 32;

/// HTTP requests in progress: more than a person or a handful of programs ever have, fewer than would fill the memory.
pub(crate) const MAX_REQUESTS: usize = 128;

/// Open HTTP connections. Further ones wait in the operating system's queue.
pub(crate) const MAX_CONNECTIONS: usize = 256;
