//! How well does search work on this repository?
//!
//! A [`Question`] has known answers: the files that a commit changed ([`from_history`]), or files that the user listed
//! ([`read_questions`]). [`ask`] runs the questions through the engine and a plain keyword search, and a [`Report`] compares
//! the results. [`metrics`] and [`Latency`] are used by every measurement in the workspace. Nothing is printed here.

mod error;
mod evaluation;
mod history;
mod keywords;
mod latency;
mod message;
pub mod metrics;
mod question;
mod report;
mod searcher;

pub use error::MeasureError;
pub use evaluation::{DEEP, EvaluationInput, WARM_UP, ask, deep_rank};
pub use history::{FromHistory, from_history};
pub use keywords::Keywords;
pub use latency::Latency;
pub use question::{FromFile, Question, pick, read_questions, save_questions};
pub use report::{AnsweredQuestion, Comparison, QuestionSource, Report, SearcherOutcome, SearcherScore};
pub use searcher::Searcher;
