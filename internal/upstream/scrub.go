package upstream

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scrubber removes the key and the address of the upstream from texts of the upstream.
type scrubber struct {
	key  string
	host string // with port
	name string // without
}

func newScrubber(key Secret, base *url.URL) scrubber {
	s := scrubber{key: key.Reveal()}
	if base != nil {
		s.host, s.name = base.Host, base.Hostname()
	}
	return s
}

// maxMessage bounds the upstream's text that is passed on, in bytes.
const maxMessage = 2000

// message makes an upstream's text safe to show to a caller. A word is replaced whole
// if it holds the upstream's address, the key, or a part of the key as servers quote it
// ("sk-ab***yz").
func (s scrubber) message(text string) string {
	text = strings.Map(printable, strings.ToValidUTF8(text, "\uFFFD"))
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, redacted)
	}
	var out strings.Builder
	for len(text) > 0 && out.Len() < maxMessage {
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			out.WriteString(s.word(text[:end]))
			text = text[end:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		out.WriteByte(' ')
		text = text[size:]
	}
	shown := strings.TrimSpace(out.String())
	if len(shown) > maxMessage {
		shown = strings.ToValidUTF8(shown[:maxMessage], "") + "…"
	}
	return shown
}

func (s scrubber) word(w string) string {
	const telling = 6 // characters of a key that may not be repeated
	switch {
	case strings.Contains(w, "sk-"), strings.Contains(w, "***"):
		return redacted
	case len(s.key) > telling && strings.Contains(w, s.key[:telling]):
		return redacted
	case s.host != "" && strings.Contains(w, s.host), strings.Contains(s.name, ".") && strings.Contains(w, s.name):
		return "[upstream]"
	}
	return w
}

// printable drops control characters and keeps space. Message drops them before it looks
// for the key, because a key is a key again without the control characters in its middle.
func printable(r rune) rune {
	if unicode.IsControl(r) && !unicode.IsSpace(r) {
		return -1
	}
	return r
}

// cause is err for the log, with the key replaced if the text holds it.
func (s scrubber) cause(err error) error {
	if err == nil || s.key == "" || !strings.Contains(err.Error(), s.key) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), s.key, redacted))
}
