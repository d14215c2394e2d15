package telemetry

// The names of OpenTelemetry's conventions for generative AI. They have left the
// core conventions for a repository of their own and are still in development,
// so they stand here, in one place, and not behind an import.
const (
	genOperation    = "gen_ai.operation.name"
	genProvider     = "gen_ai.provider.name"
	genAgent        = "gen_ai.agent.name"
	genConversation = "gen_ai.conversation.id"
	genRequestModel = "gen_ai.request.model"
	genModel        = "gen_ai.response.model"
	genFinish       = "gen_ai.response.finish_reasons"
	genInput        = "gen_ai.usage.input_tokens"
	genOutput       = "gen_ai.usage.output_tokens"
	genToolName     = "gen_ai.tool.name"
	genToolCall     = "gen_ai.tool.call.id"
	genToolType     = "gen_ai.tool.type"

	opAgent = "invoke_agent"
	opTool  = "execute_tool"
)

// agent is the name under which turns are traced.
const agent = "hermes"
