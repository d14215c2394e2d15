package config

import "testing"

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "1B": 1, "1KiB": 1 << 10, "64MiB": 64 << 20, "64 MiB": 64 << 20, "3GiB": 3 << 30, "1TiB": 1 << 40,
		"8388607TiB": 8388607 << 40, "1025": 1025,
	} {
		got, ok := parseSize(text)
		if !ok || got != want {
			t.Errorf("%q: got %d %v, want %d", text, got, ok, want)
		}
		if again, ok := parseSize(sizeText(got)); !ok || again != want {
			t.Errorf("%q: written as %q, which is %d", text, sizeText(got), again)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "-1MiB", "1.5GiB", "64MB", "64M", "8388608TiB", "lots", "1 MiB MiB"} {
		if got, ok := parseSize(text); ok {
			t.Errorf("%q: got %d, want a refusal", text, got)
		}
	}
	if got := sizeText(64 << 20); got != "64MiB" {
		t.Errorf("got %q, want 64MiB", got)
	}
}

// FuzzSize reads sizes. One that is understood is the same when it is written and read again.
func FuzzSize(f *testing.F) {
	f.Add("64MiB")
	f.Add("9223372036854775807")
	f.Add("8388608TiB")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseSize(text)
		if !ok {
			return
		}
		if again, ok := parseSize(sizeText(n)); n < 0 || !ok || again != n {
			t.Errorf("%q is %d, written as %q, which is %d", text, n, sizeText(n), again)
		}
	})
}
