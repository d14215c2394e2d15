package cli

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// awaiting is how a program waits for a home that another one has open.
type awaiting struct {
	most time.Duration
	// waits is told once that the home is waited for; nil tells nobody.
	waits func(err error)
	// vain reports whether waiting is useless; nil says that it never is.
	vain func() bool
}

// look is the interval between two tries.
const look = 50 * time.Millisecond

// open tries to open a home until it is free. Its error is that of the last try, which names the
// process that has the home.
func (w awaiting) open(ctx context.Context, try func() error) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	end, told := time.Now().Add(w.most), w.waits == nil
	for {
		err := try()
		if fault.CodeOf(err) != "database_in_use" || time.Now().After(end) || w.vain != nil && w.vain() {
			return err
		}
		if !told {
			w.waits(err)
			told = true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// homePatience is how long a server or a command waits for its home. A command has it open for a
// moment, and so has a server while it ends.
const homePatience = 10 * time.Second

// assembleSoon is assemble, for a home that another program may have open for a moment. It does
// not wait for a server that answers.
func assembleSoon(ctx context.Context, parts assembly) (*server, error) {
	var s *server
	err := awaiting{
		most: homePatience,
		waits: func(err error) {
			parts.log.Info("another program has the home open, which is waited for", "most", homePatience, "reason", fault.MessageOf(err))
		},
		vain: func() bool { return served(ctx, parts.cfg) },
	}.open(ctx, func() (err error) {
		s, err = assemble(ctx, parts)
		return err
	})
	return s, err
}
