//! The MCP handler: describes the server and its tools, and runs `tools/call`.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use vectorcode_core::VERSION;

use super::answer::{ToolAnswer, into_result};
use super::progress::ProgressReporter;
use super::texts;
use super::tools::{self, Call, ToolSpec};
use crate::arguments::InputFormat;
use crate::backend::Backend;
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

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ToolAnswer, Failure> {
        let tool = tool_named(&request.name).ok_or_else(|| unknown_tool(&request.name))?;
        let schema = (tool.arguments)(&self.backend.engine().config().search);
        let arguments = schema.check(request.arguments.unwrap_or_default(), InputFormat::LenientJson)?;
        let progress = ProgressReporter::for_request(&context);
        (tool.call)(Call { backend: self.backend.clone(), arguments, progress, cancelled: context.ct }).await
    }
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
        let tools = tools::ALL.iter().map(|tool| self.definition(tool)).collect();
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
