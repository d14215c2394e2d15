package live

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventsOf(t *testing.T) {
	t.Parallel()
	delta := func(p Piece) entry { return entry{event: &Event{Type: MessageDelta}, piece: &p} }
	call := []CallPart{{ID: "c", Name: "f"}}
	for _, tt := range []struct {
		name  string
		batch []entry
		want  []string
	}{
		{"texts become one", []entry{delta(Piece{Content: "a"}), delta(Piece{Content: "b"})}, []string{`{"content":"ab"}`}},
		{"thinking is no text", []entry{delta(Piece{Reasoning: "hm"}), delta(Piece{Reasoning: "!"}), delta(Piece{Content: "b"})}, []string{`{"reasoning":"hm!"}`, `{"content":"b"}`}},
		{"calls stay apart", []entry{delta(Piece{Content: "a"}), delta(Piece{ToolCalls: call}), delta(Piece{ToolCalls: call})}, []string{
			`{"content":"a"}`, `{"tool_calls":[{"index":0,"id":"c","name":"f"}]}`, `{"tool_calls":[{"index":0,"id":"c","name":"f"}]}`,
		}},
		{"events between texts", []entry{delta(Piece{Content: "a"}), {event: &Event{Type: ToolStarted, Data: []byte(`{}`)}}, {record: &Run{}}, delta(Piece{Content: "b"})}, []string{
			`{"content":"a"}`, `{}`, `{"content":"b"}`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, e := range eventsOf(tt.batch) {
				got = append(got, string(e.Data))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// TestScribeFails: after a failure nothing more is stored, every waiting sender gets the
// error, and none blocks.
func TestScribeFails(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	stored, told := 0, 0
	s := newScribe(0, func([]Event, *Run) error { stored++; return full }, func(error) { told++ })
	go s.run()
	for range 3 {
		done := make(chan error, 1)
		s.in <- entry{record: &Run{}, done: done}
		if err := <-done; !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
	}
	for range 3 * maxEntries {
		s.put(&Event{Type: ToolStarted}, nil)
	}
	s.close()
	if stored != 1 || told != 1 {
		t.Errorf("got %d tries, told %d times, want one each", stored, told)
	}
}

// TestPatience: entries that nobody waits for share a transaction while they have patience. One
// that somebody waits for is stored at once, with those before it.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		s := newScribe(time.Second, func(events []Event, _ *Run) error { sizes = append(sizes, len(events)); return nil }, nil)
		go s.run()
		tell := func(after time.Duration) {
			<-time.After(after)
			s.put(&Event{Type: ToolStarted}, nil)
		}
		tell(0)
		tell(900 * time.Millisecond)
		tell(200 * time.Millisecond) // late for the first two
		done := make(chan error, 1)
		s.in <- entry{event: &Event{Type: ToolStarted}, done: done}
		if err := <-done; err != nil {
			t.Error(err)
		}
		tell(0)
		s.close()
		if diff := cmp.Diff([]int{2, 2, 1}, sizes); diff != "" {
			t.Errorf("events in a transaction (-want +got):\n%s", diff)
		}
	})
}
