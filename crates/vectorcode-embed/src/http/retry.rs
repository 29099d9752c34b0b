//! How long and how often a request is tried again.

use std::time::{Duration, Instant};

use super::Failure;

/// The wait after the first failure; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// What a caller is ready to wait for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Requests sent in all.
    pub attempts: u32,
    /// No attempt starts later than this after the first.
    pub total: Duration,
    /// For one request, from connecting to the last byte of the answer.
    pub timeout: Duration,
}

impl Patience {
    /// For work in the background, which should survive a rate limit of a minute.
    pub fn for_indexing(timeout: Duration) -> Self {
        Self { attempts: 6, total: Duration::from_mins(2), timeout }
    }

    /// For a check before the work, which may have to wait for a model to load.
    pub fn for_readiness(timeout: Duration) -> Self {
        Self { attempts: 2, total: Duration::from_secs(3), timeout }
    }

    /// For a query: someone is waiting, and a search works without it.
    pub fn for_query(timeout: Duration) -> Self {
        Self::for_readiness(timeout.min(Duration::from_secs(15)))
    }
}

/// One request's attempts so far.
#[derive(Debug)]
pub(super) struct Retry<'a> {
    patience: &'a Patience,
    started: Instant,
    failures: u32,
}

impl<'a> Retry<'a> {
    pub fn new(patience: &'a Patience) -> Self {
        Self { patience, started: Instant::now(), failures: 0 }
    }

    /// How long to wait before the next attempt, or `None` when there shall be none. What the server asks for is
    /// waited in full; when that is too long, trying earlier would only make it worse.
    pub fn wait_after(&mut self, failure: &Failure) -> Option<Duration> {
        self.failures += 1;
        if !failure.may_pass() || self.failures >= self.patience.attempts {
            return None;
        }
        let wait = match failure {
            Failure::Status { retry_after: Some(asked), .. } => *asked,
            _ => with_jitter(backoff(self.failures)),
        };
        (self.started.elapsed() + wait <= self.patience.total).then_some(wait)
    }
}

fn backoff(failures: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << (failures - 1).min(16)).min(LONGEST_WAIT)
}

/// Between half of the wait and all of it, so that requests that failed together do not come back together.
fn with_jitter(wait: Duration) -> Duration {
    wait.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEXING: Patience =
        Patience { attempts: 4, total: Duration::from_mins(1), timeout: Duration::from_secs(1) };

    fn busy(retry_after: Option<u64>) -> Failure {
        let retry_after = retry_after.map(Duration::from_secs);
        Failure::Status { code: 429, message: String::new(), retry_after }
    }

    #[test]
    fn waits_double_up_to_a_bound_and_vary() {
        assert_eq!([1, 2, 3].map(backoff), [500, 1000, 2000].map(Duration::from_millis));
        assert_eq!(backoff(60), LONGEST_WAIT);
        for _ in 0..100 {
            let wait = with_jitter(Duration::from_secs(1));
            assert!(wait >= Duration::from_millis(500) && wait <= Duration::from_secs(1));
        }
    }

    #[test]
    fn attempts_are_bounded() {
        let mut retry = Retry::new(&INDEXING);
        let waits = (0..10).map_while(|_| retry.wait_after(&busy(Some(0)))).count();
        assert_eq!(waits, 3, "four attempts have three waits between them");
    }

    #[test]
    fn the_servers_wish_is_honoured_unless_it_is_too_long() {
        let mut retry = Retry::new(&INDEXING);
        assert_eq!(retry.wait_after(&busy(Some(9))), Some(Duration::from_secs(9)));
        assert_eq!(retry.wait_after(&busy(Some(3600))), None);
    }

    #[test]
    fn lasting_failures_are_final() {
        let failure = Failure::Status { code: 401, message: String::new(), retry_after: None };
        assert_eq!(Retry::new(&INDEXING).wait_after(&failure), None);
    }
}
