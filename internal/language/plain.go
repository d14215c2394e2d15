package language

// Plain reports whether a text stands between quotation marks as it is, in Go, in
// JSON and for people: printable ASCII without a quotation mark or a backslash.
// Most of what is said is; eight bytes are looked at together.
func Plain(text string) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for ; len(text) >= 8; text = text[8:] {
		x := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		mark, slash, del := x^('"'*ones), x^('\\'*ones), x^(0x7f*ones)
		odd := x | // not ASCII
			(x-' '*ones)&^x | // a control character
			(mark-ones)&^mark | (slash-ones)&^slash | (del-ones)&^del // one of these
		if odd&highs != 0 {
			return false
		}
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
