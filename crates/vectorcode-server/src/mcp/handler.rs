//! The MCP handler: describes the server and its tools, and runs `tools/call`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use tokio::sync::SemaphorePermit;
use tokio_util::sync::CancellationToken;
use vectorcode_core::VERSION;
use vectorcode_engine::Use;

use super::answer::{AnswerFormat, ToolAnswer, into_result};
use super::progress::ProgressReporter;
use super::render;
use super::roots::{ClientRoots, DefaultProject};
use super::texts;
use super::tools::{self, ToolCall, ToolSpec, ToolSubject};
use crate::access::Caller;
use crate::arguments::{InputFormat, PROJECT, REF};
use crate::backend::Backend;
use crate::budget;
use crate::failure::Failure;
use crate::served_project::ServedProject;

/// `rmcp` reports known methods with malformed parameters as custom requests. They get a different error from unknown methods.
const KNOWN_METHODS: [&str; 4] = ["initialize", "server/discover", "tools/call", "tools/list"];

/// The handler of one session.
pub(crate) struct McpHandler {
    backend: Arc<Backend>,
    roots: ClientRoots,
    callers: Callers,
}

/// The caller of the calls of a session.
#[derive(Clone, Debug)]
pub(crate) enum Callers {
    /// Always the user who started the server.
    Fixed(Caller),
    /// `http::guard` sets it for each request, because the rights of a token can change during a session.
    OfRequests,
}

impl McpHandler {
    pub(crate) fn new(backend: Arc<Backend>, default_project: DefaultProject, callers: Callers) -> Self {
        Self { backend, roots: ClientRoots::new(default_project), callers }
    }

    /// The project of calls that name none.
    async fn default_project(
        &self,
        peer: &Peer<RoleServer>,
        caller: &Caller,
    ) -> Result<Arc<ServedProject>, Failure> {
        self.roots.project(&self.backend, peer, caller).await
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller, Failure> {
        match &self.callers {
            Callers::Fixed(caller) => Ok(caller.clone()),
            Callers::OfRequests => {
                let request = context.extensions.get::<axum::http::request::Parts>();
                let caller = request.and_then(|request| request.extensions.get::<Caller>());
                caller.cloned().ok_or_else(|| Failure::forbidden("The request has no known caller.", None))
            }
        }
    }

    /// Over HTTP a client can disconnect while its calls continue, so their number is limited.
    fn slot(&self) -> Result<Option<SemaphorePermit<'_>>, Failure> {
        if matches!(self.callers, Callers::Fixed(_)) {
            return Ok(None);
        }
        let busy = |_| Failure::environment("Too many calls are in progress.", "Try again in a second.");
        self.backend.request_slots().try_acquire().map(Some).map_err(busy)
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ToolAnswer, Failure> {
        let progress = ProgressReporter::for_request(&context);
        let caller = self.caller(&context)?;
        let _slot = self.slot()?;
        let started = Instant::now();
        let own = self.default_project(&context.peer, &caller).await;
        let recorded = own.as_ref().ok().cloned();
        let requester = Requester { own, caller, progress, cancelled: context.ct };
        let arguments = request.arguments.unwrap_or_default();
        let answer = call_tool(&self.backend, &request.name, arguments, requester).await;
        if let Some(project) = recorded {
            record(&project, &request.name, started.elapsed(), &answer).await;
        }
        answer
    }
}

/// Runs one tool by its name.
pub(super) async fn call_tool(
    backend: &Arc<Backend>,
    name: &str,
    mut given: JsonObject,
    requested_by: Requester,
) -> Result<ToolAnswer, Failure> {
    let tool = tool_named(name).ok_or_else(|| unknown_tool(name))?;
    let Requester { own, caller, progress, cancelled } = requested_by;
    let named = take_project(&mut given)?;
    let project = match (&named, &own) {
        (Some(named), own) => {
            // A caller without its own project may still name one.
            let from = own.as_ref().unwrap_or(backend.start_project());
            backend.project(named, from, &caller).await?
        }
        (None, Ok(own)) => own.clone(),
        // The list of projects is the same from every project, so the caller does not need one.
        (None, Err(_)) if tools::is_project_list(tool, &given) => backend.start_project().clone(),
        (None, Err(failure)) => return Err(failure.clone()),
    };
    project.touch();
    let format = take_format(&mut given);
    let project = match take_revision(tool, &project, &mut given)? {
        Some(revision) => project.at(revision, cancelled.clone()).await?,
        None => project,
    };
    let schema = tool.schema(&project.engine().config().search);
    let arguments = schema.check(given, InputFormat::LenientJson)?;
    if let Some(written) = arguments.unknown_like(PROJECT) {
        return Err(wrong_project(format!("There is no argument `{written}`.")));
    }
    let (backend, is_named) = (backend.clone(), named.is_some());
    let is_own = named.is_none() || own.is_ok_and(|own| own.root() == project.root());
    let call = ToolCall {
        project: project.clone(),
        is_named,
        backend,
        caller,
        arguments,
        format,
        progress,
        cancelled,
    };
    let answer = render::commits::about(&project, (tool.call)(call).await?);
    Ok(if is_own { answer } else { render::projects::about(&project, answer) })
}

/// Records a call for `vectorcode stats`. Unknown tool names are not recorded, since they come from outside.
async fn record(project: &ServedProject, name: &str, took: Duration, answer: &Result<ToolAnswer, Failure>) {
    let Some(called) = tool_named(name) else { return };
    let tokens = match answer {
        Ok(ToolAnswer::Text(text)) => budget::tokens(text),
        Ok(ToolAnswer::Value(value)) => budget::tokens(&value.to_string()),
        Err(failure) => budget::tokens(&failure.for_agents()),
    };
    project.record_use(Use { name: called.name, took, tokens, failed: answer.is_err() }).await;
}

/// The requester of a call: its own project or why there is none, its rights, how to report progress to it, and how it cancels
/// the call.
pub(super) struct Requester {
    pub(super) own: Result<Arc<ServedProject>, Failure>,
    pub(super) caller: Caller,
    pub(super) progress: Option<ProgressReporter>,
    pub(super) cancelled: CancellationToken,
}

/// Removes the project from the arguments. Agents that know other servers call it `projectPath`.
fn take_project(given: &mut JsonObject) -> Result<Option<String>, Failure> {
    let mut named: Vec<String> = Vec::new();
    for name in [PROJECT, "projectPath", "project_path"] {
        match given.remove(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) => named.push(text.trim().to_owned()),
            Some(other) => return Err(wrong_project(format!("`{name}` is a name or a path, not {other}."))),
        }
    }
    named.dedup();
    if named.len() > 1 {
        return Err(wrong_project("The call names two projects.".into()));
    }
    Ok(named.pop())
}

