//! Limits the number of requests of each token with a token bucket.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use vectorcode_core::lock;

/// A burst may use the requests of ten seconds.
const BURSTS_PER_MINUTE: f64 = 6.0;

/// The buckets of all callers. Only callers with a valid token get one, so there are at most as many as tokens.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    /// Requests that may be made right now.
    left: f64,
    filled_at: Instant,
}

impl RateLimiter {
    /// Counts a request. If the caller has made too many, the error is the time to wait.
    pub(crate) fn admit(&self, caller: &str, per_minute: u32, now: Instant) -> Result<(), Duration> {
        if per_minute == 0 {
            return Ok(());
        }
        let (per_second, burst) =
            (f64::from(per_minute) / 60.0, (f64::from(per_minute) / BURSTS_PER_MINUTE).max(1.0));
        let mut buckets = lock(&self.buckets);
        let bucket = buckets.entry(caller.to_owned()).or_insert(Bucket { left: burst, filled_at: now });
        let passed = now.saturating_duration_since(bucket.filled_at).as_secs_f64();
        bucket.left = (bucket.left + passed * per_second).min(burst);
        bucket.filled_at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.left) / per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_a_burst_and_then_the_rate() {
        let (limiter, start) = (RateLimiter::default(), Instant::now());
        let ask = |caller: &str, after_ms: u64| {
            limiter.admit(caller, 60, start + Duration::from_millis(after_ms)).is_ok()
        };
        assert_eq!((0..12).filter(|_| ask("a", 0)).count(), 10);
        assert!(ask("b", 0), "another caller has a bucket of its own");
        assert!(!ask("a", 900));
        assert!(ask("a", 1_100));
        assert_eq!((0..100).filter(|_| ask("a", 3_600_000)).count(), 10, "idle time saves up one burst");
        let wait = limiter.admit("a", 60, start + Duration::from_hours(1)).unwrap_err();
        assert!(wait > Duration::from_millis(900) && wait <= Duration::from_secs(1), "{wait:?}");
        assert!((0..1_000).all(|_| limiter.admit("c", 0, start).is_ok()));
    }

    #[test]
    fn a_low_limit_still_admits_one() {
        let (limiter, start) = (RateLimiter::default(), Instant::now());
        assert!(limiter.admit("a", 1, start).is_ok());
        assert!(limiter.admit("a", 1, start).unwrap_err() > Duration::from_secs(50));
    }
}
