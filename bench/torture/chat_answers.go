package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// asks is a message that is answered in some lines. A name says which message is which.
func asks(name string, lines int) string {
	return fmt.Sprintf("Please answer %s in %d lines.", name, lines)
}

// What messages and answers look like. An answer stays the same in all dialects, and each
// part of it can be recognised.
var (
	askPattern  = regexp.MustCompile(`answer (m\d+) in (\d+) lines`)
	linePattern = regexp.MustCompile(`(m\d+) has line (\d+) of (\d+), and nothing else\.`)
)

// linesOf are the lines of an answer.
func linesOf(name string, lines int) []string {
	out := make([]string, lines)
	for i := range out {
		out[i] = fmt.Sprintf("%s has line %d of %d, and nothing else. ", name, i+1, lines)
	}
	out[lines-1] = strings.TrimSuffix(out[lines-1], " ")
	return out
}

// askedOf reads a message that a model is to answer.
func askedOf(text string) (name string, lines int, ok bool) {
	m := askPattern.FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	lines, err := strconv.Atoi(m[2])
	return m[1], lines, err == nil && lines > 0
}

// liner answers in lines, after a time up to before, with at most between before each line.
func liner(before, between time.Duration) func(*upstreamtest.Request) upstreamtest.Step {
	return func(req *upstreamtest.Request) upstreamtest.Step {
		text, ok := newest(req.Body)
		name, lines, asked := askedOf(text)
		if !ok || !asked {
			return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
		}
		step := upstreamtest.Step{Chunks: linesOf(name, lines), Usage: &upstreamtest.Usage{Input: 10, Output: 5}}
		if before > 0 {
			step.Before = rand.N(before)
		}
		if between > 0 {
			step.Between = between
		}
		return step
	}
}

// heard is what a platform has taken of one answer.
type heard struct {
	lines    int           // of the whole answer
	parts    map[int][]int // the lines of each part, by the first of them
	messages int
}

// add adds the lines of one message. One that begins as another does is the same part once
// more: the longer one counts, since the server may have been killed while it wrote.
func (h *heard) add(numbers []int) {
	h.messages++
	if first := numbers[0]; len(numbers) > len(h.parts[first]) {
		h.parts[first] = numbers
	}
}

// got are the lines that are there.
func (h *heard) got() []int {
	var out []int
	for _, first := range slices.Sorted(maps.Keys(h.parts)) {
		out = append(out, h.parts[first]...)
	}
	return out
}

// whole reports whether an answer is there, in order.
func (h *heard) whole() bool {
	if h == nil {
		return false
	}
	got := h.got()
	for i, n := range got {
		if n != i+1 {
			return false
		}
	}
	return len(got) == h.lines
}

// repeats are the messages that came once more.
func (h *heard) repeats() int {
	if h == nil {
		return 0
	}
	return h.messages - len(h.parts)
}

// ear hears what a bot has sent. It reads each text once.
type ear struct {
	mu   sync.Mutex
	read map[string]linesRead
}

// linesRead is what was read of a message.
type linesRead struct {
	name    string
	lines   int
	numbers []int
}

// hear sorts what a bot has sent by the messages that it answers.
func (e *ear) hear(sent []gatewaytest.Sent) map[string]*heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.read == nil {
		e.read = make(map[string]linesRead)
	}
	out := make(map[string]*heard)
	for i := range sent {
		r, known := e.read[sent[i].Text]
		if !known {
			r.name, r.lines, r.numbers = readLines(sent[i].Text)
			e.read[sent[i].Text] = r
		}
		if r.name == "" {
			continue
		}
		h := out[r.name]
		if h == nil {
			h = &heard{lines: r.lines, parts: make(map[int][]int)}
			out[r.name] = h
		}
		h.add(r.numbers)
	}
	return out
}

// readLines reads the lines of a message; "" if it is none of an answer.
func readLines(text string) (name string, lines int, numbers []int) {
	for _, m := range linePattern.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2]) // digits, by the pattern
		lines, _ = strconv.Atoi(m[3])
		name = m[1]
		numbers = append(numbers, n)
	}
	return name, lines, numbers
}
