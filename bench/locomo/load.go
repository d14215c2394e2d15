package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// conversation is one sample of the benchmark: its turns and its questions.
type conversation struct {
	id        string
	documents []ranking.Document
	turns     map[string]int // dia_id → place in documents
	questions []question
}

// question is a question with the turns that hold its answer.
type question struct {
	text     string
	category int
	evidence []int // places in documents
}

type rawSample struct {
	SampleID     string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []rawQuestion              `json:"qa"`
}

type rawQuestion struct {
	Question string   `json:"question"`
	Evidence []string `json:"evidence"`
	Category int      `json:"category"`
}

// rawTurn leaves out the field "query", which a speaker never said.
type rawTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

// load reads the benchmark's file.
func load(path string) ([]conversation, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the benchmark: %w", err)
	}
	var samples []rawSample
	if err := json.Unmarshal(data, &samples); err != nil {
		return nil, fmt.Errorf("decode %s: %w", path, err)
	}
	out := make([]conversation, 0, len(samples))
	for i := range samples {
		c, err := samples[i].conversation()
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", samples[i].SampleID, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// conversation turns a sample into documents, session by session.
func (s *rawSample) conversation() (conversation, error) {
	c := conversation{id: s.SampleID, turns: make(map[string]int)}
	for _, n := range s.sessions() {
		name := "session_" + strconv.Itoa(n)
		var turns []rawTurn
		if err := json.Unmarshal(s.Conversation[name], &turns); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
		at, err := s.date(name)
		if err != nil {
			return c, err
		}
		for _, t := range turns {
			text := t.Text
			if t.Caption != "" {
				text += " [shares a photo: " + t.Caption + "]"
			}
			place := len(c.documents)
			c.turns[t.ID] = place
			c.documents = append(c.documents, ranking.Document{
				MessageID: int64(place + 1), SessionID: session.ID(name), Root: session.ID(s.SampleID),
				Seq: int64(place), Role: session.User, Speaker: t.Speaker, Text: text, SaidAt: at,
			})
		}
	}
	for _, q := range s.Questions {
		c.questions = append(c.questions, question{text: q.Question, category: q.Category, evidence: c.places(q.Evidence)})
	}
	return c, nil
}

// sessions lists the numbers of the sessions that have turns, in order.
func (s *rawSample) sessions() []int {
	var out []int
	for key := range s.Conversation {
		n, err := strconv.Atoi(strings.TrimPrefix(key, "session_"))
		if err == nil && strings.HasPrefix(key, "session_") {
			out = append(out, n)
		}
	}
	sort.Ints(out)
	return out
}

// date reads "1:56 pm on 8 May, 2023".
func (s *rawSample) date(session string) (time.Time, error) {
	var text string
	if err := json.Unmarshal(s.Conversation[session+"_date_time"], &text); err != nil {
		return time.Time{}, fmt.Errorf("date of %s: %w", session, err)
	}
	return time.Parse("3:04 pm on 2 January, 2006", text)
}

// places resolves dia_ids. A few are joined by ";" or misspelt in the data;
// what names no turn is left out.
func (c *conversation) places(ids []string) []int {
	var out []int
	seen := make(map[int]bool)
	for _, joined := range ids {
		for _, id := range strings.FieldsFunc(joined, func(r rune) bool { return r == ';' || r == ',' || r == ' ' }) {
			if place, ok := c.turns[id]; ok && !seen[place] {
				seen[place] = true
				out = append(out, place)
			}
		}
	}
	return out
}
