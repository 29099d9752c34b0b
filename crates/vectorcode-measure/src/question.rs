//! Questions with the files that answer them, and files of questions: one JSON object per line.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use vectorcode_core::words::lowercase_words;
use vectorcode_core::{content_hash, file_name};
use vectorcode_engine::SourceFile;

use crate::MeasureError;
use crate::metrics::Target;

/// How many invalid lines are reported individually.
const MAX_PROBLEMS: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub query: String,
    /// Paths relative to the project's root, with `/`.
    pub answers: Vec<String>,
    /// The commit that the question was made from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
}

impl Question {
    pub fn targets(&self) -> Vec<Target> {
        self.answers.iter().map(|path| Target { paths: vec![path.clone()], lines: None }).collect()
    }

    /// Whether the query contains all words of the name of a right file. Then looking at file names is enough.
    pub fn names_its_file(&self) -> bool {
        let asked: HashSet<String> = lowercase_words(&self.query).into_iter().collect();
        self.answers.iter().any(|path| {
            let name = file_name(path);
            let words = lowercase_words(name.split('.').find(|part| !part.is_empty()).unwrap_or(name));
            !words.is_empty() && words.iter().all(|word| asked.contains(word))
        })
    }

    fn problem(&self) -> Option<&'static str> {
        if self.query.trim().is_empty() {
            return Some("`query` is empty");
        }
        self.answers.is_empty().then_some("`answers` is empty: name at least one path")
    }
}

/// The content of a file of questions.
#[derive(Clone, Debug)]
pub struct FromFile {
    pub questions: Vec<Question>,
    /// Answers that are not in the index and so cannot be found, as sentences. Questions without other answers were left out.
    pub left_out: Vec<String>,
}