/// Removes the commit from the arguments of a tool that can read code of a commit.
fn take_revision(
    tool: &ToolSpec,
    project: &ServedProject,
    given: &mut JsonObject,
) -> Result<Option<String>, Failure> {
    let default = || project.engine().project().default_revision().map(str::to_owned);
    if tool.subject != ToolSubject::Code {
        return Ok(None);
    }
    match given.remove(REF) {
        None | Some(Value::Null) => Ok(default()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(default()),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(other) => Err(Failure::user(
            format!("`ref` is the name of a commit, not {other}."),
            "Give a branch, a tag or a commit, such as \"main\" or \"v1.2\".",
        )),
    }
}

/// An unclear project is an error: results from another project would be wrong.
fn wrong_project(message: String) -> Failure {
    Failure::user(message, "Give `project`, the name or path of one project.")
}

/// Removes `format` from the arguments if it is text or JSON. Other formats are handled by the tool.
fn take_format(given: &mut JsonObject) -> AnswerFormat {
    let format = given.get("format").and_then(Value::as_str).and_then(AnswerFormat::parse);
    if format.is_some() {
        given.remove("format");
    }
    format.unwrap_or_default()
}

fn tool_named(name: &str) -> Option<&'static ToolSpec> {
    tools::ALL.into_iter().find(|tool| tool.name == name)
}

fn unknown_tool(name: &str) -> Failure {
    let names = tools::ALL.map(|tool| tool.name).join(", ");
    Failure::user(format!("There is no tool {name:?}. The tools are {names}."), None)
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("vectorcode", VERSION).with_title("vectorcode"))
            .with_instructions(texts::INSTRUCTIONS)
    }

    /// Stores the negotiated protocol version, not the requested one: later responses depend on it.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        let mut agreed = request;
        agreed.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(agreed);
        Ok(result)
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.roots.forget().await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Tools are listed even if the project cannot be opened; their calls will say why.
        let project = match self.caller(&context) {
            Ok(caller) => self.default_project(&context.peer, &caller).await,
            Err(failure) => Err(failure),
        };
        let project = project.unwrap_or_else(|_| self.backend.start_project().clone());
        let config = project.engine().config();
        let tools = tools::listed(&project).map(|tool| tool.definition(&config.search)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let config = self.backend.start_project().engine().config();
        tool_named(name).map(|tool| tool.definition(&config.search))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        into_result(self.call(request, context).await).map(CallToolResponse::from)
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(if KNOWN_METHODS.contains(&method.as_str()) {
            ErrorData::invalid_params(format!("Invalid parameters for {method}"), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {method}"), None)
        })
    }
}
