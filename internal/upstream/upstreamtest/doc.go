// Package upstreamtest is a scripted model server. It speaks chat completions and
// Anthropic's Messages API, streaming or not, over loopback HTTP. It records every
// request and fails on demand: delays, pauses, broken connections, invalid JSON,
// refusals, silence.
//
// It is strict: like the real servers, it refuses tool calls without results, results
// without calls, and wrong orders, and fails the test that caused them.
// [Options.Lenient] disables these checks.
//
// A [Step] is one reply. Steps wait in a queue; when the queue is empty, the default
// answers. The server runs in a test ([New]) or alone ([Start]), and is cheap enough
// for a benchmark.
package upstreamtest
