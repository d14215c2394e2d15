// Package openai is the OpenAI wire and nothing else: requests in, completions,
// chunks and errors out, server-sent events both ways. It does no I/O beyond
// the reader and writer it is handed, and knows nothing of sessions or memory.
//
// Reading is lenient where clients differ (content as text or parts, old and
// new names) and strict where leniency hides a mistake (duplicate keys, bad
// UTF-8, wrong types). What this package does not know it keeps: a request is
// forwarded with every byte of its unknown fields.
package openai
