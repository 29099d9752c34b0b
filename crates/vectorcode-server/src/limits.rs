//! How much this server accepts at once, for all front ends in one place.

/// Maximum size of one message or request body. A request is a few hundred bytes; a snippet is at most a file.
pub(crate) const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of values in one message. A request has a dozen; a JSON value takes up to a hundred times the memory of
/// its text.
pub(crate) const MAX_MESSAGE_VALUES: usize = 10_000;

/// A body up to this size is read at once.
pub(crate) const SMALL_BODY_BYTES: usize = 64 * 1024;

/// Larger bodies in memory at the same time, as many as the engine works on; further ones wait.
pub(crate) const MAX_LARGE_BODIES: usize = MAX_ENGINE_CALLS;

/// Maximum number of results on one page.
pub(crate) const MAX_RESULTS: usize = 100;

/// Calls that run in the engine at the same time; further calls wait. The store keeps as many connections.
pub(crate) const MAX_ENGINE_CALLS: usize = 4;

/// Open event streams.
pub(crate) const MAX_EVENT_STREAMS: usize = 32;

/// MCP sessions of one caller over HTTP; the one that was used longest ago makes room. More than the agents of a team that
/// shares one token.
pub(crate) const MAX_CALLER_SESSIONS: usize = 100;

/// MCP sessions over HTTP. Each takes some 60 KB.
pub(crate) const MAX_SESSIONS: usize = 500;

/// Streams of messages that MCP sessions hold open: half of the connections, so that there are others left.
pub(crate) const MAX_SESSION_STREAMS: usize = 128;

/// HTTP requests in progress: more than a person or a handful of programs ever have, fewer than would fill the memory.
pub(crate) const MAX_REQUESTS: usize = 128;

/// The headers of one request with its URL. They are read before anybody knows whose they are.
pub(crate) const MAX_HEADER_BYTES: usize = 128 * 1024;

/// Open HTTP connections. Further ones wait in the operating system's queue.
pub(crate) const MAX_CONNECTIONS: usize = 256;
