package job

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/robfig/cron/v3"
)

// field is one of the fields of cron.
type field struct {
	name, says string
}

// fields are those of a line with seconds; one without begins at the second.
func fields() []field {
	return []field{
		{"second", "a second is one number 0–59, for no job fires twice a minute"},
		{"minute", "a minute is 0–59"},
		{"hour", "an hour is 0–23"},
		{"day of the month", "a day of the month is 1–31"},
		{"month", "a month is 1–12 or JAN–DEC"},
		{"day of the week", "a day of the week is 0–7 or SUN–SAT"},
	}
}

// cron reads five or six fields. The library gets one field at a time and never a zone:
// it panics at "TZ=", and it treats clock changes differently.
func (p *phrase) cron(words []word) (*cron.SpecSchedule, error) {
	all := fields()
	switch len(words) {
	case 5:
		all = all[1:]
	case 6:
	default:
		return nil, p.wrong(words[min(len(words)-1, 6)].at, fmt.Sprintf("cron has 5 or 6 fields, this has %d", len(words)))
	}
	parser := cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	line := []string{"0", "*", "*", "*", "*", "*"}
	for i, w := range words {
		at := len(line) - len(all) + i
		text := w.text
		if at == len(line)-1 {
			text = sundays(text)
		}
		alone := []string{"0", "*", "*", "*", "*", "*"}
		alone[at] = text
		spec := specOf(parser, alone)
		if spec == nil || strings.ContainsAny(text, "@=") {
			return nil, p.wrong(w.at, all[i].says)
		}
		const seconds = 1<<60 - 1
		if at == 0 && bits.OnesCount64(spec.Second&seconds) != 1 {
			return nil, p.wrong(w.at, all[i].says)
		}
		line[at] = text
	}
	spec := specOf(parser, line)
	if spec == nil {
		return nil, p.wrong(0, "it is not a valid cron line")
	}
	return spec, nil
}

// specOf parses six fields with the library; nil if it cannot.
func specOf(parser cron.Parser, line []string) *cron.SpecSchedule {
	read, err := parser.Parse(strings.Join(line, " "))
	if err != nil {
		return nil
	}
	spec, _ := read.(*cron.SpecSchedule)
	return spec
}

// sundays rewrites day 7, which the library does not know, as 0.
func sundays(text string) string {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		days, step, stepped := strings.Cut(part, "/")
		from, to, ranged := strings.Cut(days, "-")
		switch {
		case days == "7" && !stepped:
			parts[i] = "0"
		case ranged && to == "7":
			parts[i] = lastSunday(part, from, step, stepped)
		}
	}
	return strings.Join(parts, ",")
}

// weekday is the number of a day, which may be written as its name; -1 for none.
func weekday(text string) int {
	names := []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	if i := slices.Index(names, strings.ToLower(text)); i >= 0 {
		return i
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 7 {
		return n
	}
	return -1
}

// lastSunday lists the days of a range that ends with the day 7.
func lastSunday(part, from, step string, stepped bool) string {
	first, every := weekday(from), 1
	if stepped {
		every, _ = strconv.Atoi(step) // 0 if it is not a number
	}
	if first < 0 || every < 1 {
		return part // the library reports the error
	}
	var days []string
	for day := first; day <= 7; day += every {
		days = append(days, strconv.Itoa(day%7))
		if every > 7 {
			break
		}
	}
	return strings.Join(days, ",")
}
