package recall

import (
	"strings"
	"testing"
)

func TestSecondPerson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"I'm building a distributed cache in Rust.", "you're building a distributed cache in Rust"},
		{"My name is Alex", "your name is Alex"},
		{"I am tired", "you are tired"},
		{"I was born in Oslo but grew up in Bergen", "you were born in Oslo but grew up in Bergen"},
		{"I wasn't there", "you weren't there"},
		{"We're on Kafka 3.7", "you're on Kafka 3.7"},
		{"We use our own fork", "you use your own fork"},
		{"Our deadline is 14 March", "your deadline is 14 March"},
		{"I live in Lisbon and I work as a nurse", "you live in Lisbon and you work as a nurse"},
		{"I like it, but I'm not sure", "you like it, but you're not sure"},
		{"I’ll call my brother", "you’ll call your brother"},
		{"I've moved", "you've moved"},
		// Not certain, so quoted as they are.
		{"I'd like you to call me Lex", ""},
		{"My brother gave me a book", ""},
		{"I was late and was fined", ""},
		{"I think I was late", ""},
		{"I left because I was tired", ""},
		{"We ship to the US", ""},
		{"I said \"no\" to it", ""},
		{"I", ""},
		{"The limit is 512 MB", ""},
		{"Removed Redis", ""},
		{"", ""},
	} {
		got, ok := secondPerson(tt.in)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q, %v, want %q", tt.in, got, ok, tt.want)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	long := ""
	for range 200 {
		long += "wörter und "
	}
	for at := 0; at < len(long); at += 7 {
		part, whole := clip(long, at)
		if whole || len(part) > maxQuoted || part == "" || !strings.Contains(long, part) {
			t.Fatalf("at %d: got %q, %v", at, part, whole)
		}
	}
	if part, whole := clip("short", 99); part != "short" || !whole {
		t.Errorf("short: got %q, %v", part, whole)
	}
}
