//! Searches on a separate thread. Only the newest query counts; older ones that have not started yet are dropped.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use anyhow::{Context, Result, bail};
use vectorcode_core::Markup;
use vectorcode_core::api::{SearchRequest, SearchResponse};
use vectorcode_engine::Engine;

/// The results of a query.
#[derive(Debug)]
pub struct Found {
    pub request: SearchRequest,
    /// The results, or the error message.
    pub response: Result<(SearchResponse, Vec<Markup>), String>,
}

#[derive(Debug)]
pub struct Searcher {
    questions: Sender<SearchRequest>,
    answers: Receiver<Found>,
}

impl Searcher {
    pub fn start(engine: Arc<Engine>) -> Result<Self> {
        let (questions, asked) = channel::<SearchRequest>();
        let (found, answers) = channel();
        let work = move || {
            while let Ok(mut request) = asked.recv() {
                while let Ok(newer) = asked.try_recv() {
                    request = newer;
                }
                let response = search(&engine, &request);
                if found.send(Found { request, response }).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("search".into()).spawn(work).context("cannot start a thread")?;
        Ok(Self { questions, answers })
    }

    /// Starts a search. `None` is an empty query, for which there is nothing to search.
    pub fn ask(&self, request: Option<SearchRequest>) {
        if let Some(request) = request {
            // The thread ends only with this struct.
            let _ = self.questions.send(request);
        }
    }

    /// The newest results that have arrived since the last call. Fails if the thread has ended.
    pub fn found(&self) -> Result<Option<Found>> {
        let mut newest = None;
        loop {
            match self.answers.try_recv() {
                Ok(found) => newest = Some(found),
                Err(TryRecvError::Empty) => return Ok(newest),
                Err(TryRecvError::Disconnected) => {
                    bail!(
                        "the search failed because of a bug in vectorcode; please report what is printed above"
                    )
                }
            }
        }
    }
}

fn search(engine: &Engine, request: &SearchRequest) -> Result<(SearchResponse, Vec<Markup>), String> {
    let response = engine.search(request).map_err(|error| error.to_string())?;
    let markups = engine.markup(&request.target, &response.hits);
    Ok((response, markups))
}
