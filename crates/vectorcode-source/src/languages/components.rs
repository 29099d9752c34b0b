//! Single-file components, whose script, template and style parts are languages of their own.

use vectorcode_core::ContentClass;

use super::language::{ComponentLayout, Language, Structure};
use super::{css, ecmascript, html, javascript, typescript};

pub static VUE: Language = Language {
    name: "vue",
    title: "Vue",
    class: ContentClass::Code,
    extensions: &["vue"],
    traits: ecmascript::TRAITS,
    structure: Structure::Component(ComponentLayout::Blocks),
    ..Language::PLAIN
};

pub static SVELTE: Language = Language {
    name: "svelte",
    title: "Svelte",
    class: ContentClass::Code,
    extensions: &["svelte"],
    traits: ecmascript::TRAITS,
    structure: Structure::Component(ComponentLayout::Markup),
    ..Language::PLAIN
};

pub static ASTRO: Language = Language {
    name: "astro",
    title: "Astro",
    class: ContentClass::Code,
    extensions: &["astro"],
    traits: ecmascript::TRAITS,
    has_distinct_extensions: false,
    structure: Structure::Component(ComponentLayout::FrontMatter),
    ..Language::PLAIN
};

/// The default languages of the parts of a component.
pub(crate) struct PartLanguages {
    pub script: &'static Language,
    pub markup: &'static Language,
    pub style: &'static Language,
}

impl ComponentLayout {
    pub(crate) fn part_languages(self) -> PartLanguages {
        let script = match self {
            Self::Blocks | Self::Markup => &javascript::LANGUAGE,
            Self::FrontMatter => &typescript::TYPESCRIPT,
        };
        PartLanguages { script, markup: &html::LANGUAGE, style: &css::LANGUAGE }
    }
}
