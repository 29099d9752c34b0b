//! The types that signatures declare: the text after `gateway:` or before `gateway`.
//!
//! This only looks at text. `Option<Arc<Gateway>>` yields `Option`, `Arc` and `Gateway`: the caller knows which of them has the
//! method in question. A name keeps the path before it, with dots: `std.fs.File`.

use vectorcode_core::{TypeAnnotation, bare_name};

use super::receiver::after_brackets;

/// Words next to a type that are not types.
const NO_TYPES: [&str; 30] = [
    "const",
    "mut",
    "dyn",
    "impl",
    "final",
    "private",
    "protected",
    "public",
    "internal",
    "static",
    "readonly",
    "var",
    "val",
    "let",
    "ref",
    "out",
    "in",
    "pub",
    "async",
    "struct",
    "class",
    "enum",
    "unsigned",
    "override",
    "lateinit",
    "new",
    "export",
    "crate",
    "declare",
    "where",
];

/// The types of the parameter, receiver or field `name` in a signature; `None` if it does not declare any.
pub(super) fn declared(signature: &str, name: &str, annotation: TypeAnnotation) -> Option<Vec<String>> {
    let at = places(signature, name).find_map(|(start, end)| match annotation {
        TypeAnnotation::AfterColon => {
            let rest = signature[end..].trim_start().trim_start_matches('?');
            let written = rest.strip_prefix(':').filter(|rest| !rest.starts_with(':')).map(until_next);
            written.map(given_back)
        }
        TypeAnnotation::After => {
            let rest = signature[end..].strip_prefix(' ')?;
            Some(until_next(rest))
        }
        // No part of `Shop::Item` is the name of a parameter.
        TypeAnnotation::Before if signature[end..].starts_with("::") => None,
        TypeAnnotation::Before => {
            let before = signature[..start].trim_end_matches('$');
            Some(since_last(before))
                .filter(|text| !text.trim().is_empty() && !text.trim_end().ends_with(['.', ':']))
        }
    })?;
    let types = identifiers(at);
    (!types.is_empty()).then_some(types)
}

/// All types in a type expression.
pub(super) fn named(written: &str) -> Vec<String> {
    identifiers(written)
}

/// The type of the value assigned to a variable or field: `new Client(...)`, `Client::new()`, `Client()`. If it has no type, the
/// called function.
pub(super) fn assigned(signature: &str) -> Option<String> {
    let (_, value) = signature.split_once('=')?;
    let words = identifiers(value.trim_start_matches(['>', '=']).trim());
    words.iter().find_map(|word| type_in(word)).or_else(|| words.first().cloned())
}

/// The type in a path: `http.Client` of `http.Client.new`.
fn type_in(path: &str) -> Option<String> {
    let mut ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    ends.find(|end| is_type_like(&path[..*end])).map(|end| path[..end].to_owned())
}

/// Whether the last name of a path starts with a capital, like the names of types.
pub(super) fn is_type_like(path: &str) -> bool {
    bare_name(path).starts_with(char::is_uppercase)
}

/// The return types of a function.
pub(super) fn returned(signature: &str, name: &str, annotation: TypeAnnotation) -> Option<Vec<String>> {
    let text = match annotation {
        TypeAnnotation::Before => {
            let (start, _) = places(signature, name).next()?;
            &signature[..start]
        }
        TypeAnnotation::AfterColon => {
            let rest = &signature[closing(signature)? + 1..];
            rest.trim_start().trim_start_matches("->").trim_start_matches(':')
        }
        // For example `func Open(name string) (file File, err error)`.
        TypeAnnotation::After => {
            let (_, end) = places(signature, name).next()?;
            let parameters = end + signature[end..].find('(')?;
            after_brackets(&signature[parameters..])?
        }
    };
    let text = text.split(" where ").next().unwrap_or(text);
    let types = identifiers(text);
    (!types.is_empty()).then_some(types)
}

/// The position of the closing parenthesis of the parameters.
fn closing(signature: &str) -> Option<usize> {
    let cut = signature.find("->").unwrap_or(signature.len());
    signature[..cut].rfind(')')
}

/// The ranges at which `name` occurs as a whole word.
pub(super) fn places<'s>(text: &'s str, name: &'s str) -> impl Iterator<Item = (usize, usize)> + 's {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .map(|(start, found)| (start, start + found.len()))
        .filter(move |(start, end)| !text[..*start].ends_with(is_word) && !text[*end..].starts_with(is_word))
}

