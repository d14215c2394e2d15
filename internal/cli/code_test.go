package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestErrorCode: each error has a code for programs: its own one, or one that tells wrong usage from a failure.
func TestErrorCode(t *testing.T) {
	t.Parallel()
	own := fault.New(fault.Invalid, "damaged_backup", "The backup is damaged.")
	for _, c := range []struct {
		err  error
		want string
	}{
		{usageError{errors.New("say what to forget")}, "usage"},
		{usageError{own}, "damaged_backup"},
		{own, "damaged_backup"},
		{errors.New("the disk is gone"), "failed"},
	} {
		a := &app{json: true}
		var out bytes.Buffer
		a.explainTo(&out, c.err)
		var got struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Error.Code != c.want || got.Error.Message == "" {
			t.Errorf("%v: got %s (%v), want the code %s", c.err, out.Bytes(), err, c.want)
		}
	}
}
