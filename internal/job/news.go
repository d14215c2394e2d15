package job

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxNews bounds the changes that a fire is told of, in bytes.
const maxNews = 2000

// maxChange bounds the text of one change, in bytes.
const maxChange = 240

// silent begins an answer that is not delivered.
const silent = "[SILENT]"

// briefing returns the text that a fire gets with its prompt: which fire this is, in
// this program's words, and the changes in memory since the last fire, as data. facts
// are those of its scope; root is its lineage, "" if there is none yet.
func briefing(j *Job, r *Fire, facts []memory.Fact, root session.ID) (string, *run.News) {
	var b strings.Builder
	zone, err := Zone(j.Timezone)
	if err != nil {
		zone = time.UTC
	}
	fmt.Fprintf(&b, "This is a scheduled run of the job %s, due %s", cite.Quoted(j.Name),
		r.DueAt.In(zone).Format("Monday, 2 January 2006 15:04 MST"))
	if late := r.Late().Round(time.Second); late >= onTime {
		fmt.Fprintf(&b, ", %s late", late)
	}
	fmt.Fprintf(&b, ". Nobody is waiting at a screen. If there is nothing worth telling, begin your answer with %s.\n", silent)
	if j.Seen == nil {
		return b.String(), nil
	}
	fresh := news(j.Seen, facts, root)
	if len(fresh) == 0 {
		b.WriteString("Nothing has changed in memory since the last run.")
		return b.String(), nil
	}
	return b.String(), tell(fresh, facts)
}

// tell renders changes, one per line, as far as they fit.
func tell(fresh []*memory.Fact, facts []memory.Fact) *run.News {
	known := make(map[memory.FactID]*memory.Fact, len(facts))
	for i := range facts {
		known[facts[i].ID] = &facts[i]
	}
	out := &run.News{}
	text := append(make([]byte, 0, maxNews), "What has changed in memory since the last run:\n"...)
	for i, f := range fresh {
		line := appendChange(nil, f, known)
		if len(text)+len(line) > maxNews {
			text = fmt.Appendf(text, "- and %d older changes\n", len(fresh)-i)
			break
		}
		text = append(text, line...)
		out.Facts = append(out.Facts, f.ID)
	}
	out.Text = string(text)
	return out
}

// appendChange appends one fact as a line: its day, its speaker, its text, and the
// texts of the facts it replaced.
func appendChange(b []byte, f *memory.Fact, known map[memory.FactID]*memory.Fact) []byte {
	b = append(b, "- "...)
	b = append(f.SaidAt.AppendFormat(b, time.DateOnly), ": "...)
	b = appendStatement(b, f)
	for _, l := range f.Links {
		if was := known[l.To]; l.Kind == memory.Supersedes && was != nil {
			b = append(appendStatement(append(b, " (before: "...), was), ')')
		}
	}
	return append(b, '\n')
}

// appendStatement appends the text of a fact, and its speaker unless that is the
// unnamed user.
func appendStatement(b []byte, f *memory.Fact) []byte {
	if f.Source.Speaker != "" || f.Source.Role != session.User {
		b = append(cite.Speaker(b, string(f.Source.Role), f.Source.Speaker), ' ')
	}
	return cite.Words(b, language.Gist(f.Statement, maxChange))
}

// news returns the new facts, newest first.
func news(seen *Seen, facts []memory.Fact, root session.ID) []*memory.Fact {
	var fresh []*memory.Fact
	for i := range facts {
		f := &facts[i]
		mark := seen.Others
		if f.Source.Root == root {
			mark = seen.Own
		}
		if f.Source.MessageID > mark && f.Kind.Asserted() && f.Current() {
			fresh = append(fresh, f)
		}
	}
	slices.SortStableFunc(fresh, func(a, b *memory.Fact) int { return int(b.Source.MessageID - a.Source.MessageID) })
	return fresh
}

// seenWith returns how far memory has come after a fire that was shown facts and learnt
// more.
func seenWith(facts []memory.Fact, root session.ID, after []memory.Fact, learned map[memory.FactID]bool) *Seen {
	seen := &Seen{}
	for i := range facts {
		if id := facts[i].Source.MessageID; facts[i].Source.Root == root {
			seen.Own = max(seen.Own, id)
		} else {
			seen.Others = max(seen.Others, id)
		}
	}
	for i := range after {
		if learned[after[i].ID] {
			seen.Own = max(seen.Own, after[i].Source.MessageID)
		}
	}
	return seen
}
