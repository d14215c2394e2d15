package httpapi

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestWriteLarge: what is written in pieces has the bytes it has when it is written
// whole, wherever the pieces end and whatever the texts pretend to be.
func TestWriteLarge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aé名🦊\\\"<\n", pieceSize/8)
	for name, ms := range map[string][]session.Message{
		"none":           {},
		"nothing said":   {{Role: session.Assistant, ToolCalls: json.RawMessage(`[{"content":"no"}]`)}},
		"several":        {{Content: long}, {Content: "short"}, {Content: long[1:]}},
		"no UTF-8":       {{Content: strings.Repeat("\x80", pieceSize+9)}, {Content: long + "\xf0\x9f\xa6"}},
		"a name like it": {{Name: `"content":"`, Content: `"data":[` + long, SaidAt: time.Unix(1, 0).UTC()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := messageList{Object: "list", SessionID: `"data":[`, Data: []messageJSON{}}
			got, want := httptest.NewRecorder(), httptest.NewRecorder()
			if err := writeLarge(got, list, ms); err != nil {
				t.Fatal(err)
			}
			for i := range ms {
				list.Data = append(list.Data, messageOf(&ms[i]))
			}
			if err := writeJSON(want, 200, list); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Body.String(), got.Body.String()); diff != "" {
				t.Errorf("(-want +got):\n%.400s", diff)
			}
		})
	}
}
