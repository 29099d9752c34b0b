//! Reasons for a server to stop other than its client closing the connection.
//!
//! Both functions start to listen when they are called, not when their future is first polled, so that no event in between is
//! missed.

#[cfg(unix)]
mod platform {
    use std::os::unix::process::parent_id;
    use std::time::Duration;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Not every system notifies a process when its parent exits, so the parent's id is polled.
    const PARENT_POLL: Duration = Duration::from_secs(1);

    /// Returns on Ctrl-C or when the operating system asks the process to terminate (SIGTERM).
    pub(crate) fn shutdown_signal() -> impl Future<Output = ()> {
        let (interrupt, terminate) = (listen(SignalKind::interrupt()), listen(SignalKind::terminate()));
        async move {
            tokio::select! {
                () = received(interrupt) => {}
                () = received(terminate) => {}
            }
        }
    }

    /// Returns when the parent process has exited. That usually closes our stdin, but not when another process has
    /// inherited its other end.
    pub(crate) fn parent_exited() -> impl Future<Output = ()> {
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

    /// Returns on Ctrl-C, on Ctrl-Break (the only one that another program can send) or when the terminal is closed.
    pub(crate) fn shutdown_signal() -> impl Future<Output = ()> {
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

    /// Windows does not inherit handles by accident: stdin closes with the parent.
    pub(crate) fn parent_exited() -> impl Future<Output = ()> {
        std::future::pending()
    }
}

pub(crate) use platform::{parent_exited, shutdown_signal};
