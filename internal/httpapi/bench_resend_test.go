//go:build unix

package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkHundredTurns is a chat of a hundred turns, of clients that send their newest
// message, or all that was said. The time of the processor per turn includes the upstream's
// and the transport's, and not that of encoding the request.
func BenchmarkHundredTurns(b *testing.B) {
	for name, all := range map[string]bool{"newest": false, "everything": true} {
		b.Run(name, func(b *testing.B) {
			srv := benchServer(b)
			var spent time.Duration
			chats := 0
			for b.Loop() {
				chats++
				spent += hundredTurns(b, srv.Client(), srv.URL, fmt.Sprint(name, chats), all)
			}
			b.ReportMetric(float64(spent.Microseconds())/float64(100*chats), "cpu-µs/turn")
		})
	}
}

// hundredTurns is one chat. Its key is its own, so that chats do not share a memory.
func hundredTurns(b *testing.B, client *http.Client, url, chat string, all bool) time.Duration {
	b.Helper()
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var history []message
	before := processorTime(b)
	for turn := range 100 {
		history = append(history, message{"user", fmt.Sprintf("In week %d Ada moved the scheduler of %s to Oslo because the old cluster was slow.", turn, chat)})
		sent := history
		if !all {
			sent = history[len(history)-1:]
		}
		encoding := processorTime(b)
		body, _ := json.Marshal(map[string]any{"model": "hermes", "messages": sent})
		before += processorTime(b) - encoding
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/k/"+chat+"/v1/chat/completions", strings.NewReader(string(body)))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer hermes")
		if !all {
			req.Header.Set("X-Hermes-Session-Id", chat)
		}
		res, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		var answer struct {
			Choices []struct{ Message message }
		}
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || len(answer.Choices) == 0 {
			b.Fatalf("status %d: %v", res.StatusCode, err)
		}
		_ = res.Body.Close()
		history = append(history, answer.Choices[0].Message)
	}
	return processorTime(b) - before
}

// processorTime is the time that this process has used of the processor.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
