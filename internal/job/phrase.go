package job

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// phrase is a schedule as it was written.
type phrase struct{ text string }

// word is a word of a phrase.
type word struct {
	text string
	at   int // byte offset in the phrase
}

func (p *phrase) words() []word {
	var out []word
	start := -1
	for i := 0; i <= len(p.text); i++ {
		blank := i == len(p.text) || p.text[i] == ' ' || p.text[i] == '\t'
		switch {
		case !blank && start < 0:
			start = i
		case blank && start >= 0:
			out = append(out, word{p.text[start:i], start})
			start = -1
		}
	}
	return out
}

// parseEvery reads what follows "every": a duration, or days and a time.
func (s *Schedule) parseEvery(p *phrase, words []word) error {
	if len(words) == 0 {
		return p.wrong(len(p.text), "say how often, such as 30m, or which day")
	}
	if days, n := p.days(words); n > 0 {
		hour, minute, err := p.clock(words[n:])
		if err != nil {
			return err
		}
		fields := &phrase{text: fmt.Sprintf("%d %d * * %s", minute, hour, days)}
		s.wall, err = fields.cron(fields.words())
		return err
	}
	if strings.ContainsAny(words[0].text[:1], "0123456789+-.") || units(words[0].text) > 0 {
		d, err := p.duration(words)
		if err != nil {
			return err
		}
		if d < MinInterval {
			return p.wrong(words[0].at, "the shortest interval is one minute")
		}
		s.every = d
		return nil
	}
	return p.wrong(words[0].at, "this is neither a duration such as 30m nor a day such as monday, weekday or day")
}

// days reads names of days; n is how many words they are.
func (p *phrase) days(words []word) (dow string, n int) {
	var list []string
	for ; n < len(words); n++ {
		text := strings.ToLower(words[n].text)
		if text == "and" && n > 0 && n+1 < len(words) {
			continue
		}
		var some []string
		for name := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
			day := dayOf(name)
			if day == "" {
				return strings.Join(list, ","), n
			}
			some = append(some, day)
		}
		list = append(list, some...)
	}
	return strings.Join(list, ","), n
}

// dayOf returns a day as cron writes it; "" if name is not a day.
func dayOf(name string) string {
	switch name {
	case "day":
		return "*"
	case "weekday", "weekdays", "workday":
		return "1-5"
	case "weekend":
		return "0,6"
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		full := strings.ToLower(d.String())
		if name == full || name == full+"s" || name == full[:3] {
			return strconv.Itoa(int(d))
		}
	}
	return ""
}

// clock reads a time of day: 9am, 9:30 pm, 21:30, noon, midnight; "at" may precede it.
// Without words it is midnight.
func (p *phrase) clock(words []word) (hour, minute int, err error) {
	if len(words) > 0 && strings.EqualFold(words[0].text, "at") {
		if words = words[1:]; len(words) == 0 {
			return 0, 0, p.wrong(len(p.text), "say when, such as 9am or 17:30")
		}
	}
	if len(words) == 0 {
		return 0, 0, nil
	}
	text := strings.ToLower(words[0].text)
	rest := words[1:]
	if len(rest) > 0 && (strings.EqualFold(rest[0].text, "am") || strings.EqualFold(rest[0].text, "pm")) {
		text, rest = text+strings.ToLower(rest[0].text), rest[1:]
	}
	if len(rest) > 0 {
		return 0, 0, p.wrong(rest[0].at, "nothing may follow the time")
	}
	switch text {
	case "noon":
		return 12, 0, nil
	case "midnight":
		return 0, 0, nil
	}
	for _, layout := range []string{"15:04", "3pm", "3:04pm"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Hour(), at.Minute(), nil
		}
	}
	return 0, 0, p.wrong(words[0].at, "not a time of day such as 9am, 9:30pm or 21:30")
}

// longest bounds a duration: a hundred years.
const longest = 100 * 366 * 24 * time.Hour

// duration reads "30m", "1h30m", "2 hours", "day", "1 day 12 hours".
func (p *phrase) duration(words []word) (time.Duration, error) {
	if len(words) == 0 {
		return 0, p.wrong(len(p.text), "say how long, such as 30m or 2h")
	}
	var total time.Duration
	for i := 0; i < len(words); i++ {
		w := words[i]
		text := strings.ToLower(w.text)
		if unit := units(text); unit > 0 && len(words) == 1 { // every hour
			return unit, nil
		}
		if i+1 < len(words) && strings.Trim(text, "0123456789") == "" {
			i++
			text += strings.ToLower(words[i].text)
		}
		d, ok := amount(text)
		if !ok || d > longest || total > longest-d {
			return 0, p.wrong(w.at, "this is no duration such as 30m, 2h, 1h30m or 3 days")
		}
		total += d
	}
	if total <= 0 {
		return 0, p.wrong(words[0].at, "a duration must be longer than zero")
	}
	return total, nil
}

const digits = "0123456789"

// amount reads numbers with their units: 1h30m.
func amount(text string) (total time.Duration, ok bool) {
	for text != "" {
		unitful := strings.TrimLeft(text, digits)
		end := strings.IndexAny(unitful, digits)
		if end < 0 {
			end = len(unitful)
		}
		count, err := strconv.ParseInt(text[:len(text)-len(unitful)], 10, 64)
		unit := units(unitful[:end])
		if err != nil || unit == 0 {
			return 0, false
		}
		if count > int64(longest/unit) || total > longest {
			return 0, false
		}
		total += time.Duration(count) * unit
		text = unitful[end:]
	}
	return total, total > 0
}

// units is the length of a unit by its name; 0 if name is not a unit.
func units(name string) time.Duration {
	switch name {
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "days":
		return 24 * time.Hour
	case "day": // "every day" is a time of day, "1 day" a duration
		return 24 * time.Hour
	case "w", "week", "weeks":
		return 7 * 24 * time.Hour
	}
	return 0
}
