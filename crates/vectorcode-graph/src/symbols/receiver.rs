//! Parses the expression before a name: `self`, `super()`, `self.gateway`, `Mailer`, `create(x)`.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver<'r> {
    /// The object or type that the code belongs to.
    Own,
    /// The base class of [`Self::Own`].
    Parent,
    /// A chain of names, the last one next to the used name. The first may be `self`.
    Chain(Vec<&'r str>),
    /// The result of a function, with the names before it: `Retrier::new()`, `create(x)`.
    Call {
        on: Vec<&'r str>,
        function: &'r str,
    },
    /// A value of an explicit type: `gateway: &Gateway`, `Retry {}`.
    Typed(&'r str),
    /// A path of several names and calls.
    Path(Path<'r>),
    Unknown,
}

/// A path of names and calls: `Shop{}.client().queue`, `create(x).gateway`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path<'r> {
    /// The type that it starts with, if it is explicit.
    pub of: Option<&'r str>,
    pub steps: Vec<Step<'r>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step<'r> {
    pub name: &'r str,
    pub is_call: bool,
}

/// The separators of names in a path, in any language.
const SEPARATORS: [char; 7] = ['.', ':', '>', '\\', '?', '!', '-'];
const OWN: [&str; 8] = ["self", "this", "Self", "cls", "static", "me", "@", "__MODULE__"];

impl<'r> Receiver<'r> {
    /// Parses a receiver. `parent` are the names of the base class in the language.
    pub fn parse(text: &'r str, parent: &[&str]) -> Self {
        if let Some(written) = cast(text.trim()) {
            return Self::Typed(written);
        }
        let text = plain(text);
        if is_own(text) {
            return Self::Own;
        }
        if parent.contains(&text) {
            return Self::Parent;
        }
        if let Some(literal) = text.strip_suffix("{}") {
            return Self::Typed(literal);
        }
        // Not for braces inside a function argument: `make(() => {}).run`.
        if let Some((of, rest)) = text.split_once("{}").filter(|(of, _)| is_written_type(of)) {
            let path = steps(rest).map(|steps| Self::Path(Path { of: Some(of), steps }));
            return path.unwrap_or(Self::Unknown);
        }
        if let Some((_, annotation)) = text.split_once(": ").filter(|(name, _)| is_name(name)) {
            return Self::Typed(annotation);
        }
        let path = || steps(text).map(|steps| Self::Path(Path { of: None, steps }));
        if let Some(head) = text.strip_suffix(')') {
            return called(head).or_else(path).unwrap_or(Self::Unknown);
        }
        let chain = names(text).filter(|names| !names.is_empty()).map(Self::Chain);
        chain.or_else(path).unwrap_or(Self::Unknown)
    }
}

/// The type of a cast: `(shop as Shop)`, `((Shop) shop)` and `shop.(*Shop)`.
fn cast(text: &str) -> Option<&str> {
    let inside = text.strip_suffix(')')?;
    if let Some((_, written)) = inside.rsplit_once(".(") {
        return Some(written).filter(|written| is_written_type(written));
    }
    let inside = inside.strip_prefix('(')?;
    if let Some((_, written)) = inside.rsplit_once(" as ") {
        return Some(written).filter(|written| is_written_type(written));
    }
    let (written, value) = inside.strip_prefix('(')?.split_once(')')?;
    Some(written).filter(|_| is_written_type(written) && names(value.trim()).is_some())
}

fn is_written_type(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_.:<>[], *&?|".contains(c);
    text != "type" && !text.is_empty() && text.chars().all(is_part)
}

pub(super) fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

fn plain(text: &str) -> &str {
    let mut text = text.trim();
    for prefix in ["await ", "new ", "&mut "] {
        text = text.strip_prefix(prefix).unwrap_or(text).trim_start();
    }
    text.trim_start_matches(['&', '*', '$', '('])
}

fn is_name(name: &str) -> bool {
    let name = name.strip_prefix(['@', '$']).unwrap_or(name);
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// The parts of a path of names; `None` if the text is anything else.
fn names(text: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = text.split(SEPARATORS).filter(|part| !part.is_empty()).collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}

/// The names and calls of a path; `None` if the text contains anything else.
fn steps(text: &str) -> Option<Vec<Step<'_>>> {
    let (mut steps, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.trim_start_matches(SEPARATORS);
        if rest.is_empty() {
            return (!steps.is_empty()).then_some(steps);
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let after = after_type_arguments(after);
        let is_call = after.starts_with('(');
        rest = if is_call { after_brackets(after)? } else { after };
        // The element type is found in the type of the list: `Vec<Shop>` mentions `Shop`.
        while rest.starts_with('[') {
            rest = after_brackets(rest)?;
        }
        if name.is_empty() || !(rest.is_empty() || rest.starts_with(SEPARATORS)) {
            return None;
        }
        steps.push(Step { name, is_call });
    }
}

/// The text after a leading `(...)` or `[...]`.
pub(super) fn after_brackets(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// The text after `<T>` or `::<T>` before a call.
fn after_type_arguments(text: &str) -> &str {
    let inside = text.trim_start_matches(':').starts_with('<');
    inside.then(|| text.find(">(")).flatten().map_or(text, |at| &text[at + 1..])
}

/// The call before the arguments: `shop.create` of `shop.create(a, b(c)`, whose last parenthesis was removed.
fn called(head: &str) -> Option<Receiver<'_>> {
    let mut depth = 1;
    for (at, c) in head.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let before = without_type_arguments(&head[..at]);
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            let function = before.get(start..).filter(|name| is_name(name))?;
            return Some(Receiver::Call { on: names(&before[..start])?, function });
        }
    }
    None
}

/// Removes type arguments: `Retrier` of `Retrier<Gateway>`.
fn without_type_arguments(path: &str) -> &str {
    let opened = path.strip_suffix('>').and_then(|path| path.find('<'));
    opened.map_or(path, |at| path[..at].trim_end_matches("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_fall_into_kinds() {
        let parse = |text| Receiver::parse(text, &["super()"]);
        assert_eq!(parse("self"), Receiver::Own);
        assert_eq!(parse("$this"), Receiver::Own);
        assert_eq!(parse("super()"), Receiver::Parent);
        assert_eq!(parse("self.gateway"), Receiver::Chain(vec!["self", "gateway"]));
        assert_eq!(parse("$this->gateway"), Receiver::Chain(vec!["this", "gateway"]));
        assert_eq!(parse("std::fs"), Receiver::Chain(vec!["std", "fs"]));
        assert_eq!(parse("create(config.gateway)"), Receiver::Call { on: vec![], function: "create" });
        assert_eq!(parse("shop.create(a, b(c))"), Receiver::Call { on: vec!["shop"], function: "create" });
        assert_eq!(parse("await Shop::open()"), Receiver::Call { on: vec!["Shop"], function: "open" });
        let retrier = Receiver::Call { on: vec!["shop"], function: "Retrier" };
        assert_eq!(parse("shop::Retrier<Option<Gateway>>()"), retrier);
        let path = |of, steps: &[(&'static str, bool)]| {
            let steps = steps.iter().map(|(name, is_call)| Step { name, is_call: *is_call }).collect();
            Receiver::Path(Path { of, steps })
        };
        assert_eq!(parse("a(x.y).b<T>()"), path(None, &[("a", true), ("b", true)]));
        assert_eq!(parse("a().b?.c"), path(None, &[("a", true), ("b", false), ("c", false)]));
        assert_eq!(parse("Shop{}.client"), path(Some("Shop"), &[("client", false)]));
        assert_eq!(parse("gateway: Arc<Gateway>"), Receiver::Typed("Arc<Gateway>"));
        assert_eq!(parse("&Retry {}"), Receiver::Typed("Retry "));
        assert_eq!(parse("items[0]"), path(None, &[("items", false)]));
        assert_eq!(parse("(shop as Shop)"), Receiver::Typed("Shop"));
        assert_eq!(parse("((Shop) shop)"), Receiver::Typed("Shop"));
        assert_eq!(parse("shop.(*Shop)"), Receiver::Typed("*Shop"));
        let callback = "observe<Shop>((shop: Shop) => { open({}); })";
        assert_eq!(parse(callback), Receiver::Call { on: vec![], function: "observe" });
        assert_eq!(parse("…"), Receiver::Unknown);
        assert_eq!(parse("base"), Receiver::Chain(vec!["base"]));
    }
}
