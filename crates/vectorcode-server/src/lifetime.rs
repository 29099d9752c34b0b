//! When a server has to end besides its client saying so.
//!
//! Both functions start to listen when they are called, not when their future is first polled: what happens
//! between the two is not missed.

#[cfg(unix)]
mod platform {
    use std::os::unix::process::parent_id;
    use std::time::Duration;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    const PARENT_POLL: Duration = Duration::from_secs(1);

    /// Returns on Ctrl-C or when the system asks the process to end.
    pub(crate) fn told_to_end() -> impl Future<Output = ()> {
        let (interrupt, terminate) = (listen(SignalKind::interrupt()), listen(SignalKind::terminate()));
        async move {
            tokio::select! {
                () = received(interrupt) => {}
                () = received(terminate) => {}
            }
        }
    }

    /// Returns when the process that started this one is gone. Its end of our stdin usually closes with it, but
    /// not when some other process has inherited that end.
    pub(crate) fn parent_gone() -> impl Future<Output = ()> {
        let parent = parent_id();
        async move {
            while parent_id() == parent {
                tokio::time::sleep(PARENT_POLL).await;
            }
        }
    }

    fn listen(kind: SignalKind) -> Option<Signal> {
        signal(kind).inspect_err(|error| tracing::debug!(%error, "a signal cannot be caught")).ok()
    }

    async fn received(signal: Option<Signal>) {
        match signal {
            Some(mut signal) => {
                signal.recv().await;
            }
            None => std::future::pending().await,
        }
    }
}

#[cfg(windows)]
mod platform {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};

    /// Returns on Ctrl-C, on Ctrl-Break (all that another program can send) or when the terminal is closed.
    pub(crate) fn told_to_end() -> impl Future<Output = ()> {
        let (interrupt, stop, close) = (ctrl_c(), ctrl_break(), ctrl_close());
        async move {
            let (Ok(mut interrupt), Ok(mut stop), Ok(mut close)) = (interrupt, stop, close) else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = stop.recv() => {}
                _ = close.recv() => {}
            }
        }
    }

    /// Handles are not inherited by accident here: stdin closes with the parent.
    pub(crate) fn parent_gone() -> impl Future<Output = ()> {
        std::future::pending()
    }
}

pub(crate) use platform::{parent_gone, told_to_end};
