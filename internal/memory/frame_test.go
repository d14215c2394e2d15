package memory

import (
	"strings"
	"testing"
)

// TestFrames reads the example of every frame, and finds the slot that its row names.
func TestFrames(t *testing.T) {
	t.Parallel()
	frames, rows := theFrames(), 0
	for line := range strings.Lines(frameRows) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			rows++
		}
	}
	if len(frames) != rows {
		t.Errorf("got %d frames of %d rows", len(frames), rows)
	}
	for i := range frames {
		f := &frames[i]
		x := newDistiller(messageOf(said(f.example)), nil)
		x.readSentences()
		if len(x.sentences) != 1 {
			t.Fatalf("%q: got %d sentences", f.example, len(x.sentences))
		}
		r := &x.sentences[0]
		x.judge(r)
		s := r.slot(x.speaker)
		if got := s.subject + " " + s.attribute + " = " + s.value; got != f.want {
			t.Errorf("%q: got %q, want %q", f.example, got, f.want)
		}
		if m := (fit{r: r, speaker: x.speaker, parts: f.parts}); !m.match(0, r.from) {
			t.Errorf("%q: the frame of its row does not fit", f.example)
		}
		checkParts(t, f)
	}
}

// TestReasons reads the example of every row of reasons.
func TestReasons(t *testing.T) {
	t.Parallel()
	rows := theReasons()
	for i := range rows {
		f := &rows[i]
		x := newDistiller(messageOf(said(f.example)), nil)
		x.readSentences()
		last := len(x.sentences) - 1
		if got := x.reasonOf(last); got != f.want {
			t.Errorf("%q: got reason %q, want %q", f.example, got, f.want)
		}
		if m := (fit{r: &x.sentences[last], parts: f.parts}); true {
			r := &x.sentences[last]
			r.from, r.to = r.lead, r.stop
			if !m.match(0, r.lead) {
				t.Errorf("%q: its row does not fit", f.example)
			}
		}
		checkParts(t, f)
	}
	if len(rows) < 20 {
		t.Errorf("got %d rows", len(rows))
	}
}

// checkParts checks that the parts of a row are known.
func checkParts(t *testing.T, f *frame) {
	t.Helper()
	{
		for _, p := range f.parts {
			if p.sort == partWords && strings.ContainsAny(p.words[0], "[]{}<>*") || (p.sort == partGap || p.sort == partFarGap) && p.most == 0 {
				t.Errorf("%q: a part of its frame is unknown: %v", f.example, p)
			}
		}
	}
}
