package memory

import (
	"strings"
	"testing"
)

// TestDistillNote reads the heading of a note for what it is.
func TestDistillNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, because string }{
		{"fix: retry uploads 3 times with backoff, S3 returned 503 during deploys", "S3 returned 503 during deploys"},
		{"Commit: bump Node from 18 to 22, fixes memory leak in the socket layer", "fixes memory leak in the socket layer"},
		{"Commit: dropped Sentry, cost 900 euros a month and nobody read the alerts", "cost 900 euros a month and nobody read the alerts"},
		{"chore: bump the driver to 42.7.4, closes CVE-2024-1597", "closes CVE-2024-1597"},
		{"Gave tRPC a go in Q2, rolled it back in Q3 over type-inference slowdowns.", "type-inference slowdowns"},
		{"I'd rather have tests in the same folder as the code.", ""},
		{"We've given up on micro-frontends because bundles were duplicated.", "bundles were duplicated"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, f := range Distill(said(c.text), nil) {
				if got == "" {
					got = f.Because
				}
			}
			if got != c.because {
				t.Errorf("got reason %q, want %q", got, c.because)
			}
		})
	}
}

// TestDistillCorrection keeps what replaces a statement that was just taken back.
func TestDistillCorrection(t *testing.T) {
	t.Parallel()
	conv, _ := talk("Our mascot is a heron. No wait, that's wrong, it's a kingfisher.")
	var current []string
	for f := range conv.state.Facts() {
		if f.Kind.Asserted() && f.Current() {
			current = append(current, f.Statement)
		}
	}
	if got := strings.Join(current, "|"); got != "it's a kingfisher" {
		t.Errorf("got %q", got)
	}
}

// TestDistillPassing takes no decision from words that only move the talk on.
func TestDistillPassing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Let's play a quick word game, you start.", "Let's move on to the next section.", "Anyway, back to work.",
		"Let's use the second one.",
	} {
		for _, f := range Distill(said(text), nil) {
			if f.Kind.Asserted() {
				t.Errorf("%q: got %s", text, f.Kind)
			}
		}
	}
}
