//! `vectorcode token`: creates, lists and revokes the access tokens for the user's HTTP servers.

use anyhow::{Context, Result};
use serde_json::json;
use vectorcode_core::api::ProjectFilter;
use vectorcode_core::{config, visible_line};
use vectorcode_server::Scope;
use vectorcode_team::{NewToken, TokenFile, TokenRecord};

use crate::arg_values::{choice, duration_value};
use crate::exit::Outcome;
use crate::output::{Printer, style};
use crate::session;

#[derive(Debug, clap::Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it once
    Create(CreateArgs),

    /// List the tokens, without their values
    List(ListArgs),

    /// Revoke a token; servers refuse it from the next request on
    Revoke(RevokeArgs),
}

#[derive(Debug, clap::Args)]
pub struct CreateArgs {
    /// What the token is for
    #[arg(value_name = "NAME")]
    name: String,

    /// What the token allows; each scope includes those before it
    #[arg(long, default_value = Scope::Read.as_str(), value_parser = choice::<Scope>())]
    scope: Scope,

    /// Only this project, or those whose names match, such as 'pay-*'; can be repeated [default: all projects]
    #[arg(long = "project", value_name = "NAME")]
    projects: Vec<String>,

    /// How long the token is valid, such as 12h or 90d [default: until it is revoked]
    #[arg(long, value_name = "TIME", value_parser = duration_value)]
    expires: Option<std::time::Duration>,

    /// Requests per minute, instead of `server.requests_per_minute`; 0 for no limit
    #[arg(long, value_name = "N")]
    rate: Option<u32>,

    /// Print the token and its record as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct RevokeArgs {
    /// The name or id of the token
    #[arg(value_name = "NAME")]
    token: String,
}

pub fn run(command: &TokenCommand, printer: &Printer) -> Result<Outcome> {
    let file = file()?;
    match command {
        TokenCommand::Create(args) => create(args, &file, printer),
        TokenCommand::List(args) => list(&file.records()?.unwrap_or_default(), args.json, printer),
        TokenCommand::Revoke(args) => revoke(&args.token, &file, printer),
    }
}

/// The file with the tokens of this user.
pub fn file() -> Result<TokenFile> {
    let path = config::user_tokens_file(&session::environment());
    Ok(TokenFile::new(path.context("there is no home directory to keep tokens in; set HOME")?))
}

fn create(args: &CreateArgs, file: &TokenFile, printer: &Printer) -> Result<Outcome> {
    let expires_at = args.expires.map(|time| jiff::Timestamp::now().checked_add(time)).transpose()?;
    let wanted = NewToken {
        name: args.name.clone(),
        scope: args.scope,
        projects: ProjectFilter::new(args.projects.clone()),
        expires_at,
        requests_per_minute: args.rate,
    };
    let (record, token) = file.create(wanted)?;
    if args.json {
        printer.json(&json!({ "token": token.expose(), "record": shown(&record) }))?;
    } else {
        printer.line(token.expose())?;
    }
    printer.note(
        "This is the only time that the token is shown; callers send it as `Authorization: Bearer TOKEN`",
    );
    Ok(Outcome::Done)
}

fn list(tokens: &[TokenRecord], as_json: bool, printer: &Printer) -> Result<Outcome> {
    if as_json {
        printer.json(&tokens.iter().map(shown).collect::<Vec<_>>())?;
    } else {
        tokens.iter().try_for_each(|token| printer.line(line(token)))?;
    }
    if tokens.is_empty() {
        printer.note("There are no tokens; `vectorcode token create NAME` creates one");
    }
    Ok(Outcome::Done)
}

/// `3f9ac21b07de  ci  index  pay-*  until 2027-01-01T00:00:00Z`
fn line(token: &TokenRecord) -> String {
    let projects = match token.projects.patterns() {
        [] => "all projects".to_owned(),
        patterns => patterns.join(", "),
    };
    let end = match &token.expires_at {
        Some(time) if token.has_expired(jiff::Timestamp::now()) => format!("  expired {time}"),
        Some(time) => format!("  until {time}"),
        None => String::new(),
    };
    let name = style::painted(style::SYMBOL, visible_line(&token.name));
    format!("{}  {name}  {}  {}{end}", token.id, token.scope, visible_line(&projects))
}

/// The record without the hash.
fn shown(token: &TokenRecord) -> serde_json::Value {
    json!({
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "projects": token.projects,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "requests_per_minute": token.requests_per_minute,
    })
}

fn revoke(name: &str, file: &TokenFile, printer: &Printer) -> Result<Outcome> {
    let revoked = file.revoke(name)?;
    match &revoked {
        Some(token) => printer.note(format_args!("Revoked {} ({})", visible_line(&token.name), token.id)),
        None => printer.note(format_args!("There is no token {}", visible_line(name))),
    }
    Ok(if revoked.is_some() { Outcome::Done } else { Outcome::NothingFound })
}
