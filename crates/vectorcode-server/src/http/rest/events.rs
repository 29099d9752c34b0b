//! `events`: changes of the index and its activity, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use schemars::SchemaGenerator;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Interval, MissedTickBehavior};
use vectorcode_core::api::Activity;
use vectorcode_engine::Engine;

use super::operation::{Input, Operation, OperationCall, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, NoArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

pub(super) const EVENTS: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/events",
    id: "events",
    summary: "Server-sent events: `activity` when the activity changes, `index` when the index has changed.",
    successes: &[SuccessResponse {
        status: 200,
        media: "text/event-stream",
        schema: SchemaGenerator::subschema_for::<String>,
    }],
    errors: &[],
    subject: OperationSubject::Project,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| Box::pin(async move { events(&call) }),
};

/// Progress looks continuous at four updates a second.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Minimum time between two `index` events. An index run commits many times a second, and clients query the index again
/// at each event.
const MIN_CHANGE_INTERVAL: Duration = Duration::from_secs(1);
/// Proxies close connections that are silent for a minute; nginx does by default.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The data of an `index` event.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct IndexChange {
    /// Changes with every change of the index; `null` while there is no index. A string, because JavaScript numbers have
    /// too few digits for it.
    version: Option<String>,
}

fn events(call: &OperationCall) -> Result<Reply, Problem> {
    let slots = call.backend.event_slots().clone();
    let slot = slots.try_acquire_owned().map_err(|_| Problem::busy("Too many event streams are open."))?;
    let stream = EventStream::new(call.project.clone(), slot);
    let keep_alive = KeepAlive::new().interval(HEARTBEAT);
    Ok(Reply::from(Sse::new(stream.events()).keep_alive(keep_alive).into_response()))
}

/// One open stream, and what it has sent last.
struct EventStream {
    project: Arc<ServedProject>,
    clock: Interval,
    activity: Option<Activity>,
    index: Option<IndexChange>,
    quiet_until: Instant,
    _slot: OwnedSemaphorePermit,
}

impl EventStream {
    fn new(project: Arc<ServedProject>, slot: OwnedSemaphorePermit) -> Self {
        let mut clock = tokio::time::interval(POLL_INTERVAL);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { project, clock, activity: None, index: None, quiet_until: Instant::now(), _slot: slot }
    }

    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut stream| Some((Ok(stream.next().await?), stream)))
    }

    /// Waits for the next event; `None` when the server stops.
    async fn next(&mut self) -> Option<Event> {
        let shutdown = self.project.workers().shutdown().clone();
        tokio::select! {
            event = self.await_change() => Some(event),
            () = shutdown.cancelled() => None,
        }
    }

    async fn await_change(&mut self) -> Event {
        loop {
            if let Some(event) = self.poll_change().await {
                return event;
            }
            self.clock.tick().await;
        }
    }

    async fn poll_change(&mut self) -> Option<Event> {
        let activity = self.project.run(|engine| Ok(engine.activity())).await.ok()?;
        if self.activity.as_ref() != Some(&activity) {
            let event = event("activity", &activity);
            self.activity = Some(activity);
            return Some(event);
        }
        if Instant::now() < self.quiet_until {
            return None;
        }
        let version = self.project.run(Engine::version).await.ok();
        let index = IndexChange { version: version.map(|version| version.to_string()) };
        if self.index.as_ref() == Some(&index) {
            return None;
        }
        self.quiet_until = Instant::now() + MIN_CHANGE_INTERVAL;
        let event = event("index", &index);
        self.index = Some(index);
        Some(event)
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Structs of numbers and strings can always be written as JSON.
    Event::default().event(name).data(serde_json::to_string(data).unwrap_or_default())
}
