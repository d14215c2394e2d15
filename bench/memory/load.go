package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// load reads a file of conversations.
func load(path string) ([]conversation, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the conversations: %w", err)
	}
	out, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// parse reads conversations: JSON in LoCoMo's format, or a text of rounds.
func parse(data []byte) ([]conversation, error) {
	if text := bytes.TrimSpace(data); bytes.HasPrefix(text, []byte("[")) || bytes.HasPrefix(text, []byte("{")) {
		return readLoCoMo(text)
	}
	return readRounds(string(data))
}

type rawSample struct {
	SampleID     string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []rawQuestion              `json:"qa"`
}

type rawQuestion struct {
	Question    string   `json:"question"`
	Answer      any      `json:"answer"`
	Adversarial any      `json:"adversarial_answer"`
	Evidence    []string `json:"evidence"`
	Category    int      `json:"category"`
}

type rawTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

func readLoCoMo(data []byte) ([]conversation, error) {
	var samples []rawSample
	if err := json.Unmarshal(data, &samples); err != nil {
		return nil, err
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
	c := conversation{name: s.SampleID, turns: make(map[string]int)}
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
	for i := range s.Questions {
		q, err := s.Questions[i].question(&c)
		if err != nil {
			return c, err
		}
		c.questions = append(c.questions, q)
	}
	return c, nil
}

func (q *rawQuestion) question(c *conversation) (question, error) {
	kinds := [...]string{1: multiHop, 2: temporal, 3: openDomain, 4: singleHop, 5: adversarial}
	if q.Category < 1 || q.Category >= len(kinds) {
		return question{}, fmt.Errorf("question %q: category %d is none of LoCoMo's", q.Question, q.Category)
	}
	out := question{text: q.Question, kind: kinds[q.Category], wrong: words(q.Adversarial), evidence: c.places(q.Evidence)}
	if answer := words(q.Answer); answer != "" {
		out.answer = []string{answer}
	}
	return out, nil
}

// words is an answer as text; some are numbers in the data.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(v)
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
	slices.Sort(out)
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
	for _, joined := range ids {
		for _, id := range strings.FieldsFunc(joined, func(r rune) bool { return strings.ContainsRune(";, ", r) }) {
			if place, ok := c.turns[id]; ok && !slices.Contains(out, place) {
				out = append(out, place)
			}
		}
	}
	return out
}

// readRounds reads a text written as testdata/asked.txt says.
func readRounds(text string) ([]conversation, error) {
	var out []conversation
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, begins := strings.CutPrefix(line, "== "); begins {
			out = append(out, conversation{name: name})
			continue
		}
		if len(out) == 0 || !out[len(out)-1].readLine(line) {
			return nil, fmt.Errorf(`line %d: want "== name", "user: …", "? question = answer" or "never: question", got %q`, n, line)
		}
	}
	return out, nil
}

// readLine takes in what was said or is asked; false if it is neither.
func (c *conversation) readLine(line string) bool {
	if asked, is := strings.CutPrefix(line, "? "); is {
		text, answer, has := strings.Cut(asked, " = ")
		c.questions = append(c.questions, question{text: text, kind: told, answer: strings.Split(answer, " & ")})
		return has
	}
	who, text, has := strings.Cut(line, ": ")
	if who == "never" {
		c.questions = append(c.questions, question{text: text, kind: never})
		return has
	}
	role := session.Role(who)
	rest, follows := strings.CutPrefix(text, "~")
	c.apart = append(c.apart, !follows && role == session.User)
	c.documents = append(c.documents, ranking.Document{Role: role, Text: strings.ReplaceAll(rest, `\n`, "\n")})
	return has && slices.Contains([]session.Role{session.User, session.Assistant, session.Tool}, role)
}
