//! `events`: what the index does, as server-sent events.

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

use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::backend::Backend;
use crate::http::problem::Problem;

pub(super) const EVENTS: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/events",
    id: "events",
    summary: "Server-sent events: `activity` when the index does something else, `index` when it has changed.",
    answers: &[Answer {
        status: 200,
        media: "text/event-stream",
        schema: SchemaGenerator::subschema_for::<String>,
    }],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| Box::pin(async move { events(&call) }),
};

const LOOK: Duration = Duration::from_millis(250);
/// A run writes many times a second; listeners look at the index again at each change that they hear of.
const BETWEEN_CHANGES: Duration = Duration::from_secs(1);
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The data of an `index` event.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct IndexChange {
    /// Another one means another index; `null` while there is none. A text, because it has more digits than
    /// numbers in JavaScript.
    version: Option<String>,
}

fn events(call: &Call) -> Result<Reply, Problem> {
    let slots = call.backend.listeners().clone();
    let slot = slots.try_acquire_owned().map_err(|_| Problem::busy("Too many are listening already."))?;
    let listener = Listener::new(call.backend.clone(), slot);
    let keep_alive = KeepAlive::new().interval(HEARTBEAT);
    Ok(Reply::from(Sse::new(listener.events()).keep_alive(keep_alive).into_response()))
}

/// One open stream, and what it has told already.
struct Listener {
    backend: Arc<Backend>,
    clock: Interval,
    activity: Option<Activity>,
    index: Option<IndexChange>,
    quiet_until: Instant,
    _slot: OwnedSemaphorePermit,
}

impl Listener {
    fn new(backend: Arc<Backend>, slot: OwnedSemaphorePermit) -> Self {
        let mut clock = tokio::time::interval(LOOK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { backend, clock, activity: None, index: None, quiet_until: Instant::now(), _slot: slot }
    }

    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut listener| Some((Ok(listener.next().await?), listener)))
    }

    /// The next piece of news; `None` when the server ends.
    async fn next(&mut self) -> Option<Event> {
        let ending = self.backend.ending().clone();
        loop {
            if let Some(event) = self.news().await {
                return Some(event);
            }
            tokio::select! {
                _ = self.clock.tick() => {}
                () = ending.cancelled() => return None,
            }
        }
    }

    async fn news(&mut self) -> Option<Event> {
        let activity = self.backend.engine().activity();
        if self.activity.as_ref() != Some(&activity) {
            let event = event("activity", &activity);
            self.activity = Some(activity);
            return Some(event);
        }
        if Instant::now() < self.quiet_until {
            return None;
        }
        let version = self.backend.run(Engine::version).await.ok().and_then(Result::ok);
        let index = IndexChange { version: version.map(|version| version.to_string()) };
        if self.index.as_ref() == Some(&index) {
            return None;
        }
        self.quiet_until = Instant::now() + BETWEEN_CHANGES;
        let event = event("index", &index);
        self.index = Some(index);
        Some(event)
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Plain structs of numbers and strings: they always are JSON.
    Event::default().event(name).data(serde_json::to_string(data).unwrap_or_default())
}
