package upstream

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that must not be shown by accident. Every way of printing it gives
// "[redacted]"; only [Secret.Reveal] returns it.
type Secret string

const redacted = "[redacted]"

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the text.
func (s Secret) String() string { return redacted }

// GoString hides the text from %#v.
func (s Secret) GoString() string { return redacted }

// Format hides the text from every verb, %x and %d included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText hides the text from JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue hides the text from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
