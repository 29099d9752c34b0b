//! `vectorcode serve`: a server for agents over MCP and for browsers and programs over HTTP.

use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Result;
use clap::ArgGroup;
use vectorcode_core::config::{Override, Secret, WatcherConfig};
use vectorcode_server::{AccessTokens, DefaultProject, HttpOptions, Webhook, serve_http, serve_stdio};
use vectorcode_team::{Protocols, PushWebhook, TokenTable, WorkerOptions};

use crate::arg_values::with_default;
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::heap;
use crate::open;
use crate::output::Printer;
use crate::session::{self, Session};

/// An environment variable and not an option, because other users can see options in the process list.
const TOKEN_VARIABLE: &str = "VECTORCODE_HTTP_TOKEN";
const WEBHOOK_VARIABLE: &str = "VECTORCODE_WEBHOOK_SECRET";
const DEFAULT_HTTP_ADDRESS: &str = "127.0.0.1:7878";

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("faces").args(["mcp", "http"]).required(true).multiple(true)))]
pub struct ServeArgs {
    /// Serve the Model Context Protocol over stdin and stdout, or over HTTP with --http
    #[arg(long)]
    mcp: bool,

    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_HTTP_ADDRESS, help = http_help())]
    http: Option<HttpAddress>,

    /// Open the web page in the browser once the server runs
    #[arg(long, requires = "http")]
    open: bool,

    #[command(flatten)]
    watching: WatchingArgs,
}

/// Whether and how the server watches for changed files.
#[derive(Debug, clap::Args)]
pub struct WatchingArgs {
    /// Keep the index up to date while files change (the default, unless disabled in the settings)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", overrides_with = "no_watch")]
    watch: Option<bool>,

    /// Do not watch for changed files
    #[arg(long)]
    no_watch: bool,

    #[arg(long, value_name = "MS", help = debounce_help())]
    debounce: Option<u32>,
}

fn http_help() -> String {
    let help = format!(
        "Serve the web page, the REST API and MCP over HTTP. A port alone means 127.0.0.1; an address that other machines \
         can reach needs tokens: `vectorcode token create`, or one in {TOKEN_VARIABLE}"
    );
    with_default(&help, DEFAULT_HTTP_ADDRESS)
}

pub fn debounce_help() -> String {
    let help = "Debounce time in ms; for up to eight changed files, a fifth of it";
    with_default(help, WatcherConfig::default().debounce_ms)
}

impl WatchingArgs {
    /// The options as settings, which take precedence over settings files and the environment.
    fn overrides(&self) -> Vec<Override> {
        let disabled = if self.no_watch { Some(true) } else { self.watch.map(|on| !on) };
        let flag = if self.no_watch { "--no-watch" } else { "--watch" };
        let disabled = disabled.map(|off| Override { key: "watcher.disabled", value: off.into(), flag });
        let debounce = self.debounce.map(|time| Override {
            key: "watcher.debounce_ms",
            value: i64::from(time).into(),
            flag: "--debounce",
        });
        disabled.into_iter().chain(debounce).collect()
    }
}

/// `127.0.0.1:8080`, or `8080` for short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HttpAddress(SocketAddr);

impl FromStr for HttpAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let local = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let port = text.trim_start_matches(':').parse().map(local);
        let named = text.replacen("localhost:", "127.0.0.1:", 1).parse();
        port.or(named).map(Self).map_err(|_| "write it as 127.0.0.1:8080, or as a port alone".into())
    }
}

pub fn run(args: &ServeArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    heap::limit();
    let session = Session::open_server(global, args.watching.overrides(), printer)?;
    // A project named on the command line takes precedence over the directory that the client works in.
    let is_named = global.project_path.is_some() || global.here;
    let default_project = if is_named { DefaultProject::Fixed } else { DefaultProject::OfClient };
    match args.http {
        None => {
            if std::io::stdin().is_terminal() {
                printer.note("Waiting for an MCP client on stdin. Agents start this command themselves: see `vectorcode install`.");
            }
            serve_stdio(session.engine, default_project)?;
        }
        Some(HttpAddress(address)) => {
            let token = session::environment().remove(TOKEN_VARIABLE).map(Secret::from);
            let tokens = super::token::file().ok().map(TokenTable::new);
            let tokens = tokens.map(|tokens| Arc::new(tokens) as Arc<dyn AccessTokens>);
            serve_http(
                session.engine,
                &HttpOptions { address, token, tokens, webhook: webhook()?, default_project },
                |address| {
                    printer
                        .note(format_args!("Serving http://{address}/ (REST API at /api/v1, MCP at /mcp)"));
                    if args.open
                        && let Err(error) = open::in_browser(&format!("http://{address}/"))
                    {
                        printer.warn(format_args!("{error:#}"));
                    }
                },
            )?;
        }
    }
    Ok(Outcome::Done)
}

/// The webhook for git servers, which is only enabled if its secret is set.
fn webhook() -> Result<Option<Arc<dyn Webhook>>> {
    let secret = session::environment().remove(WEBHOOK_VARIABLE).map(Secret::from);
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else { return Ok(None) };
    let WorkerOptions { list, directory, .. } = super::repo::worker_options(Protocols::Remote)?;
    Ok(Some(Arc::new(PushWebhook { secret, repositories: list, directory })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_a_loopback_address() {
        let parse = |text: &str| text.parse::<HttpAddress>().map(|address| address.0.to_string());
        assert_eq!(parse("8080").unwrap(), "127.0.0.1:8080");
        assert_eq!(parse(":8080").unwrap(), "127.0.0.1:8080");
        assert_eq!(parse("localhost:8080").unwrap(), "127.0.0.1:8080");
        assert_eq!(parse("0.0.0.0:8080").unwrap(), "0.0.0.0:8080");
        assert_eq!(parse("[::1]:8080").unwrap(), "[::1]:8080");
        assert!(parse("example.com").is_err());
    }
}
