//! The static model yields the vectors that its training code computed.

use vectorcode_embed::StaticModel;

use crate::reference::{REFERENCES, cosine};

#[test]
fn equals_the_reference_vectors() {
    for reference in REFERENCES.iter() {
        let mut vector = [0.0; StaticModel::DIMENSIONS];
        assert!(StaticModel::bundled().embed_into(&reference.text, &mut vector));
        assert!(cosine(&vector, &reference.static_vector) > 0.9999, "{}", reference.text);
    }
}
