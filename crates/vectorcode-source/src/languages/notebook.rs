//! Jupyter notebooks, whose cells are written in the language of their kernel.

use vectorcode_core::{ContentClass, LanguageTraits};

use super::language::{Language, Structure};
use super::python;

pub static LANGUAGE: Language = Language {
    name: "notebook",
    title: "Jupyter notebook",
    aliases: &["jupyter"],
    class: ContentClass::Code,
    extensions: &["ipynb"],
    // Nearly all notebooks are in Python, and notebooks with other kernels rarely import files of their project.
    traits: LanguageTraits { shares_definitions: true, ..python::TRAITS },
    structure: Structure::Notebook,
    // Most of a large notebook is images in its outputs, which are left out.
    size_factor: 16,
    ..Language::PLAIN
};
