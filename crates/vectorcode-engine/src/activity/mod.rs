//! What is going on in a project: index runs with their progress, and file changes that wait to be indexed.

mod board;
mod change_feed;
mod published;
mod running_work;
mod watch_state;

pub(crate) use self::board::ActivityBoard;
pub(crate) use self::change_feed::{ChangeFeed, Changes};
pub(crate) use self::running_work::{RunningWork, WorkGuard};
pub(crate) use self::watch_state::WatchState;
