// Package upstreamtest is a model server that says what it is told to. It
// speaks the chat completions wire and Anthropic's, streaming or not, over real
// loopback HTTP, remembers every request, and misbehaves on demand: late,
// halting, cut off, garbled, refusing, silent.
//
// It is strict: as the real servers do, it refuses tool calls without results,
// results without calls, and wrong orders, and it fails the test that caused one
// ([Options.Lenient] switches that off).
//
// A [Step] is one reply. Steps wait in a queue; when it is empty the default
// answers. It runs in a test ([New]) or on its own ([Start]) and is cheap
// enough to stand behind a benchmark.
package upstreamtest