/// The text up to the end of the parameter: the next comma, equals sign or closing parenthesis at the same depth.
fn until_next(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            // Part of an arrow, `=>`.
            '=' if text[at + 1..].starts_with('>') => {}
            '>' if text[..at].ends_with(['=', '-']) => {}
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' if depth > 0 => depth -= 1,
            ',' | '=' | ')' | ';' | '{' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text
}

/// The return type of a function type: `Receipt` of `(payment: Payment) => Receipt`.
fn given_back(written: &str) -> &str {
    let function = written.trim_start();
    let after = after_brackets(function).filter(|_| function.starts_with('('));
    after.and_then(|after| after.trim_start().strip_prefix("=>")).unwrap_or(written)
}

/// The text back to the start of the parameter.
fn since_last(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | '>' | ']' => depth += 1,
            '(' | '<' | '[' if depth > 0 => depth -= 1,
            ',' | '(' | ';' if depth == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    text
}

fn identifiers(text: &str) -> Vec<String> {
    let text = text.replace("::", ".").replace('\\', ".");
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
        .map(|word| word.trim_matches('.'))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !NO_TYPES.contains(word))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use TypeAnnotation::{After, AfterColon, Before};

    fn of(signature: &str, name: &str, annotation: TypeAnnotation) -> String {
        declared(signature, name, annotation).unwrap_or_default().join(" ")
    }

    #[test]
    fn parameters_and_fields_declare_types() {
        assert_eq!(
            of("pub fn run(&self, payment: &Payment, n: u32) -> Charge", "payment", AfterColon),
            "Payment"
        );
        assert_eq!(of("gateway: Option<Arc<dyn Gateway>>", "gateway", AfterColon), "Option Arc Gateway");
        assert_eq!(
            of("constructor(private readonly gateway?: Gateway, x = 1)", "gateway", AfterColon),
            "Gateway"
        );
        assert_eq!(of("def run(self, payment: Payment = None) -> Charge", "payment", AfterColon), "Payment");
        assert_eq!(
            of("func (r *Retrier[T]) Run(ctx context.Context, p *Payment) error", "r", After),
            "Retrier T"
        );
        let function = "fetch: (payment: Payment, n: Array<() => A>) => Promise<Receipt> = make()";
        assert_eq!(of(function, "fetch", AfterColon), "Promise Receipt");
        assert_eq!(of("private final Gateway gateway", "gateway", Before), "Gateway");
        assert_eq!(of("bool run(const Payment &payment, int n)", "payment", Before), "Payment");
        assert_eq!(of("public function __construct(Gateway $gateway)", "gateway", Before), "Gateway");
    }

    #[test]
    fn what_is_not_declared_has_no_type() {
        assert_eq!(declared("def run(self, payment)", "payment", AfterColon), None);
        assert_eq!(declared("fn run(payments: u8)", "payment", AfterColon), None);
        assert_eq!(declared("fn a(x: std::fs::File)", "std", AfterColon), None);
        assert_eq!(declared("class Quick : public shop::Till", "shop", Before), None);
        assert_eq!(declared("class Quick : public shop::Till", "Till", Before), None);
    }

    #[test]
    fn values_and_returns_have_types() {
        assert_eq!(assigned("const client = new Client(url)"), Some("Client".into()));
        assert_eq!(assigned("static CLIENT = http::Client::new()"), Some("http.Client".into()));
        assert_eq!(assigned("logger = logging.getLogger()"), Some("logging.getLogger".into()));
        assert_eq!(returned("pub fn new(gateway: G) -> Self", "new", AfterColon), Some(vec!["Self".into()]));
        assert_eq!(
            returned("function make(g: Gateway): Retrier", "make", AfterColon),
            Some(vec!["Retrier".into()])
        );
        assert_eq!(returned("public Receipt run(Payment p)", "run", Before), Some(vec!["Receipt".into()]));
        assert_eq!(returned("func New(g Gateway) *Retrier", "New", After), Some(vec!["Retrier".into()]));
        let (opened, stat) =
            ("func Open(n string) (f File, err error)", "func (f *File) Stat() (os.FileInfo, error)");
        assert_eq!(returned(opened, "Open", After).unwrap_or_default().join(" "), "f File err error");
        assert_eq!(returned(stat, "Stat", After).unwrap_or_default().join(" "), "os.FileInfo error");
        assert_eq!(returned("def run(self)", "run", AfterColon), None);
    }
}
