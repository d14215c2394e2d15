package postgres

import (
	"database/sql"
	"encoding/hex"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hermes-memory/hermes/internal/bound"
)

// PostgreSQL's texts are valid UTF-8 without the zero character. Texts of clients may be
// anything, so what a text must not have is stored behind an escape character, which no
// text has otherwise.
const escape = '\x01'

// storable is a text in stored form. Nearly all texts are their own stored form.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 && strings.IndexByte(text, escape) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 || r == 0 || r == escape {
			b.WriteByte(escape)
			b.WriteString(hex.EncodeToString([]byte{text[i]}))
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// original is the text of a stored form. A damaged escape stays as it is.
func original(stored string) string {
	at := strings.IndexByte(stored, escape)
	if at < 0 {
		return stored
	}
	var b strings.Builder
	for at >= 0 {
		b.WriteString(stored[:at])
		stored = stored[at:]
		if one, err := hex.DecodeString(stored[1:min(3, len(stored))]); err == nil && len(one) == 1 {
			b.WriteByte(one[0])
			stored = stored[3:]
		} else {
			b.WriteByte(escape)
			stored = stored[1:]
		}
		at = strings.IndexByte(stored, escape)
	}
	b.WriteString(stored)
	return b.String()
}

// storedArgs are arguments of a statement with their texts in stored form.
func storedArgs(args []any) []any {
	out := make([]any, len(args)) // the caller may use its own again
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, int, int64, bool, []byte:
			out[i] = arg
		case string:
			out[i] = storable(v)
		case *string:
			if v != nil {
				out[i] = storable(*v)
			}
		case []string:
			out[i] = storables(v)
		default:
			out[i] = arg
			if r := reflect.ValueOf(arg); r.Kind() == reflect.String {
				out[i] = storable(r.String())
			}
		}
	}
	return out
}

func storables(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = storable(text)
	}
	return out
}

// restore turns a scanned value into the original, if it was a text. oid is the type of
// the column.
func restore(dest any, oid uint32) {
	if oid != pgtype.TextOID {
		return
	}
	switch d := dest.(type) {
	case *string:
		*d = original(*d)
	case *sql.NullString:
		d.String = original(d.String)
	case *[]byte:
		if *d != nil {
			*d = []byte(original(string(*d)))
		}
	case *any:
		if text, ok := (*d).(string); ok {
			*d = original(text)
		}
	default:
		if v := reflect.ValueOf(dest).Elem(); v.Kind() == reflect.String {
			v.SetString(original(v.String()))
		}
	}
}

// millis and its inverse convert times between Go and SQL: the zero time is null.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return bound.Millis(t)
}

func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return bound.FromMillis(n.Int64)
}

// null converts an empty text to null.
func null[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// nullBytes converts empty JSON to null, and other JSON to text.
func nullBytes(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return string(b)
}
