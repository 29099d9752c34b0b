//! Latency percentiles of searches.

/// Percentiles in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
}

impl Latency {
    /// `None` if nothing was timed.
    pub fn of(mut times_ms: Vec<f64>) -> Option<Self> {
        times_ms.sort_by(f64::total_cmp);
        let last = times_ms.len().checked_sub(1)?;
        let at = |part: f64| times_ms[(last as f64 * part).round() as usize];
        Some(Self { median: at(0.5), p90: at(0.9), p99: at(0.99) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_times() {
        let times = (0..=100).rev().map(f64::from).collect();
        assert_eq!(Latency::of(times), Some(Latency { median: 50.0, p90: 90.0, p99: 99.0 }));
        assert_eq!(Latency::of(Vec::new()), None);
    }
}
