package job

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxNews bounds what a fire is told of changes, in bytes.
const maxNews = 2000

// silent begins an answer that is not to be delivered.
const silent = "[SILENT]"

// briefing is what a fire is told beside its prompt: which run this is, and what
// changed in memory since the last one. facts are those of its scope; root is
// its lineage, "" if that has none yet.
func briefing(j *Job, r *Run, facts []memory.Fact, root session.ID) string {
	var b strings.Builder
	zone, err := Zone(j.Timezone)
	if err != nil {
		zone = time.UTC
	}
	fmt.Fprintf(&b, "This is a scheduled run of the job %q, due %s", j.Name, r.DueAt.In(zone).Format("Monday, 2 January 2006 15:04 MST"))
	if late := r.Late().Round(time.Second); late >= onTime {
		fmt.Fprintf(&b, ", %s late", late)
	}
	fmt.Fprintf(&b, ". Nobody is waiting at a screen. If there is nothing worth telling, begin your answer with %s.\n", silent)
	if j.Seen == nil {
		return b.String()
	}
	lines := news(j.Seen, facts, root)
	if len(lines) == 0 {
		b.WriteString("Nothing has changed in memory since the last run.")
		return b.String()
	}
	b.WriteString("What has changed in memory since the last run:\n")
	for i, line := range lines {
		if b.Len()+len(line) > maxNews {
			fmt.Fprintf(&b, "- and %d older changes\n", len(lines)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// news are the changes as lines, newest first.
func news(seen *Seen, facts []memory.Fact, root session.ID) []string {
	statement := make(map[memory.FactID]string, len(facts))
	for i := range facts {
		statement[facts[i].ID] = facts[i].Statement
	}
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
	var lines []string
	for _, f := range fresh {
		line := "- " + f.SaidAt.Format("2006-01-02") + ": " + short(f.Statement)
		for _, l := range f.Links {
			if was := statement[l.To]; l.Kind == memory.Supersedes && was != "" {
				line += " (before: " + short(was) + ")"
			}
		}
		lines = append(lines, line+"\n")
	}
	return lines
}

// short is a statement in one line of bounded length.
func short(text string) string {
	const most = 240
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}

// seenWith is how far memory has come after a run that was shown facts and added
// those it learnt.
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
