//! Translates queries in other languages into English words: the bundled models and nearly all code know no other
//! language.
//!
//! The binary contains a table of words, aligned from localised software (`training/translate`). If a query is
//! recognised as Spanish, Chinese, German and so on ([`language`]), each of its words is replaced by its English
//! translations ([`table`], [`render`]). Identifiers, quoted text and English words stay as they are. An English
//! query is not changed at all.

mod language;
mod render;
mod table;
mod word;

use std::collections::HashSet;

use vectorcode_store::IndexReader;

use self::language::Recognised;
use super::query::{Query, QueryWord, content_words};
use crate::error::EngineError;

/// A `WordSet` has 64 bits.
const MAX_WORDS: usize = 60;
/// A longer text is a pasted log; its beginning is enough to recognise the language.
const MAX_BYTES: usize = 16_000;

/// A query in English.
#[derive(Debug, PartialEq)]
pub(crate) enum English {
    /// The query was in English already, or consists of names.
    AsAsked,
    Words(String),
    /// The query is in a language without a table.
    Unknown,
}

/// Translates a query in any language.
pub(crate) fn to_english(text: &str) -> English {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    match language::recognise(text) {
        Recognised::English => English::AsAsked,
        Recognised::NoTable => English::Unknown,
        Recognised::Language(table) => {
            let words = render::render(table, text);
            if words.trim().is_empty() { English::AsAsked } else { English::Words(words) }
        }
    }
}

/// Parses a query in any language.
pub(crate) fn parse(text: &str) -> Query {
    match to_english(text) {
        English::Words(words) => {
            // A pasted message is searched for as it is written.
            let Query { sayings, .. } = Query::parse(text);
            Query { asked: Some(text.to_owned()), sayings, ..Query::parse(&words) }
        }
        English::AsAsked | English::Unknown => Query::parse(text),
    }
}

/// The meaningful words of a query, in English and in the original language.
pub(crate) fn content_words_of(text: &str) -> Vec<QueryWord> {
    let mut words = content_words(text);
    if let English::Words(english) = to_english(text) {
        words.extend(content_words(&english));
        let mut seen = HashSet::new();
        words.retain(|word| seen.insert(word.word.clone()));
        words.truncate(MAX_WORDS);
    }
    words
}

