// Package openai is OpenAI's wire format: requests, completions, chunks, errors, and
// server-sent events in both directions. It does no I/O except on the readers and
// writers that callers pass, and knows nothing of sessions or memory.
//
// Parsing is lenient where clients differ (content as text or parts, old and new names)
// and strict where leniency would hide a mistake (duplicate names, invalid UTF-8, wrong
// types). Unknown members of a request are kept and forwarded byte for byte.
package openai
