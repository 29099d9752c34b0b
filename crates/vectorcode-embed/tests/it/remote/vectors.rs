//! Invalid responses, whose vectors must never be stored.

use serde_json::{Value, json};
use vectorcode_embed::{EmbedError, Embedder, TextKind};

use super::dialect::Dialect;
use super::server::{Reply, Server};

/// The error for `body` as the response to two texts, which must name provider and model.
fn complaint(dialect: Dialect, body: impl ToString) -> String {
    let server = Server::replying(vec![Reply::new(200, body)]);
    let embedder = dialect.embedder(&server.url());
    let error = embedder.embed(TextKind::Document, &["one", "two"]).unwrap_err();
    assert!(matches!(error, EmbedError::BadVectors { .. }), "{error:?}");
    assert_eq!(server.received().len(), 1, "an invalid response is not retried");
    let space = embedder.space();
    let message = error.to_string();
    assert!(message.contains(&format!("{}/{}", space.provider, space.model)), "{message}");
    message
}

fn complaint_about(dialect: Dialect, vectors: &[Value]) -> String {
    complaint(dialect, dialect.answer(vectors))
}

#[test]
fn bodies_that_are_no_answer_are_errors() {
    for dialect in Dialect::ALL {
        for body in ["", "surprise", "[]", "{}", r#"{"data": 3, "embeddings": 3}"#, r#"{"data": [{"#] {
            assert!(complaint(dialect, body).contains("unusable answer"), "{dialect:?}: {body}");
        }
    }
}

#[test]
fn a_wrong_number_of_vectors_is_an_error() {
    let vector = json!([1.0, 2.0, 3.0]);
    for dialect in Dialect::ALL {
        assert!(complaint_about(dialect, &[]).contains("0 vectors came back for 2 texts"));
        assert!(
            complaint_about(dialect, std::slice::from_ref(&vector))
                .contains("1 vectors came back for 2 texts")
        );
        assert!(complaint_about(dialect, &vec![vector.clone(); 3]).contains("3 vectors came back"));
    }
}

#[test]
fn a_wrong_dimension_is_an_error() {
    for dialect in Dialect::ALL {
        let message = complaint_about(dialect, &[json!([1.0, 2.0, 3.0]), json!([1.0, 2.0])]);
        assert!(message.contains("2 dimensions instead of 3"), "{message}");
    }
}

#[test]
fn values_that_are_no_numbers_are_errors() {
    let good = json!([1.0, 2.0, 3.0]);
    for dialect in Dialect::ALL {
        for bad in [json!([1.0, null, 3.0]), json!(["NaN", 1.0, 2.0]), json!([1e300, 1.0, 2.0])] {
            complaint_about(dialect, &[good.clone(), bad]);
        }
        let text = dialect.answer(&[good.clone(), good.clone()]).to_string();
        complaint(dialect, text.replacen("1.0", "NaN", 1));
    }
}

#[test]
fn a_vector_of_zeros_is_the_fault_of_its_text_if_others_have_vectors() {
    let zeros_for = |dialect: Dialect, is_bad: fn(&str) -> bool| {
        Server::start(move |request| {
            let vector = |text: &String| if is_bad(text) { json!([0, 0, 0]) } else { json!([1, 2, 3]) };
            let vectors: Vec<Value> = dialect.texts(request).iter().map(vector).collect();
            Reply::new(200, dialect.answer(&vectors))
        })
    };
    for dialect in Dialect::ALL {
        let server = zeros_for(dialect, |text| text == "two");
        let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &["one", "two"]).unwrap();
        assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false]);
        let server = zeros_for(dialect, |_| true);
        let error = dialect.embedder(&server.url()).embed(TextKind::Document, &["one", "two"]).unwrap_err();
        assert!(matches!(error, EmbedError::BadVectors { .. }), "{error:?}");
    }
}

#[test]
fn vectors_that_are_numbered_wrongly_are_errors() {
    for dialect in [Dialect::OpenAi, Dialect::Voyage] {
        for indexes in [[0, 0], [1, 2]] {
            let items = indexes.map(|index| json!({ "index": index, "embedding": [1.0, 2.0, 3.0] }));
            assert!(complaint(dialect, json!({ "data": items })).contains("not numbered"));
        }
    }
}

#[test]
fn readiness_finds_a_model_of_another_dimension() {
    for dialect in [Dialect::Gemini, Dialect::OpenAi, Dialect::Voyage] {
        let server = Server::replying(vec![Reply::new(200, dialect.answer(&[json!([1.0])]))]);
        let error = dialect.embedder(&server.url()).check_ready().unwrap_err();
        assert!(matches!(error, EmbedError::BadVectors { .. }), "{error:?}");
    }
}
