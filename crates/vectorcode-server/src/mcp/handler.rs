//! What the server says about itself, and the way from a `tools/call` to its tool and back.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use vectorcode_core::VERSION;

use super::answer::{self, Answer, Failure};
use super::progress::ProgressReporter;
use super::texts;
use super::tools::{self, Call, ToolSpec};
use crate::arguments::{Argument, Arguments, Notation};
use crate::backend::Backend;

/// Methods that exist but came with parameters of the wrong shape end up among the unknown ones.
const KNOWN_METHODS: [&str; 4] = ["initialize", "server/discover", "tools/call", "tools/list"];

pub(crate) struct McpHandler {
    backend: Arc<Backend>,
}

impl McpHandler {
    pub(crate) fn new(backend: Arc<Backend>) -> Self {
        Self { backend }
    }

    /// What the tool takes, under the settings in force.
    fn arguments(&self, tool: &ToolSpec) -> Vec<Argument> {
        (tool.arguments)(&self.backend.engine().config().search)
    }

    fn definition(&self, tool: &ToolSpec) -> Tool {
        tool.definition(&self.arguments(tool))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Answer, Failure> {
        let tool = tool_named(&request.name).ok_or_else(|| unknown_tool(&request.name))?;
        let given = request.arguments.unwrap_or_default();
        let arguments = Arguments::check(&self.arguments(tool), given, Notation::Loose)?;
        let progress = ProgressReporter::for_request(&context);
        (tool.call)(Call { backend: self.backend.clone(), arguments, progress, cancelled: context.ct }).await
    }
}

fn tool_named(name: &str) -> Option<&'static ToolSpec> {
    tools::ALL.into_iter().find(|tool| tool.name == name)
}

fn unknown_tool(name: &str) -> Failure {
    let names = tools::ALL.map(|tool| tool.name);
    Failure::mendable(format!("There is no tool {name:?}."), format!("The tools are {}.", names.join(", ")))
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("vectorcode", VERSION).with_title("vectorcode"))
            .with_instructions(texts::INSTRUCTIONS)
    }

    /// Remembers the version that was agreed on, not the one that was asked for: later answers follow it.
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
        answer::into_result(self.call(request, context).await).map(CallToolResponse::from)
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
            ErrorData::invalid_params(format!("The parameters of {method} have the wrong shape"), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {method}"), None)
        })
    }
}
