//! Runs the configured reranker: `reranker CONFIG.toml QUERY TEXT...` prints the positions of the texts, best first.

use std::time::{Duration, Instant};

use vectorcode_core::config::{Sources, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, query, texts @ ..] = &arguments[..] else {
        return Err("usage: reranker CONFIG.toml QUERY TEXT...".into());
    };
    let sources = Sources { user_file: Some(config.into()), ..Sources::default() };
    let settings = load(&sources)?.config;
    let reranker = vectorcode_embed::reranker(&settings.rerank)?.ok_or("no reranker is configured")?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let order = reranker.rerank(query, &texts, Instant::now() + Duration::from_secs(30))?;
    let order: Vec<String> = order.iter().map(ToString::to_string).collect();
    #[expect(clippy::print_stdout, reason = "an example prints its result")]
    {
        println!("{}", order.join(" "));
    }
    Ok(())
}
