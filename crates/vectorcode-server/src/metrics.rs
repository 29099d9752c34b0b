//! The metrics of a server, in the Prometheus text format.
//!
//! Labels come from fixed lists (routes, methods, stages) or are names of open projects, so no caller can add a series.

use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use vectorcode_core::VERSION;

/// The labels of a finished request.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    pub(crate) method: &'static str,
    pub(crate) route: String,
    pub(crate) status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct StageLabels {
    stage: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ProjectLabels {
    project: String,
}

/// A part of the time that a search takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Waiting for one of the engine's slots.
    Wait,
    /// The search itself.
    Search,
    /// Syntax highlighting of its results.
    Markup,
}

impl Stage {
    fn as_str(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Search => "search",
            Self::Markup => "markup",
        }
    }
}

/// The state of one open project's index.
#[derive(Clone, Debug)]
pub(crate) struct ProjectFigures {
    pub(crate) project: String,
    pub(crate) chunks: u64,
    /// Chunks without a vector of the provider.
    pub(crate) pending: u64,
    /// Time since the index was last brought up to date.
    pub(crate) age: Option<Duration>,
    pub(crate) is_working: bool,
}

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// The counters of one server.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: Family<RequestLabels, Counter>,
    latency: Histograms<RouteLabels>,
    stages: Histograms<StageLabels>,
    rate_limited: Counter,
}

/// Buckets from one millisecond to 16 seconds, each bound twice the previous one.
fn seconds_histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 15))
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            latency: Family::new_with_constructor(seconds_histogram),
            stages: Family::new_with_constructor(seconds_histogram),
            rate_limited: Counter::default(),
        }
    }
}

impl Metrics {
    pub(crate) fn count(&self, request: &RequestLabels, took: Duration) {
        self.requests.get_or_create(request).inc();
        let route = RouteLabels { route: request.route.clone() };
        self.latency.get_or_create(&route).observe(took.as_secs_f64());
        if request.status == 429 {
            self.rate_limited.inc();
        }
    }

    pub(crate) fn time(&self, stage: Stage, took: Duration) {
        self.stages.get_or_create(&StageLabels { stage: stage.as_str() }).observe(took.as_secs_f64());
    }

    /// All metrics as text. Those of projects are computed for each reader, who may not see all of them.
    pub(crate) fn text(&self, projects: &[ProjectFigures]) -> String {
        let mut registry = Registry::with_prefix("vectorcode");
        registry.register("build", "The version of the program", Info::new(vec![("version", VERSION)]));
        registry.register("http_requests", "Requests by method, route and status", self.requests.clone());
        registry.register(
            "http_request_duration_seconds",
            "Time until a response begins",
            self.latency.clone(),
        );
        registry.register(
            "search_stage_duration_seconds",
            "Time of the stages of a search",
            self.stages.clone(),
        );
        registry.register(
            "rate_limited_requests",
            "Requests refused because their token made too many",
            self.rate_limited.clone(),
        );
        register_projects(&mut registry, projects);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = text::encode(&mut out, &registry);
        out
    }
}

fn register_projects(registry: &mut Registry, projects: &[ProjectFigures]) {
    let mut register = |name: &str, help: &str, figure: fn(&ProjectFigures) -> Option<i64>| {
        let gauges: Family<ProjectLabels, Gauge> = Family::default();
        for project in projects {
            if let Some(figure) = figure(project) {
                gauges.get_or_create(&ProjectLabels { project: project.project.clone() }).set(figure);
            }
        }
        registry.register(name, help, gauges);
    };
    register("index_chunks", "Chunks in the index of an open project", |project| {
        i64::try_from(project.chunks).ok()
    });
    register("index_pending_chunks", "Chunks without a vector of the provider", |project| {
        i64::try_from(project.pending).ok()
    });
    register("index_age_seconds", "Time since the index was brought up to date", |project| {
        i64::try_from(project.age?.as_secs()).ok()
    });
    register("index_working", "1 while the index is written", |project| Some(project.is_working.into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_for_prometheus() {
        let metrics = Metrics::default();
        let request = RequestLabels { method: "GET", route: "/api/v1/search".into(), status: 200 };
        metrics.count(&request, Duration::from_millis(3));
        metrics.count(&RequestLabels { status: 429, ..request }, Duration::ZERO);
        metrics.time(Stage::Search, Duration::from_millis(5));
        let project = ProjectFigures {
            project: "a\"b\nc".into(),
            chunks: 7,
            pending: 2,
            age: Some(Duration::from_mins(1)),
            is_working: false,
        };
        let text = metrics.text(&[project]);
        for line in [
            "vectorcode_http_requests_total{method=\"GET\",route=\"/api/v1/search\",status=\"200\"} 1",
            "vectorcode_rate_limited_requests_total 1",
            "vectorcode_search_stage_duration_seconds_count{stage=\"search\"} 1",
            "vectorcode_index_chunks{project=\"a\\\"b\\nc\"} 7",
            "vectorcode_index_age_seconds{project=\"a\\\"b\\nc\"} 60",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
