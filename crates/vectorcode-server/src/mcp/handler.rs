//! The MCP handler: describes the server and its tools, and runs `tools/call`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use vectorcode_core::VERSION;
use vectorcode_engine::Use;

use super::answer::{AnswerFormat, ToolAnswer, into_result};
use super::progress::ProgressReporter;
use super::texts;
use super::tools::{self, Call, ToolSpec};
use crate::arguments::InputFormat;
use crate::backend::Backend;
use crate::budget;
use crate::failure::Failure;

/// `rmcp` reports known methods with malformed parameters as custom requests; they get a different error than unknown
/// methods.
const KNOWN_METHODS: [&str; 4] = ["initialize", "server/discover", "tools/call", "tools/list"];

pub(crate) struct McpHandler {
    backend: Arc<Backend>,
}

impl McpHandler {
    pub(crate) fn new(backend: Arc<Backend>) -> Self {
        Self { backend }
    }

    fn definition(&self, tool: &ToolSpec) -> Tool {
        tool.definition(&self.backend.engine().config().search)
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
    let schema = (tool.arguments)(&backend.engine().config().search);
    let format = take_format(&mut given);
    let arguments = schema.check(given, InputFormat::LenientJson)?;
    let Requester { progress, cancelled } = requested_by;
    (tool.call)(Call { backend: backend.clone(), arguments, format, progress, cancelled }).await
}

/// Counts a call for `vectorcode stats`. Names that no tool has are not recorded: they come from outside.
fn record(backend: &Backend, name: &str, took: Duration, answer: &Result<ToolAnswer, Failure>) {
    let Some(tool) = tool_named(name) else { return };
    let tokens = match answer {
        Ok(ToolAnswer::Text(text)) => budget::tokens(text),
        Ok(ToolAnswer::Value(value)) => budget::tokens(&value.to_string()),
        Err(failure) => budget::tokens(&failure.for_agents()),
    };
    backend.engine().record_use(&Use { name: tool.name, took, tokens, failed: answer.is_err() });
}

/// Who waits for a call: whom to tell of progress, and how they take the call back.
#[derive(Default)]
pub(super) struct Requester {
    pub(super) progress: Option<ProgressReporter>,
    pub(super) cancelled: CancellationToken,
}

/// Takes `format` out of the arguments where it says text or JSON. Other formats are the tool's own.
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

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::listed(&self.backend).map(|tool| self.definition(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool_named(name).map(|tool| self.definition(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let progress = ProgressReporter::for_request(&context);
        let requester = Requester { progress, cancelled: context.ct };
        let arguments = request.arguments.unwrap_or_default();
        let started = Instant::now();
        let answer = call_tool(&self.backend, &request.name, arguments, requester).await;
        record(&self.backend, &request.name, started.elapsed(), &answer);
        into_result(answer).map(CallToolResponse::from)
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
