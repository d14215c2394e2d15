package memory

import (
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/session"
)

// lineOf renders one fact: its day and its message, then its words in quotation marks.
func (s *State) lineOf(k *record) string {
	f := &k.Fact
	var b strings.Builder
	b.Grow(len(f.Statement) + 64)
	switch k.Section {
	case changes:
		writeDayOfMonth(&b, f)
		s.writeChange(&b, k, s.replacedBy(k))
	case timeline, loops:
		writeDay(&b, f.When, f.SaidAt)
		writeSource(&b, f)
		writeQuoted(&b, f.Statement)
		writeReason(&b, f)
	default:
		writeDayOfMonth(&b, f)
		writeSource(&b, f)
		writeQuoted(&b, f.Statement)
		writeReason(&b, f)
		if !f.When.IsZero() {
			b.WriteString(" = ")
			writeDay(&b, f.When, f.SaidAt)
		}
	}
	if asked, found := s.Asked(*f); found {
		b.WriteString("; asked ")
		writeQuoted(&b, asked.Statement)
	}
	s.writeRecurring(&b, k)
	if s.perhapsOutdated(k) {
		b.WriteString(" (perhaps outdated)")
	}
	b.WriteByte('\n')
	return b.String()
}

// writeDayOfMonth writes the day; the heading has the month.
func writeDayOfMonth(b *strings.Builder, f *Fact) {
	if f.SaidAt.IsZero() {
		b.WriteString("undated")
		return
	}
	b.WriteString(twoDigits(f.SaidAt.Day()))
}

// writeChange renders both sides of a change, with their days.
func (s *State) writeChange(b *strings.Builder, k, old *record) {
	f := &k.Fact
	writeSource(b, f)
	if old == nil { // it was erased
		writeQuoted(b, f.Statement)
		writeReason(b, f)
		return
	}
	if f.Kind == Decision || f.Kind == Negated {
		b.WriteString("REVERSED ")
	} else {
		b.WriteString("CHANGED ")
	}
	b.WriteString(day(old.SaidAt))
	writeSource(b, &old.Fact)
	writeQuoted(b, old.Statement)
	b.WriteString(" → ")
	writeQuoted(b, f.Statement)
	writeReason(b, f)
	if steps := s.changes(k); steps > 1 {
		b.WriteString(" (earlier changes: ")
		b.WriteString(strconv.Itoa(steps - 1))
		b.WriteByte(')')
	}
}

// writeSource writes the message, and the speaker unless it is the user.
func writeSource(b *strings.Builder, f *Fact) {
	b.WriteString(" #")
	b.WriteString(strconv.FormatInt(f.Source.Seq, 10))
	if f.Source.Speaker != "" || f.Source.Role != session.User {
		b.WriteByte(' ')
		b.Write(cite.Speaker(nil, string(f.Source.Role), f.Source.Speaker))
	}
	b.WriteByte(' ')
}

// writeQuoted writes words in quotation marks on one line.
func writeQuoted(b *strings.Builder, words string) { b.WriteString(cite.Quoted(words)) }

// writeReason adds the reason if the words do not have it.
func writeReason(b *strings.Builder, f *Fact) {
	if f.Because != "" && !strings.Contains(f.Statement, f.Because) {
		b.WriteString("; because ")
		writeQuoted(b, f.Because)
	}
}

// writeDay writes the time that a fact is about, as precisely as it is known.
func writeDay(b *strings.Builder, i Interval, said time.Time) {
	if i.IsZero() {
		b.WriteString(day(said))
		return
	}
	width := i.To.Sub(i.From)
	switch {
	case width > 300*24*time.Hour:
		b.WriteString(i.From.Format("2006"))
	case width > 60*24*time.Hour:
		b.WriteString(i.From.Format("2006-01") + "…" + i.To.Add(-1).Format("2006-01"))
	case width > 27*24*time.Hour:
		b.WriteString(i.From.Format("2006-01"))
	case width > 25*time.Hour:
		b.WriteString(i.From.Format("2006-01-02") + "…" + i.To.Add(-1).Format("02"))
	case width < 23*time.Hour && width > 0:
		b.WriteString(i.From.Format("2006-01-02 15:04"))
	default:
		b.WriteString(i.From.Format("2006-01-02"))
	}
}

// day is a date; nothing for an unknown one.
func day(t time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	return t.Format("2006-01-02")
}

// twoDigits writes a day or a month.
func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
