//! The limits that the requests of all front ends share. The largest value of a single argument is next to that argument.

/// Maximum size of one message or request body. A request is a few hundred bytes; a snippet is at most a file.
pub(crate) const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of values in one message. A request has a dozen; a JSON value takes up to a hundred times the memory of
/// its text.
pub(crate) const MAX_MESSAGE_VALUES: usize = 10_000;

/// A body up to this size is read without waiting for a slot.
pub(crate) const SMALL_BODY_BYTES: usize = 64 * 1024;

/// Maximum number of larger bodies in memory, as many as the engine works on; further ones wait.
pub(crate) const MAX_LARGE_BODIES: usize = MAX_ENGINE_CALLS;

/// Maximum number of results on one page.
pub(crate) const MAX_RESULTS: usize = 100;

/// Maximum number of concurrent calls in the engine; further calls wait. The store keeps as many connections.
pub(crate) const MAX_ENGINE_CALLS: usize = 4;

/// Maximum number of open event streams.
pub(crate) const MAX_EVENT_STREAMS: usize = 32;

/// Maximum number of MCP sessions of one caller over HTTP; a new one replaces the least recently used one. More than the agents
/// of a team that shares one token.
pub(crate) const MAX_CALLER_SESSIONS: usize = 100;

/// Maximum number of MCP sessions over HTTP. Each takes about 60 KB.
pub(crate) const MAX_SESSIONS: usize = 500;

/// Maximum number of message streams of MCP sessions: half of the connections, so that others remain.
pub(crate) const MAX_SESSION_STREAMS: usize = 128;

/// Maximum number of HTTP requests in progress: more than a person or a handful of programs ever have, but too few to exhaust
/// the memory.
pub(crate) const MAX_REQUESTS: usize = 128;

/// Maximum size of the headers of one request, including its URL. They are read before the caller is known.
pub(crate) const MAX_HEADER_BYTES: usize = 128 * 1024;

/// Maximum number of open HTTP connections. Further ones wait in the operating system's queue.
pub(crate) const MAX_CONNECTIONS: usize = 256;
