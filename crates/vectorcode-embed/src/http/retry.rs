//! How often a request is retried, and how long to wait before each retry.

use std::time::{Duration, Instant};

use super::RequestFailure;

/// The wait after the first failure. It doubles with each further failure.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Three waits of this length outlast a limit on requests per minute.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// How many attempts and how much time a caller allows for one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Maximum number of requests, the first included.
    pub attempts: u32,
    /// The same for a server that does not respond: a server that is not running will not start by itself.
    pub attempts_unanswered: u32,
    /// No attempt starts later than this after the first one.
    pub total: Duration,
    /// For one attempt, from connecting to the last byte of the response.
    pub timeout: Duration,
}

impl RetryPolicy {
    /// For background indexing, which should survive a per-minute rate limit.
    pub fn for_indexing(timeout: Duration) -> Self {
        Self { attempts: 6, attempts_unanswered: 6, total: Duration::from_mins(2), timeout }
    }

    /// For the check before indexing. It is as patient with a busy server as indexing is: a per-minute rate limit that would only
    /// delay indexing must not fail the check.
    pub fn for_readiness(timeout: Duration) -> Self {
        Self { attempts_unanswered: 2, ..Self::for_indexing(timeout) }
    }

    /// For a query: a person is waiting, and the search works without a query vector.
    pub fn for_query(timeout: Duration) -> Self {
        Self {
            attempts: 2,
            attempts_unanswered: 2,
            total: Duration::from_secs(3),
            timeout: timeout.min(Duration::from_secs(15)),
        }
    }
}

/// The failed attempts of one request.
#[derive(Debug)]
pub(super) struct Retry<'a> {
    policy: &'a RetryPolicy,
    started: Instant,
    failures: u32,
}

impl<'a> Retry<'a> {
    pub fn new(policy: &'a RetryPolicy) -> Self {
        Self { policy, started: Instant::now(), failures: 0 }
    }

    /// How long to wait before the next attempt; `None` to give up. A wait that the server asks for is never shortened. If it is
    /// longer than the policy allows, we give up: an earlier retry would be refused as well.
    pub fn wait_after(&mut self, failure: &RequestFailure) -> Option<Duration> {
        self.failures += 1;
        let attempts = match failure {
            RequestFailure::NoAnswer { .. } => self.policy.attempts_unanswered,
            RequestFailure::Status { .. } => self.policy.attempts,
        };
        if !failure.is_transient() || self.failures >= attempts {
            return None;
        }
        let wait = match failure {
            RequestFailure::Status { retry_after: Some(asked), .. } => *asked,
            _ => with_jitter(backoff(self.failures)),
        };
        (self.started.elapsed() + wait <= self.policy.total).then_some(wait)
    }
}

fn backoff(failures: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << (failures - 1).min(16)).min(MAX_WAIT)
}

/// Between half the wait and the full wait, so that requests that failed together are not retried together.
fn with_jitter(wait: Duration) -> Duration {
    wait.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEXING: RetryPolicy = RetryPolicy {
        attempts: 4,
        attempts_unanswered: 2,
        total: Duration::from_mins(1),
        timeout: Duration::from_secs(1),
    };

    fn busy(retry_after: Option<u64>) -> RequestFailure {
        let retry_after = retry_after.map(Duration::from_secs);
        RequestFailure::Status { code: 429, message: String::new(), retry_after }
    }

    #[test]
    fn waits_double_up_to_a_bound_and_vary() {
        assert_eq!([1, 2, 3].map(backoff), [500, 1000, 2000].map(Duration::from_millis));
        assert_eq!(backoff(60), MAX_WAIT);
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
    fn a_server_that_does_not_answer_is_tried_less_often() {
        let silent = RequestFailure::NoAnswer { reason: String::new(), is_transient: true };
        let mut retry = Retry::new(&INDEXING);
        assert_eq!((0..10).map_while(|_| retry.wait_after(&silent)).count(), 1);
    }

    #[test]
    fn the_wait_that_a_server_asks_for_is_kept_unless_it_is_too_long() {
        let mut retry = Retry::new(&INDEXING);
        assert_eq!(retry.wait_after(&busy(Some(9))), Some(Duration::from_secs(9)));
        assert_eq!(retry.wait_after(&busy(Some(3600))), None);
    }

    #[test]
    fn permanent_failures_are_not_retried() {
        let failure = RequestFailure::Status { code: 401, message: String::new(), retry_after: None };
        assert_eq!(Retry::new(&INDEXING).wait_after(&failure), None);
    }
}