/// Reads a file of questions. All invalid lines are reported together, so that they can be fixed at once.
pub fn read_questions(path: &Path, files: &[SourceFile]) -> Result<FromFile, MeasureError> {
    let text = std::fs::read_to_string(path).map_err(MeasureError::io("read", path))?;
    let indexed: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let (mut questions, mut problems, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
    for (line, number) in lines.filter(|(line, _)| !line.trim().is_empty()) {
        match parse(line) {
            Ok(mut question) => {
                let unknown = take_unknown(&mut question, &indexed).into_iter();
                left_out.extend(unknown.map(|path| format!("line {number}: {path} is not in the index")));
                questions.extend((!question.answers.is_empty()).then_some(question));
            }
            Err(problem) => problems.push(format!("line {number}: {problem}")),
        }
    }
    if !problems.is_empty() {
        return Err(MeasureError::BadQuestions { path: path.into(), problems: shortened(problems) });
    }
    if questions.is_empty() {
        return Err(MeasureError::NothingToAsk { path: path.into() });
    }
    Ok(FromFile { questions, left_out })
}

fn parse(line: &str) -> Result<Question, String> {
    let question: Question = serde_json::from_str(line).map_err(|error| {
        // The parser's line number is always 1; only the column is useful.
        let (text, column) = (error.to_string(), error.column());
        let text = text.split(" at line ").next().unwrap_or(&text);
        format!("{text} at column {column}")
    })?;
    question.problem().map_or(Ok(question.clone()), |problem| Err(problem.into()))
}

/// Removes the answers that are not in the index, and returns them.
fn take_unknown(question: &mut Question, indexed: &HashSet<&str>) -> Vec<String> {
    let (known, unknown): (Vec<String>, Vec<String>) = std::mem::take(&mut question.answers)
        .into_iter()
        .map(|answer| answer.trim_start_matches("./").replace('\\', "/"))
        .partition(|answer| indexed.contains(answer.as_str()));
    question.answers = known;
    unknown
}

fn shortened(mut problems: Vec<String>) -> Vec<String> {
    let rest = problems.len().saturating_sub(MAX_PROBLEMS);
    if rest > 0 {
        problems.truncate(MAX_PROBLEMS);
        problems.push(format!("and {rest} more"));
    }
    problems
}

/// Writes a new file of questions. An existing one is never replaced: somebody may have edited it.
pub fn save_questions(path: &Path, questions: &[Question]) -> Result<(), MeasureError> {
    let write = || {
        let mut file = std::io::BufWriter::new(std::fs::File::create_new(path)?);
        for question in questions {
            serde_json::to_writer(&mut file, question)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    };
    write().map_err(MeasureError::io("write", path))
}

/// At most `limit` questions, selected by `seed`, without repeated queries.
///
/// The selection depends only on the questions themselves: a few new commits change a few of the selected questions, not all.
pub fn pick(questions: Vec<Question>, limit: usize, seed: u64) -> Vec<Question> {
    let key = |question: &Question| content_hash(format!("{seed} {}", question.query).as_bytes());
    let mut queries = HashSet::new();
    let mut picked: Vec<Question> =
        questions.into_iter().filter(|question| queries.insert(question.query.clone())).collect();
    picked.sort_by_cached_key(key);
    picked.truncate(limit);
    picked
}

#[cfg(test)]
mod tests {
    use vectorcode_core::ContentClass;
    use vectorcode_testkit::TempProject;

    use super::*;

    fn question(query: &str) -> Question {
        Question { query: query.into(), answers: vec!["a.rs".into()], from: None }
    }

    fn files() -> [SourceFile; 1] {
        let (path, language) = ("a.rs".into(), "rust".into());
        [SourceFile { path, language, class: ContentClass::Code, is_test: false }]
    }

    fn read(text: &str) -> Result<FromFile, MeasureError> {
        let project = TempProject::new(&[("q.jsonl", text)]);
        read_questions(&project.path("q.jsonl"), &files())
    }

    #[test]
    fn what_is_saved_can_be_read_and_is_not_replaced() {
        let project = TempProject::empty();
        let path = project.path("q.jsonl");
        let questions = [Question { from: Some("3f2a91c".into()), ..question("one") }, question("two")];
        save_questions(&path, &questions).unwrap();
        let read = read_questions(&path, &files()).unwrap();
        assert_eq!((read.questions.as_slice(), read.left_out.len()), (questions.as_slice(), 0));
        assert!(save_questions(&path, &[]).unwrap_err().to_string().contains("exists"));
    }

    #[test]
    fn bad_lines_are_told_by_number_and_reason() {
        let error = read(
            "{\"query\": \"fine\", \"answers\": [\"a.rs\"]}\n\nnot json\n{\"query\": \"\", \"answers\": [\"a.rs\"]}\n\
             {\"query\": \"x\", \"answers\": []}\n{\"query\": \"x\", \"answer\": \"a.rs\"}\n",
        )
        .unwrap_err()
        .to_string();
        for part in [
            "line 3: expected",
            "line 4: `query` is empty",
            "line 5: `answers`",
            "line 6: unknown field `answer`",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn many_bad_lines_are_counted() {
        let error = read(&"x\n".repeat(9)).unwrap_err().to_string();
        assert!(
            error.contains("line 5") && !error.contains("line 6") && error.contains("and 4 more"),
            "{error}"
        );
    }

    #[test]
    fn answers_that_are_not_indexed_are_left_out() {
        let FromFile { questions, left_out } =
            read("{\"query\": \"x\", \"answers\": [\"./a.rs\", \"gone.rs\"]}\n{\"query\": \"y\", \"answers\": [\"gone.rs\"]}")
                .unwrap();
        assert_eq!(questions, [question("x")]);
        assert_eq!(left_out.len(), 2);
        assert!(left_out[1].starts_with("line 2: gone.rs"));
        assert!(matches!(read("\n"), Err(MeasureError::NothingToAsk { .. })));
    }

    #[test]
    fn a_question_may_name_its_file() {
        let asks = |query: &str, answer: &str| {
            Question { query: query.into(), answers: vec![answer.into()], from: None }.names_its_file()
        };
        assert!(asks("SessionStore forgets cookies", "src/session_store.test.rs"));
        assert!(!asks("the store forgets cookies", "src/session_store.rs"));
        assert!(!asks("anything", "src/日本.rs"));
    }

    #[test]
    fn the_choice_hangs_on_seed_and_questions_alone() {
        let all: Vec<Question> = (0..50).map(|number| question(&number.to_string())).collect();
        let chosen = pick(all.clone(), 10, 7);
        let reversed = pick(all.iter().rev().chain(&all).cloned().collect(), 10, 7);
        assert_eq!(chosen, reversed);
        assert_ne!(chosen, pick(all.clone(), 10, 8));
        let more = pick(all.into_iter().chain([question("new")]).collect(), 10, 7);
        assert!(chosen.iter().filter(|question| more.contains(question)).count() >= 9);
    }
}
