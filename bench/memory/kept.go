package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// kept measures what distillation keeps of lives: of the messages that answer a question,
// and of those that are no statement of the user.
func kept(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	data := flags.String("data", "", "a file of lives; empty: the development set")
	only := flags.String("scope", "", "the only scope to read; empty: all")
	list := flags.Bool("list", false, "print every message with the facts of it that are shown")
	return func(_ context.Context, w io.Writer) error {
		lives, err := loadLives(*data)
		if err != nil {
			return err
		}
		t := keeping{kept: map[string]int{}, all: map[string]int{}}
		for i := range lives {
			if *only == "" || lives[i].ID == *only {
				t.read(w, &lives[i], *list)
			}
		}
		t.print(w)
		return nil
	}
}

// keeping counts messages by label, and those of them with a fact that is shown.
type keeping struct {
	kept, all      map[string]int
	facts, foreign int
}

func (t *keeping) read(w io.Writer, l *life, list bool) {
	shown := t.learn(l)
	for label, ids := range labelsOf(l) {
		for _, id := range ids {
			t.all[label]++
			if len(shown[id]) > 0 {
				t.kept[label]++
			}
		}
	}
	for _, s := range l.NoiseSpans {
		t.all["quoted part of a statement"]++
		if slices.ContainsFunc(shown[s.ID], func(f memory.Fact) bool { return f.Statement == s.Text || strings.Contains(s.Text, f.Statement) }) {
			t.kept["quoted part of a statement"]++
		}
	}
	if list {
		l.list(w, shown)
	}
}

// list prints every message of the user with its facts.
func (l *life) list(w io.Writer, shown map[string][]memory.Fact) {
	noise := map[string]string{}
	for _, n := range l.Noise {
		noise[n.ID] = n.Kind
	}
	for i := range l.Messages {
		m := &l.Messages[i]
		if m.Role != "user" {
			continue
		}
		fmt.Fprintf(w, "%s %s%s: %s\n", m.ID, m.Time.Format("2006-01-02"), noise[m.ID], strings.ReplaceAll(m.Text, "\n", " / "))
		for _, f := range shown[m.ID] {
			fmt.Fprintf(w, "    %s %q", f.Kind, f.Statement)
			if f.Value != "" {
				fmt.Fprintf(w, " [%s | %s | %s]", f.Subject, f.Attribute, f.Value)
			}
			if !f.When.IsZero() {
				fmt.Fprintf(w, " at %s", f.When.From.Format("2006-01-02 15:04"))
			}
			fmt.Fprintln(w)
		}
	}
}

// learn returns the facts of a life that a block of any size shows, by message.
func (t *keeping) learn(l *life) map[string][]memory.Fact {
	v := memory.NewView()
	ids := map[int64]string{}
	texts := map[int64]string{}
	for i := range l.Messages {
		m := &l.Messages[i]
		d := ranking.Document{
			MessageID: int64(i + 1), Root: "r", Seq: int64(i + 1), Role: session.Role(m.Role), Text: m.Text, SaidAt: m.Time,
		}
		ids[d.MessageID], texts[d.MessageID] = m.ID, m.Text
		v.Learn(d)
	}
	block := v.Block(1<<20, func(s string) int { return len(s) / 4 }, memory.BlockOptions{})
	out := map[string][]memory.Fact{}
	for _, id := range block.Facts {
		f, _ := v.Fact(id)
		out[ids[f.Source.MessageID]] = append(out[ids[f.Source.MessageID]], f)
		t.facts++
	}
	for _, f := range v.Facts() {
		id := ids[f.Source.MessageID]
		if !standsIn(f, texts[f.Source.MessageID]) {
			t.foreign++
		}
		if replaced := f.Source.Role == session.User && f.Kind.Asserted() && !f.Current(); replaced {
			out[id] = append(out[id], f)
		}
	}
	return out
}

// standsIn reports whether the words of a fact are words of its message.
func standsIn(f memory.Fact, text string) bool {
	return strings.Contains(text, f.Quote) && strings.Contains(f.Quote, f.Statement)
}

// labelsOf are the ids of a life's messages by what they are.
func labelsOf(l *life) map[string][]string {
	out := map[string][]string{}
	for i := range l.Messages {
		if m := &l.Messages[i]; m.Statement {
			out["statement"] = append(out["statement"], m.ID)
		}
	}
	for _, n := range l.Noise {
		label := "noise, soft"
		if n.Hard {
			label = "noise, hard"
		}
		out[label] = append(out[label], n.ID)
		out["noise: "+n.Kind] = append(out["noise: "+n.Kind], n.ID)
	}
	for _, wish := range l.Standing {
		out["standing wish"] = append(out["standing wish"], wish.ID)
	}
	evidence := map[string]bool{}
	for i := range l.Asked {
		for _, id := range l.Asked[i].Evidence {
			if !evidence[id] {
				evidence[id] = true
				out["evidence"] = append(out["evidence"], id)
			}
		}
	}
	return out
}

func (t *keeping) print(w io.Writer) {
	for _, label := range []string{
		"evidence", "statement", "standing wish", "noise, hard", "noise, soft", "noise: task", "noise: once", "noise: joke", "noise: paste",
		"quoted part of a statement",
	} {
		if n := t.all[label]; n > 0 {
			fmt.Fprintf(w, "%-28s %4d of %4d kept  %3d %%\n", label, t.kept[label], n, (100*t.kept[label]+n/2)/n)
		}
	}
	fmt.Fprintf(w, "%d facts shown, %d not of their message's words\n", t.facts, t.foreign)
}
