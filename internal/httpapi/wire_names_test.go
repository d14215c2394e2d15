package httpapi_test

import (
	"fmt"
	"regexp"
	"strings"
)

// names replaces values that differ in every run by numbered names, in the order of their
// first appearance, so that a file can say "the same id as before".
type names struct {
	toName  map[string]string
	toValue map[string]string
	count   map[string]int
}

func newNames() names {
	return names{toName: map[string]string{}, toValue: map[string]string{}, count: map[string]int{}}
}

// add makes a name stand for a value.
func (n *names) add(name, value string) {
	n.toName[value], n.toValue[name] = name, value
}

// patterns are the values that get names. The first one that fits counts.
func patterns() []struct{ name, form string } {
	return []struct{ name, form string }{
		{"id", `\b\d{8}_\d{6}_[0-9a-f]{8}\b`},
		{"receipt", `\br_[0-9a-v]{23}\b`},
		{"completion", `\bchatcmpl-[0-9a-f]{28}\b`},
		{"fact", `\bf_[0-9a-f]{16}\b`},
		{"secret", `\bhk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}`},
		{"key", `"[0-9a-f]{12}"`},
		{"job", `\bjob_[0-9a-f]{16}\b`},
		{"response", `\bresp_[0-9a-f]{32}\b`},
		{"item", `\b(?:msg|fc|fco|ctc|ctco|rs)_[0-9a-f]{32}_(?:in)?\d+\b`},
		{"run", `\brun_[0-9a-f]{16}\b`},
		{"event", `\bevt_[0-9a-f]{16}\b`},
		{"whsec", `\bwhsec_[A-Za-z0-9+/]{32}`},
		{"hash", `\b[0-9a-f]{64}\b`},
	}
}

// longText finds texts of wordsOf.
func longText() *regexp.Regexp { return regexp.MustCompile(`(?:lorem ){9,}lorem`) }

// replace puts names in place of values.
func (n *names) replace(text string) string {
	var forms []string
	for _, p := range patterns() {
		forms = append(forms, "("+p.form+")")
	}
	any := regexp.MustCompile(strings.Join(forms, "|"))
	text = any.ReplaceAllStringFunc(text, func(value string) string {
		quoted := strings.HasPrefix(value, `"`)
		value = strings.Trim(value, `"`)
		if _, known := n.toName[value]; !known {
			kind := n.kindOf(value, quoted)
			n.count[kind]++
			n.add(fmt.Sprintf("<%s%d>", kind, n.count[kind]), value)
		}
		if quoted {
			return `"` + n.toName[value] + `"`
		}
		return n.toName[value]
	})
	return longText().ReplaceAllStringFunc(text, func(long string) string {
		return fmt.Sprintf("<words %d>", strings.Count(long, "lorem"))
	})
}

func (n *names) kindOf(value string, quoted bool) string {
	for _, p := range patterns() {
		form := p.form
		if quoted {
			form = strings.Trim(form, `"`)
		}
		if regexp.MustCompile("^(?:" + form + ")$").MatchString(value) {
			return p.name
		}
	}
	return "value"
}

// fill puts values in place of names.
func (n *names) fill(text string) string {
	for name, value := range n.toValue {
		text = strings.ReplaceAll(text, name, value)
	}
	return regexp.MustCompile(`<words \d+>`).ReplaceAllStringFunc(text, func(name string) string {
		var count int
		_, _ = fmt.Sscanf(name, "<words %d>", &count)
		return wordsOf(count)
	})
}

// wordsOf is a text of so many words.
func wordsOf(n int) string { return strings.TrimSuffix(strings.Repeat("lorem ", n), " ") }
