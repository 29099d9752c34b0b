//! Removes what issue templates add to a report: headings, check lists, versions and environments. None of it points
//! to the cause, and its words (`expected`, `version`, `system`) occur in every project.

use super::blocks::Block;

/// A heading that consists only of these words comes from a template.
const TEMPLATE_WORDS: &str = "a about actual actually additional additionally affect affected all alternatives an and any are as \
    attach attached attempted be behavior behavior's behaviour behaviours behaviors bug but by can case causing changes code command comments complete \
    component config configuration considered context contribution contributing correct could current currently debug demo describe \
    described description desktop detail detailed details did discussed do does done encountered error errors example examples exact \
    exactly executed expect expected explain extra feature features file files fill fix following for found from full fully general get \
    got guidelines happen happened happening happens have help here how i idea if important in include incorrect info information input \
    instead is issue issues it its json kind like link links list live log logs me minimal more motivation my name need nice notes \
    observed of on one optional or other our output outputs please possible post prerequisites prior problem proposal proposed provide \
    purpose question read real reason reference references regression related relevant repo report reported reproduce reproducer reproducible \
    reproducing reproduction request result results run running sample screenshot screenshots screen section see seen setup should \
    shot show snippet solution some stack stacktrace statement step steps still submit suggested suggestion summary support task tasks that the \
    there think this title to trace traceback tried type under use used using video want was way we were what what's when where which while \
    why will with work workaround would yaml you you'd your";

/// A heading with one of these words starts a section about the reporter's machine.
const ENVIRONMENT_WORDS: [&str; 26] = [
    "version",
    "versions",
    "environment",
    "environments",
    "system",
    "os",
    "operating",
    "platform",
    "install",
    "installed",
    "installation",
    "checklist",
    "checks",
    "prerequisites",
    "guidelines",
    "self-service",
    "browser",
    "browsers",
    "device",
    "smartphone",
    "locale",
    "plugins",
    "gems",
    "hardware",
    "runtime",
    "terms",
];

/// Keys of lines about the reporter's machine (before the colon), in addition to `... version`.
const ENVIRONMENT_KEYS: &str = "os platform browser browsers node nodejs node.js npm yarn pnpm python php ruby java jdk jre go golang rust rustc \
    kernel docker arch architecture distribution distro device shell terminal cpu gpu ram bundler composer compiler gcc clang cmake \
    version versions environment system machine uname server editor ide";

/// A heading has at most this many words; a section about the machine at most this many lines.
const MAX_HEADING_WORDS: usize = 12;
const MAX_SECTION_LINES: usize = 80;

/// Titles are tagged with their kind: `[Bug]: ...`, `Feature request: ...`.
const TAGS: [&str; 14] = [
    "bug",
    "bug report",
    "feature",
    "feature request",
    "regression",
    "question",
    "enhancement",
    "proposal",
    "rfc",
    "issue",
    "request",
    "docs",
    "suggestion",
    "error",
];

/// A title without its tag.
pub(super) fn without_tag(title: &str) -> &str {
    let plain = title.trim_start_matches('#').trim_start();
    let (tag, rest) = match plain.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some(found) => found,
        None => plain.split_once(':').unwrap_or(("", plain)),
    };
    let rest = rest.trim_start_matches([':', '-', ' ']);
    let is_tag = TAGS.contains(&tag.trim().to_ascii_lowercase().as_str());
    if is_tag && !rest.is_empty() { rest } else { title }
}

/// Tracks the sections of a report.
#[derive(Debug, Default)]
pub(super) struct Template {
    /// How many more lines are skipped in a section about the machine.
    skipped_lines: usize,
}

impl Template {
    /// Whether a line was written by the reporter and is about the problem.
    pub fn admits(&mut self, block: Block, line: &str) -> bool {
        if block == Block::Prose {
            if let Some(heading) = Heading::of(line) {
                self.skipped_lines = if heading.is_environment { MAX_SECTION_LINES } else { 0 };
                return !(heading.is_environment || heading.is_template);
            }
            if is_check(line) || is_placeholder(line) || is_environment_pair(line) {
                return false;
            }
        }
        let is_skipped = self.skipped_lines > 0 && block != Block::Trace;
        self.skipped_lines = self.skipped_lines.saturating_sub(1);
        !is_skipped
    }
}

#[derive(Clone, Copy, Debug)]
struct Heading {
    is_environment: bool,
    is_template: bool,
}

