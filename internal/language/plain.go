package language

// Plain reports whether a text stands between quotation marks as it is, in Go, in
// JSON and for people: printable ASCII without a quotation mark or a backslash.
func Plain(text string) bool { return PlainPrefix(text) == len(text) }

// PlainPrefix is how many bytes at the beginning of a text are plain. Most of what
// is said is; eight bytes are looked at together.
func PlainPrefix(text string) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		eight := text[n : n+8]
		x := uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
			uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
		mark, slash, del := x^('"'*ones), x^('\\'*ones), x^(0x7f*ones)
		odd := x | // not ASCII
			(x-' '*ones)&^x | // a control character
			(mark-ones)&^mark | (slash-ones)&^slash | (del-ones)&^del // one of these
		if odd&highs != 0 {
			break
		}
	}
	for ; n < len(text); n++ {
		if c := text[n]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			break
		}
	}
	return n
}
