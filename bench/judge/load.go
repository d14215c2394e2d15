package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is one conversation with its questions.
type sample struct {
	id        string
	sessions  []talk
	questions []question
}

// talk is one session of a conversation.
type talk struct {
	name  string
	at    time.Time
	turns []turn
}

type turn struct{ speaker, text string }

// question has an answer; an adversarial one asks for what was never said, and
// has an answer that must not be given.
type question struct {
	text, answer, wrong string
	category            int
}

// adversarial is the category of questions nobody can answer.
const adversarial = 5

type rawSample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []struct {
		Question    string `json:"question"`
		Answer      any    `json:"answer"`
		Adversarial any    `json:"adversarial_answer"`
		Category    int    `json:"category"`
	} `json:"qa"`
}

// load reads a file in LoCoMo's format.
func load(path string) ([]sample, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the conversations: %w", err)
	}
	var raw []rawSample
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("decode %s: %w", path, err)
	}
	out := make([]sample, 0, len(raw))
	for i := range raw {
		s, err := raw[i].sample()
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", raw[i].ID, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *rawSample) sample() (sample, error) {
	s := sample{id: r.ID}
	for key := range r.Conversation {
		n, err := strconv.Atoi(strings.TrimPrefix(key, "session_"))
		if err != nil || !strings.HasPrefix(key, "session_") {
			continue
		}
		t := talk{name: fmt.Sprintf("session_%02d", n)}
		var turns []struct {
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
			Caption string `json:"blip_caption"`
		}
		if err := json.Unmarshal(r.Conversation[key], &turns); err != nil {
			return s, fmt.Errorf("%s: %w", key, err)
		}
		var date string
		if err := json.Unmarshal(r.Conversation[key+"_date_time"], &date); err != nil {
			return s, fmt.Errorf("date of %s: %w", key, err)
		}
		if t.at, err = time.Parse("3:04 pm on 2 January, 2006", date); err != nil {
			return s, fmt.Errorf("date of %s: %w", key, err)
		}
		for _, u := range turns {
			if u.Caption != "" {
				u.Text += " [shares a photo: " + u.Caption + "]"
			}
			t.turns = append(t.turns, turn{u.Speaker, u.Text})
		}
		s.sessions = append(s.sessions, t)
	}
	slices.SortFunc(s.sessions, func(a, b talk) int { return strings.Compare(a.name, b.name) })
	for _, q := range r.Questions {
		one := question{text: q.Question, answer: text(q.Answer), wrong: text(q.Adversarial), category: q.Category}
		if one.category < 1 || one.category > adversarial || one.answer == "" && one.category != adversarial {
			continue
		}
		s.questions = append(s.questions, one)
	}
	s.chooseWrong()
	return s, nil
}

// text is an answer as words; some are numbers in the data.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// chooseWrong gives every question an answer that is wrong and looks right: that
// of the next question of its category with another answer.
func (s *sample) chooseWrong() {
	n := len(s.questions)
	for i := range s.questions {
		q := &s.questions[i]
		for k := 1; k < n && q.wrong == ""; k++ {
			other := &s.questions[(i+k)%n]
			if other.category == q.category && !overlap(q.answer, other.answer) {
				q.wrong = other.answer
			}
		}
	}
}

// overlap reports whether two answers share a word that could make both right.
func overlap(a, b string) bool {
	words := strings.Fields(strings.ToLower(a))
	for _, w := range strings.Fields(strings.ToLower(b)) {
		if len(w) > 3 && slices.Contains(words, w) {
			return true
		}
	}
	return strings.EqualFold(a, b)
}

// asked are the questions to ask, at most so many; 0 means all.
func (s *sample) asked(most int) []question {
	if most <= 0 {
		return s.questions
	}
	return s.questions[:min(most, len(s.questions))]
}