impl Heading {
    /// `### Title`, `**Title**`, `**Title:**`; also `Title:` and `Title?` if all words are a template's.
    fn of(line: &str) -> Option<Self> {
        let (text, is_marked) = heading_text(line)?;
        let words: Vec<String> =
            text.split_whitespace().map(plain_word).filter(|word| !word.is_empty()).collect();
        if words.len() > MAX_HEADING_WORDS {
            return None;
        }
        let environment = || words.iter().any(|word| ENVIRONMENT_WORDS.contains(&word.as_str()));
        let heading = Self {
            is_environment: environment() && !text.to_ascii_lowercase().contains("environment variable"),
            is_template: words.iter().all(|word| is_among(TEMPLATE_WORDS, word)),
        };
        (is_marked || heading.is_template).then_some(heading)
    }
}

/// The text of a heading, and whether it is marked up as one.
fn heading_text(line: &str) -> Option<(&str, bool)> {
    let without_marks = line.trim_start_matches('#');
    if without_marks.len() < line.len() && without_marks.starts_with(' ') {
        return Some((without_marks.trim(), true));
    }
    let bare = line.trim_end_matches([':', ' ']);
    for mark in ["**", "__"] {
        if let Some(inner) = bare.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark))
            && !inner.contains(mark)
        {
            return Some((inner, true));
        }
    }
    line.ends_with([':', '?']).then_some((line, false))
}

/// In lower case, without emphasis and punctuation.
fn plain_word(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn is_among(words: &str, wanted: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == wanted)
}

/// Whether a line is a ticked or empty check box: `- [x] I have searched`.
fn is_check(line: &str) -> bool {
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    ["[x]", "[X]", "[ ]"].iter().any(|mark| item.starts_with(mark))
}

fn is_placeholder(line: &str) -> bool {
    let plain = line.trim_matches(|c: char| !c.is_alphanumeric());
    ["No response", "N/A", "None", "NA"].iter().any(|text| plain.eq_ignore_ascii_case(text))
}

/// Whether a line gives a fact about the reporter's machine: `- **OS**: Linux`, `PHP version: 8.3`,
/// `| Browser | Firefox |`.
fn is_environment_pair(line: &str) -> bool {
    let plain = line.trim_start_matches(['-', '*', '+', '|', '_', '`', ' ']);
    let Some((key, value)) = plain.split_once([':', '|', '=']) else { return false };
    let words: Vec<String> = key.split_whitespace().map(plain_word).filter(|word| !word.is_empty()).collect();
    let is_version = words.last().is_some_and(|word| word == "version" || word == "versions");
    let known = matches!(words.as_slice(), [only] if is_among(ENVIRONMENT_KEYS, only));
    let is_system = words == ["operating", "system"];
    words.len() <= 4 && value.split_whitespace().count() <= 12 && (is_version || known || is_system)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<&str> {
        let mut template = Template::default();
        text.lines().filter(|line| !line.is_empty() && template.admits(Block::Prose, line)).collect()
    }

    #[test]
    fn headings_checks_and_machines_are_dropped() {
        let text = "### What is the expected behavior?\nIt returns.\n**To Reproduce**\n- [ ] done\n_No response_\n\
            **OS:** Linux\nPHP version: 8.3\n## RuboCop version\n1.67.0 (using Parser)\n## Cops disagree\nThey do.";
        assert_eq!(kept(text), ["It returns.", "## Cops disagree", "They do."]);
    }

    #[test]
    fn sentences_that_look_like_headings_stay() {
        for line in [
            "I ran the following migration:",
            "Is the version of a package compared as a number?",
            "#### Environment variables are not expanded",
            "The system: it never answers when asked twice, and the log says nothing about it at all today",
        ] {
            assert_eq!(kept(line), [line]);
        }
    }

    #[test]
    fn tags_of_titles_are_dropped() {
        assert_eq!(without_tag("[Bug]: it fails"), "it fails");
        assert_eq!(without_tag("[BUG] cluster fails"), "cluster fails");
        assert_eq!(without_tag("Feature request: pow"), "pow");
        assert_eq!(without_tag("env: add --ignore-signal"), "env: add --ignore-signal");
        assert_eq!(without_tag("[jruby] fails"), "[jruby] fails");
        assert_eq!(without_tag("bug:"), "bug:");
    }
}
