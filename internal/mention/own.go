package mention

import "slices"

// Format are the words of a file's own format, such as those of a schema. They name
// nothing that was said, and they stay whatever is forgotten: "metadata" is not a trace
// of "Ada".
//
// A file may also keep several values side by side, which together look like a name.
type Format struct {
	words []ownWord
	apart func(from, to int64) bool // nil for a file of one value
}

// With returns the format with a function that reports whether the bytes of a stream from one
// offset up to another one belong to several values. The function need not be right for bytes
// that belong to none.
func (f Format) With(apart func(from, to int64) bool) Format {
	f.apart = apart
	return f
}

// WithNames returns the format with ids and session keys that have the thing's name in them, and do not name the thing.
// They stand in the file as long as their sessions do.
func (f Format) WithNames(t *Thing, ids []string) Format {
	f.words = slices.Clone(f.words)
	for _, id := range ids {
		for _, s := range t.Spans(id) {
			f.words = append(f.words, ownWord{id, s.Start})
		}
	}
	return f
}

// ownWord is a word of a format that has the thing's name in it.
type ownWord struct {
	text string
	at   int // where the name begins
}

// FormatOf are those words of a schema and of the protocols that have the thing's name in
// them.
func (t *Thing) FormatOf(schema string) Format {
	own := schema + "\n" + protocolMarks + "\n" + protocolNames
	var f Format
	for _, s := range t.Spans(own) {
		start, end := s.Start, s.End
		for start > 0 && isIdentifier(own[start-1]) {
			start--
		}
		for end < len(own) && isIdentifier(own[end]) {
			end++
		}
		if w := (ownWord{own[start:end], s.Start - start}); !slices.Contains(f.words, w) {
			f.words = append(f.words, w)
		}
	}
	return f
}

func isIdentifier(c byte) bool { return c == '_' || isAlphanumeric(c) }

// has reports whether a mention is a part of a word of the format.
func (f *Format) has(text []byte, s Span) bool {
	return slices.ContainsFunc(f.words, func(w ownWord) bool {
		start := s.Start - w.at
		return start >= 0 && start+len(w.text) <= len(text) && string(text[start:start+len(w.text)]) == w.text
	})
}
