// Package anthropic is the wire format of Anthropic's Messages API: requests, answers,
// events and errors, and their translation from and to chat completions. It does no I/O,
// and knows nothing of sessions or memory.
//
// A request becomes the body of a chat completion, so that any model can answer it. What
// chat completions lack is kept apart in [Request.Extras], for models that speak this
// format. Parsing is strict where leniency would hide a mistake (duplicate names, invalid
// UTF-8, wrong types) and ignores members that it does not know.
package anthropic
