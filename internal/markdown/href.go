package markdown

import (
	"fmt"
	"strings"
)

const (
	maxHref      = 2048 // in bytes; the platforms take no longer address
	maxShownHref = 200  // in bytes, of an address that is shown as text
)

// safeHref is the address of a link, if it may be one: http, https or mailto. Characters that
// could end it in some dialect, or that nobody sees, are percent-encoded.
func safeHref(destination string) (string, bool) {
	destination = strings.TrimSpace(destination)
	if len(destination) > maxHref || !linkable(destination) {
		return "", false
	}
	var b strings.Builder
	for _, r := range destination {
		if encoded(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String(), b.Len() <= 3*maxHref
}

// linkable reports whether an address has a scheme that links may have, and what it needs.
func linkable(destination string) bool {
	scheme, rest, _ := strings.Cut(destination, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		host, ok := strings.CutPrefix(rest, "//")
		return ok && strings.Trim(host, "/?# ") != ""
	case "mailto":
		return rest != ""
	}
	return false
}

// encoded reports whether a character of an address is percent-encoded.
func encoded(r rune) bool {
	return r <= ' ' || r == '\ufffd' || Doubtful(r) || strings.ContainsRune("<>\"`|\\{}^", r)
}
