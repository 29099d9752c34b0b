//! What stands before a name, taken apart: `self`, `super()`, `self.gateway`, `Mailer`, `create(x)`.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver<'r> {
    /// The object or type that the code belongs to.
    Own,
    /// Its base class.
    Parent,
    /// Names, the last nearest to what is used; the first may be `self`.
    Chain(Vec<&'r str>),
    /// What a function gives back, with the names before it: `Retrier::new()`, `create(x)`.
    Call {
        on: Vec<&'r str>,
        function: &'r str,
    },
    /// Something of a type that is written down: `gateway: &Gateway`, `Retry {}`.
    Typed(&'r str),
    Unknown,
}

const OWN: [&str; 8] = ["self", "this", "Self", "cls", "static", "me", "@", "__MODULE__"];

impl<'r> Receiver<'r> {
    /// `parent` are the names of the base class.
    pub fn parse(text: &'r str, parent: &[&str]) -> Self {
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
        if let Some((_, annotation)) = text.split_once(": ") {
            return Self::Typed(annotation);
        }
        if let Some(head) = text.strip_suffix(')') {
            return called(head).unwrap_or(Self::Unknown);
        }
        names(text).filter(|names| !names.is_empty()).map_or(Self::Unknown, Self::Chain)
    }
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

/// The parts of a path; `None` when it is anything else.
fn names(text: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> =
        text.split(['.', ':', '>', '\\', '?', '!', '-']).filter(|part| !part.is_empty()).collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}

/// What stands before the arguments: `shop.create` of `shop.create(a, b(c)`, whose last parenthesis was taken off.
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
            return Some(Receiver::Call { on: names(&before[..start]).unwrap_or_default(), function });
        }
    }
    None
}

/// `Retrier` of `Retrier<Gateway>`.
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
        assert_eq!(parse("a().b()"), Receiver::Call { on: vec![], function: "b" });
        assert_eq!(parse("gateway: Arc<Gateway>"), Receiver::Typed("Arc<Gateway>"));
        assert_eq!(parse("&Retry {}"), Receiver::Typed("Retry "));
        assert_eq!(parse("items[0]"), Receiver::Unknown);
        assert_eq!(parse("…"), Receiver::Unknown);
        assert_eq!(parse("base"), Receiver::Chain(vec!["base"]));
    }
}
