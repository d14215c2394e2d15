package telemetry

// The names of OpenTelemetry's conventions for generative AI. The conventions have
// moved to a separate repository and are still in development, so the names are defined
// here instead of imported.
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

// agent is the agent's name in the spans of turns.
const agent = "hermes"
