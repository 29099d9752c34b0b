//! Recognises the output folder of a documentation generator by the files that the generator always writes.
//!
//! Such pages repeat the comments of the code, and there are many: 18,900 pages of javadoc in one repository made 892,000
//! chunks. They would displace the code in every answer.

/// Every generator below writes one of these at the top of its output, so other folders need no further disk access.
const START_PAGES: [&str; 2] = ["index.html", "help.html"];

/// Sets of files and folders; each set identifies the output of one generator.
const OUTPUTS: [&[&str]; 15] = [
    // javadoc, since version 9 and before
    &["element-list", "index-all.html"],
    &["element-list", "allclasses-index.html"],
    &["package-list", "index-all.html"],
    &["package-list", "allclasses-frame.html"],
    // Dokka
    &["package-list", "navigation.html"],
    &["doxygen.css"],
    // Sphinx and mdBook
    &["searchindex.js"],
    // TypeDoc
    &["assets/search.js", "assets/navigation.js"],
    &["assets/search.js", "assets/icons.js"],
    // rustdoc
    &["crates.js", "settings.html"],
    // JSDoc
    &["styles/jsdoc-default.css"],
    // YARD and RDoc
    &["class_list.html", "method_list.html"],
    &["created.rid"],
    // dartdoc
    &["__404error.html", "static-assets"],
    // MkDocs
    &["search/search_index.json", "sitemap.xml.gz"],
];

/// Whether a directory is the output of a documentation generator; `has` tells whether it contains a file or folder of a
/// name.
pub fn is_generated_documentation(has: impl Fn(&str) -> bool) -> bool {
    START_PAGES.iter().any(|name| has(name)) && OUTPUTS.iter().any(|files| files.iter().all(|name| has(name)))
}
