package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// figure is a number. Its parts are hashes; 0 is none.
type figure struct {
	value uint32
	unit  uint16
	shape uint16 // of its writing, if it is more than digits: "0.0", "0-0-0", "b0"
	at    uint8
}

// figure adds a number.
func (g *signer) figure(i int) {
	t := &g.toks[i]
	if g.out.numFigures == maxFigures || g.continues(i) {
		return
	}
	value, unit := splitFigure(t.low)
	next := i + 1
	if next+1 < len(g.toks) && g.toks[next].mark(",") && g.continues(next+1) { // 17,4
		fraction, rest := splitFigure(g.toks[next+1].low)
		value, unit, next = value+"."+fraction, rest, next+2
	}
	one := figure{value: hashText(value), shape: shapeOf(value), at: position(i)}
	switch {
	case unit != "":
		one.unit = shortHash(unitName(unit))
	case next < len(g.toks) && (g.toks[next].kind == wordToken && content(&g.toks[next]) || g.toks[next].mark("%")):
		one.unit = shortHash(unitName(stem(g.l, g.toks[next].low)))
	case i > 0 && (g.toks[i-1].mark("$") || g.toks[i-1].mark("€") || g.toks[i-1].mark("£")):
		one.unit = shortHash(g.toks[i-1].low)
	}
	g.out.figures[g.out.numFigures] = one
	g.out.numFigures++
	g.ordinal(t.low, i)
	if strings.Contains(value, "-") || value[0] > '9' { // "4-3-3" and "B14" name something
		g.add(term{stem: hashText(value), word: noWord, flags: nameTerm}, i)
	}
}

// ordinal adds the day of a bare "the 25th": the one that is near.
func (g *signer) ordinal(low string, i int) {
	bare := strings.TrimRight(low, "sthnrd")
	day, err := strconv.Atoi(bare)
	ordinal := err == nil && len(low) == len(bare)+2
	if !ordinal || day < 1 || day > 31 || g.out.numDays == maxDays {
		return
	}
	from := time.Date(g.said.Year(), g.said.Month(), day, 0, 0, 0, 0, time.UTC)
	if from.Before(g.said.AddDate(0, 0, -20)) {
		from = from.AddDate(0, 1, 0)
	}
	g.out.days[g.out.numDays] = dayRange{dayNumber(from.Unix()), dayNumber(from.Unix()) + 1, position(i)}
	g.out.numDays++
}

// continues reports whether token i is the fraction of the number before it: "17,4".
func (g *signer) continues(i int) bool {
	return i > 1 && i < len(g.toks) && g.toks[i].kind == numberToken && g.toks[i-1].mark(",") &&
		g.toks[i-1].end == g.toks[i].start && g.toks[i-2].kind == numberToken && g.toks[i-2].end == g.toks[i-1].start
}

// splitFigure divides a number in lower case from the unit written with it: "744h".
func splitFigure(low string) (value, unit string) {
	if n := slices.Index(numberWords[:], low); n >= 0 {
		return digitsOf[n], ""
	}
	end := len(low)
	for end > 0 && !('0' <= low[end-1] && low[end-1] <= '9') {
		end--
	}
	if end == 0 || low[0] < '0' || low[0] > '9' {
		return low, ""
	}
	return strings.ReplaceAll(low[:end], ",", ""), low[end:]
}

// numberWords are the numbers that people write as words, and digitsOf the same in
// digits.
var (
	numberWords = [...]string{
		"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
		"fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
	}
	digitsOf = [...]string{
		"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14",
		"15", "16", "17", "18", "19", "20", "30", "40", "50", "60", "70", "80", "90",
	}
)

// unitName is one name for the spellings of a unit.
func unitName(unit string) string {
	switch unit {
	case "m", "min", "mins", "minutes":
		return "minute"
	case "h", "hr", "hrs", "hours":
		return "hour"
	case "s", "sec", "secs", "seconds":
		return "second"
	case "d", "days":
		return "day"
	case "euro", "euros", "eur":
		return "€"
	case "dollar", "dollars", "usd":
		return "$"
	case "pound", "pounds", "quid", "gbp":
		return "£"
	}
	return unit
}

// shapeOf is the writing of a number without its digits; 0 for digits alone.
func shapeOf(value string) uint16 {
	var space [16]byte
	shape := space[:0]
	for i := range len(value) {
		c := value[i]
		if '0' <= c && c <= '9' {
			if n := len(shape); n > 0 && shape[n-1] == '0' {
				continue
			}
			c = '0'
		}
		if len(shape) < len(space) {
			shape = append(shape, c)
		}
	}
	if string(shape) == "0" {
		return 0
	}
	return shortHash(string(shape))
}