/// Adds the original words of a translated query, as far as the project has them: its comments may be in the same
/// language.
pub(crate) fn keep_words_as_asked(query: &mut Query, reader: &dyn IndexReader) -> Result<(), EngineError> {
    let Some(asked) = &query.asked else { return Ok(()) };
    let is_new =
        |word: &str| !language::is_function_word(word) && !query.words.iter().any(|known| known.word == word);
    let words: Vec<_> = content_words(asked).into_iter().filter(|word| is_new(&word.word)).collect();
    let names: Vec<&str> = words.iter().map(|word| word.word.as_str()).collect();
    let counts = reader.word_frequencies(&names)?;
    let room = MAX_WORDS.saturating_sub(query.words.len());
    let known =
        words.into_iter().zip(counts.holding).filter(|(_, holding)| *holding > 0).map(|(word, _)| word);
    let known: Vec<_> = known.take(room).collect();
    if !query.name_weights.is_empty() {
        query.name_weights.extend(known.iter().map(|_| 1.0));
    }
    query.words.extend(known);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn english(text: &str) -> String {
        match to_english(text) {
            English::Words(words) => words,
            other => panic!("{text:?} is {other:?}"),
        }
    }

    fn assert_has(question: &str, words: &[&str]) {
        let rendered = english(question);
        for word in words {
            let stem = vectorcode_core::stem::stem(word);
            let has = rendered.split(' ').any(|known| vectorcode_core::stem::stem(known) == stem);
            assert!(has, "{question:?} is {rendered:?}, without {word}");
        }
    }

    #[test]
    fn questions_in_other_languages_become_english_words() {
        assert_has("dónde se validan los permisos", &["validate", "permission"]);
        assert_has("donde se valida la configuracion del usuario", &["validate", "configuration", "user"]);
        assert_has("wo werden Dateien hochgeladen", &["file", "upload"]);
        assert_has("重试失败的支付请求", &["retry", "failed", "request"]);
        assert_has("設定ファイルはどこで読み込まれるか", &["setting", "file", "load"]);
        assert_has("где проверяются права доступа пользователя", &["permission", "access", "user"]);
        assert_has("comment les erreurs sont converties en réponses", &["error", "convert", "response"]);
        assert_has("como o servidor fecha conexões inativas", &["server", "close", "connection"]);
    }

    #[test]
    fn names_code_and_quoted_text_stay_as_they_are() {
        let rendered =
            english("wie löst `app.render(x)` Views auf, \"Datei fehlt\" in src/öffnen.rs und res.send()");
        for kept in ["`app.render(x)`", "\"Datei fehlt\"", "res.send()"] {
            assert!(rendered.contains(kept), "{rendered}");
        }
        assert_has(
            "cómo funciona dependency injection con FastAPI",
            &["work", "dependency", "injection", "FastAPI"],
        );
        assert!(english("JSONの型が違うとき typeMismatch はどう動くか").contains("typeMismatch"));
    }

    #[test]
    fn compounds_are_split() {
        assert_has("wie funktioniert die Datenbankverbindung", &["database", "connection"]);
        assert_has("Fehlerbehandlung beim Lesen der Datei", &["error", "handling", "file"]);
        assert_has("数据库连接池的最大连接数", &["database", "connection", "pool"]);
        assert_has("后台任务队列", &["background", "task", "queue"]);
    }

    #[test]
    fn a_rare_word_means_what_its_other_forms_mean() {
        assert_has("dove vengono verificati i permessi dell'utente", &["check", "permission", "user"]);
    }

    #[test]
    fn elisions_quote_nothing() {
        let rendered = english("où l'utilisateur d'un groupe est supprimé de l'index");
        assert!(!rendered.contains('\''), "{rendered}");
    }

    #[test]
    fn traditional_chinese_and_other_alphabets_are_read() {
        assert_has("資料庫連線逾時怎麼處理", &["database", "connection", "timeout"]);
        assert_has("де перевіряються права доступу користувача", &["permission", "access", "user"]);
        assert_has("gdzie sprawdzane są uprawnienia użytkownika", &["permission", "user"]);
        assert_has("nerede kullanıcı izinleri kontrol ediliyor", &["user", "permission"]);
        assert_has("실패한 요청을 다시 시도하는 로직", &["failed", "request"]);
        assert_has("أين يتم التحقق من صلاحيات المستخدم", &["permission", "user"]);
        assert_has("विफल अनुरोध को फिर से भेजना", &["failed", "request", "send"]);
    }

    #[test]
    fn english_questions_are_not_touched() {
        for question in [
            "where are permissions validated",
            "retry logic",
            "UrlDispatcher",
            "how does the parser die in a loop",
            "g",
            "",
            "pour buffer de facto",
            "naïve date handling",
            "on se connect handler",
            "MAN page lookup",
            "configuration",
            "how is the Größe field parsed",
            "a e i o u",
            "main entry point",
            "import os",
            "no such file or directory",
            "la la land",
            "es modules import resolution",
            "plus operator",
            "TypeError: cannot read property 'map' of undefined",
        ] {
            assert_eq!(to_english(question), English::AsAsked, "{question}");
        }
    }

    #[test]
    fn no_english_question_of_the_benchmarks_is_touched() {
        let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectorcode-eval/cases");
        let folders = ["annotations", "languages/en/annotations", "other-words/annotations"];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(cases.join(folder)).unwrap());
        let mut asked = 0;
        for file in files {
            let rows: Vec<serde_json::Value> =
                serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
            for question in rows.iter().filter_map(|row| row["query"].as_str()) {
                assert_eq!(to_english(question), English::AsAsked, "{question}");
                asked += 1;
            }
        }
        assert!(asked > 400, "{asked}");
    }

    #[test]
    fn a_language_without_a_table_is_told_apart() {
        for question in [
            "πού ελέγχονται τα δικαιώματα του χρήστη",
            "missä käyttäjän oikeudet tarkistetaan",
            "hol ellenőrzik a felhasználó jogosultságait",
        ] {
            assert_eq!(to_english(question), English::Unknown, "{question}");
        }
        assert_eq!(to_english("sum of σ and λ terms"), English::AsAsked);
    }

    #[test]
    fn a_report_keeps_its_code() {
        let report = "El servidor falla al cerrar la conexión\n\n```\nlet conexion = abrir();\n```\nNo se cierra el socket.";
        assert!(english(report).contains("\nlet conexion = abrir();\n"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,120}") {
            to_english(&text);
        }

        #[test]
        fn any_mixture_of_scripts_can_be_read(text in "[a-zA-Zäñßéøàа-яґї一-龥ぁ-ヿ가-힣ا-يक-ह่ .:_`\"\n0-9-]{0,80}") {
            to_english(&text);
        }
    }
}
