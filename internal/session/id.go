package session

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
)

// ID names a session: any text of 1–256 characters without control characters.
// It is data. It never becomes a path, SQL text or a metric label.
type ID string

// Key names a scope of long-term memory. It stays the same while session ids rotate.
// The rules of [ID] apply. The empty Key means that none was sent.
type Key string

// maxIDLength is the longest id or key, in characters.
const maxIDLength = 256

// ParseID checks a client's session id.
// It returns an Invalid fault with code "invalid_session_id".
func ParseID(s string) (ID, error) {
	if problem := checkName(s); problem != "" {
		return "", fault.New(fault.Invalid, "invalid_session_id",
			"Invalid session id: "+problem+". Use 1–256 characters of UTF-8 without control characters.").At("session_id")
	}
	return ID(s), nil
}

// ParseKey checks a client's session key.
// It returns an Invalid fault with code "invalid_session_key".
func ParseKey(s string) (Key, error) {
	if problem := checkName(s); problem != "" {
		return "", fault.New(fault.Invalid, "invalid_session_key",
			"Invalid session key: "+problem+". Use 1–256 characters of UTF-8 without control characters.").At("session_key")
	}
	return Key(s), nil
}

// checkName returns what is wrong with a name; "" if it is valid.
func checkName(s string) string {
	if s == "" {
		return "it is empty"
	}
	if !utf8.ValidString(s) {
		return "it is not valid UTF-8"
	}
	if n := utf8.RuneCountInString(s); n > maxIDLength {
		return "it is longer than 256 characters"
	}
	if strings.TrimFunc(s, isBlank) == "" {
		return "it has no visible character"
	}
	for _, r := range s {
		// C0 and C1 controls, DEL, and the line and paragraph separators, at which some
		// log viewers break lines.
		if r < 0x20 || (r >= 0x7f && r <= 0x9f) || r == '\u2028' || r == '\u2029' {
			return "it holds a control character"
		}
	}
	return ""
}

// isBlank reports whether a rune shows nothing: white space, or a character without width.
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// NewID makes an id of the documented form YYYYMMDD_HHMMSS_<8 hex>. The hex part is
// random, with 2³² values per second; the primary key rejects a duplicate.
func NewID(now time.Time) ID {
	var b [4]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails since Go 1.24
	return ID(now.UTC().Format("20060102_150405_") + hex.EncodeToString(b[:]))
}
