//! Languages that are chunked by lines, because a grammar for them is not worth its size in the binary.

use vectorcode_core::ContentClass::{self, Code, Config, Docs};

use super::language::Language;

const fn text(
    name: &'static str,
    title: &'static str,
    class: ContentClass,
    extensions: &'static [&'static str],
    file_names: &'static [&'static str],
) -> Language {
    let has_distinct_extensions = false;
    Language { name, title, class, extensions, file_names, has_distinct_extensions, ..Language::PLAIN }
}

/// Marks the extensions of `language` as distinct. Most others in this table are also ordinary words (`less`, `move`, `re`).
const fn distinct(language: Language) -> Language {
    Language { has_distinct_extensions: true, ..language }
}

/// Adds the interpreters of scripts in `language`.
const fn run_by(language: Language, interpreters: &'static [&'static str]) -> Language {
    Language { interpreters, ..language }
}

/// The name of plain text.
pub const PLAIN_TEXT: &str = "text";

/// The name of text of unknown type. Most of it is configuration.
pub const OTHER_TEXT: &str = "other";

/// Templates of any language. The rest of the file name may tell which one: `model.rb.tt`.
pub const TEMPLATE: &str = "template";

pub static LANGUAGES: &[Language] = &[
    run_by(text("powershell", "PowerShell", Code, &["ps1", "psm1", "psd1"], &[]), &["pwsh", "powershell"]),
    text("batch", "Batch", Code, &["bat", "cmd"], &[]),
    run_by(text("perl", "Perl", Code, &["pl", "pm", "t"], &[]), &["perl"]),
    run_by(text("raku", "Raku", Code, &["raku", "rakumod"], &[]), &["raku"]),
    text("objective-c", "Objective-C", Code, &["m", "mm"], &[]),
    run_by(text("groovy", "Groovy", Code, &["groovy", "gradle"], &["Jenkinsfile"]), &["groovy"]),
    run_by(text("clojure", "Clojure", Code, &["clj", "cljs", "cljc", "edn"], &[]), &["bb", "clojure"]),
    run_by(text("erlang", "Erlang", Code, &["erl", "hrl"], &["rebar.config"]), &["escript"]),
    run_by(text("ocaml", "OCaml", Code, &["ml", "mli"], &[]), &["ocaml"]),
    text("reason", "Reason", Code, &["re", "rei", "res", "resi"], &[]),
    text("fsharp", "F#", Code, &["fs", "fsi", "fsx"], &[]),
    text("vb", "Visual Basic", Code, &["vb"], &[]),
    run_by(text("julia", "Julia", Code, &["jl"], &[]), &["julia"]),
    text("nim", "Nim", Code, &["nim", "nims"], &[]),
    run_by(text("crystal", "Crystal", Code, &["cr"], &[]), &["crystal"]),
    text("d", "D", Code, &["d"], &[]),
    text("ada", "Ada", Code, &["adb", "ads"], &[]),
    text("fortran", "Fortran", Code, &["f90", "f95", "f03", "f08", "f", "for"], &[]),
    text("pascal", "Pascal", Code, &["pas", "pp", "dpr"], &[]),
    text("cobol", "COBOL", Code, &["cob", "cbl"], &[]),
    // Grammars count as code: the parser itself is generated from them.
    text("yacc", "Yacc", Code, &["y", "yy", "ypp", "yacc"], &[]),
    text("lex", "Lex", Code, &["l", "ll", "lex"], &[]),
    text("antlr", "ANTLR", Code, &["g4"], &[]),
    text("peg", "Parsing expression grammar", Code, &["peg", "pegjs", "peggy", "pest", "lalrpop"], &[]),
    text("assembly", "Assembly", Code, &["s", "asm"], &[]),
    text("cuda", "CUDA", Code, &["cu", "cuh"], &[]),
    text("glsl", "GLSL", Code, &["glsl", "vert", "frag", "comp"], &[]),
    text("hlsl", "HLSL", Code, &["hlsl"], &[]),
    text("wgsl", "WGSL", Code, &["wgsl"], &[]),
    text("metal", "Metal", Code, &["metal"], &[]),
    text("verilog", "Verilog", Code, &["v", "vh", "sv", "svh"], &[]),
    text("vhdl", "VHDL", Code, &["vhd", "vhdl"], &[]),
    text("solidity", "Solidity", Code, &["sol"], &[]),
    text("move", "Move", Code, &["move"], &[]),
    text("gleam", "Gleam", Code, &["gleam"], &[]),
    text("elm", "Elm", Code, &["elm"], &[]),
    text("purescript", "PureScript", Code, &["purs"], &[]),
    run_by(text("racket", "Racket", Code, &["rkt"], &[]), &["racket"]),
    run_by(text("scheme", "Scheme", Code, &["scm", "ss"], &[]), &["guile", "csi"]),
    run_by(text("lisp", "Lisp", Code, &["lisp", "lsp", "el", "cl"], &[]), &["emacs", "sbcl"]),
    text("prolog", "Prolog", Code, &["prolog"], &[]),
    run_by(text("tcl", "Tcl", Code, &["tcl"], &[]), &["tclsh", "wish", "expect"]),
    run_by(text("awk", "AWK", Code, &["awk"], &[]), &["awk", "gawk", "mawk"]),
    text("vim", "Vim script", Code, &["vim"], &["vimrc", ".vimrc"]),
    run_by(text("fish", "Fish", Code, &["fish"], &[]), &["fish"]),
    run_by(text("nushell", "Nushell", Code, &["nu"], &[]), &["nu"]),
    text("nix", "Nix", Code, &["nix"], &[]),
    text("dhall", "Dhall", Code, &["dhall"], &[]),
    distinct(text("protobuf", "Protocol Buffers", Code, &["proto"], &[])),
    text("thrift", "Thrift", Code, &["thrift"], &[]),
    text("graphql", "GraphQL", Code, &["graphql", "gql"], &[]),
    text("prisma", "Prisma", Code, &["prisma"], &[]),
    text("capnproto", "Cap'n Proto", Code, &["capnp"], &[]),
    text("handlebars", "Handlebars", Code, &["hbs", "handlebars", "mustache"], &[]),
    text("jinja", "Jinja", Code, &["j2", "jinja", "jinja2"], &[]),
    text("erb", "ERB", Code, &["erb"], &[]),
    text("ejs", "EJS", Code, &["ejs"], &[]),
    text("pug", "Pug", Code, &["pug", "jade"], &[]),
    text("haml", "Haml", Code, &["haml", "slim"], &[]),
    text("twig", "Twig", Code, &["twig"], &[]),
    text("liquid", "Liquid", Code, &["liquid"], &[]),
    text("heex", "HEEx", Code, &["heex", "eex", "leex"], &[]),
    text(TEMPLATE, "Template", Code, &["tt", "tmpl", "tpl", "gotmpl"], &[]),
    text("dockerfile", "Dockerfile", Config, &["dockerfile"], &["Dockerfile", "Containerfile"]),
    run_by(
        text("makefile", "Makefile", Config, &["mk", "mak"], &["Makefile", "makefile", "GNUmakefile"]),
        &["make", "gmake"],
    ),
    run_by(text("just", "Just", Config, &["just"], &["justfile", "Justfile", ".justfile"]), &["just"]),
    text("cmake", "CMake", Config, &["cmake"], &["CMakeLists.txt"]),
    text("meson", "Meson", Config, &[], &["meson.build", "meson_options.txt"]),
    text("bazel", "Bazel", Config, &["bzl", "bazel"], &["BUILD", "WORKSPACE"]),
    text("starlark", "Starlark", Config, &["star"], &["Tiltfile"]),
    text("ninja", "Ninja", Config, &["ninja"], &[]),
    text("earthfile", "Earthfile", Config, &[], &["Earthfile"]),
    text("terraform", "Terraform", Config, &["tf", "tfvars", "hcl"], &[]),
    text("bicep", "Bicep", Config, &["bicep"], &[]),
    text(
        "xml",
        "XML",
        Config,
        &["xml", "xsd", "xsl", "xslt", "plist", "csproj", "fsproj", "vbproj", "props", "targets"],
        &[],
    ),
    text(
        "ini",
        "INI",
        Config,
        &["ini", "cfg", "conf", "properties", "editorconfig"],
        &[".editorconfig", ".gitconfig", ".npmrc", ".flake8", ".pylintrc"],
    ),
    text("dotenv", "Environment file", Config, &[], &[".env.example", ".env.sample", ".env.template"]),
    text("procfile", "Procfile", Config, &[], &["Procfile"]),
    text("go-module", "Go module", Config, &[], &["go.mod", "go.work"]),
    text(
        "requirements",
        "Python requirements",
        Config,
        &[],
        &["requirements.txt", "constraints.txt", "Pipfile"],
    ),
    text("ignore-list", "Ignore list", Config, &[], &[".gitignore", ".dockerignore", ".vectorcodeignore"]),
    text("codeowners", "Code owners", Config, &[], &["CODEOWNERS"]),
    text("nginx", "nginx", Config, &["nginx"], &["nginx.conf"]),
    text("cabal", "Cabal", Config, &["cabal"], &["cabal.project"]),
    text("csv", "CSV", Config, &["csv", "tsv"], &[]),
    text(OTHER_TEXT, "Other text", Config, &[], &[]),
    text("restructuredtext", "reStructuredText", Docs, &["rst"], &[]),
    text("asciidoc", "AsciiDoc", Docs, &["adoc", "asciidoc"], &[]),
    text("org", "Org", Docs, &["org"], &[]),
    text("latex", "LaTeX", Docs, &["tex", "sty", "cls"], &[]),
    text("typst", "Typst", Docs, &["typ"], &[]),
    text("pod", "POD", Docs, &["pod"], &[]),
    text(
        PLAIN_TEXT,
        "Plain text",
        Docs,
        &["txt", "text"],
        &[
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "AUTHORS",
            "README",
            "CHANGELOG",
            "CHANGES",
            "INSTALL",
            "TODO",
        ],
    ),
];
