package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/trail"
)

// auditEntry is an entry of the API.
type auditEntry struct {
	Seq        int64     `json:"seq"`
	At         time.Time `json:"at"`
	Actor      string    `json:"actor"`
	Action     string    `json:"action"`
	TargetKind string    `json:"target_kind"`
	Target     string    `json:"target"`
	RequestID  string    `json:"request_id"`
	Outcome    string    `json:"outcome"`
	Detail     string    `json:"detail"`
	Hash       string    `json:"hash"`
}

// auditFlags select entries.
type auditFlags struct {
	since, until, action, actor, session string
	limit                                int
	verify                               bool
}

func (a *app) auditCommand() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit",
		Short: "Show who did what",
		Long: `Show who did what, newest first: keys, deletions, changes of memory and jobs,
tools that models called, starts of the server. It holds no content; sessions
stand there as hashes, and --session finds one by its id.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.verify {
				return a.withClient(c, func(cl *client) error { return a.verifyAudit(c.Context(), cl) })
			}
			return showRows(a, c, "/api/audit?"+f.query(time.Now()).Encode(), "Nothing of this is on record.", a.printAudit)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.since, "since", "", "from then on: a day, such as 2026-11-21, an RFC 3339 time, or how long ago, such as 24h")
	fl.StringVar(&f.until, "until", "", "up to then: likewise; a day counts whole")
	fl.StringVar(&f.action, "action", "", "an action such as job.delete, or a family of them such as job")
	fl.StringVar(&f.actor, "actor", "", "who did it, such as key:laptop or terminal")
	fl.StringVar(&f.session, "session", "", "the id of a session")
	fl.IntVar(&f.limit, "limit", 50, "how many at most (1-200)")
	fl.BoolVar(&f.verify, "verify", false, "check whether an entry was changed or taken out")
	return c
}

// query is the query of the API for the flags.
func (f *auditFlags) query(now time.Time) url.Values {
	q := url.Values{"limit": {strconv.Itoa(f.limit)}}
	for name, text := range map[string]string{"since": f.since, "until": f.until} {
		if ago, err := time.ParseDuration(text); err == nil {
			text = now.Add(-ago).UTC().Format(time.RFC3339)
		}
		if text != "" {
			q.Set(name, text)
		}
	}
	for name, text := range map[string]string{"action": f.action, "actor": f.actor, "session_id": f.session} {
		if text != "" {
			q.Set(name, text)
		}
	}
	return q
}

func (a *app) printAudit(entries []auditEntry) error {
	rows := [][]string{{"#", "At", "Actor", "Action", "Target", "Outcome", "Detail", "Request"}}
	for i := range entries {
		e := &entries[i]
		rows = append(rows, []string{
			strconv.FormatInt(e.Seq, 10), e.At.Local().Format("2006-01-02 15:04:05"),
			cmp.Or(e.Actor, "-"), e.Action, cmp.Or(e.Target, "-"), e.Outcome, cmp.Or(e.Detail, "-"), cmp.Or(e.RequestID, "-"),
		})
	}
	return a.table(rows)
}

// verifyAudit fails if the chain is broken.
func (a *app) verifyAudit(ctx context.Context, cl *client) error {
	var v struct {
		Intact   bool   `json:"intact"`
		Entries  int    `json:"entries"`
		First    int64  `json:"first_seq"`
		Last     int64  `json:"last_seq"`
		LastHash string `json:"last_hash"`
		BrokenAt *int64 `json:"broken_at"`
	}
	if err := cl.call(ctx, http.MethodGet, "/api/audit/verify", nil, &v); err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(v); err != nil {
			return err
		}
	}
	if v.BrokenAt != nil {
		return fault.New(fault.Conflict, "audit_broken", fmt.Sprintf("Entry %d does not follow the one before: one was changed or taken out.", *v.BrokenAt))
	}
	if !a.json {
		a.say("Intact: %d entries, %d to %d. The newest has the hash %s; note it down to see later that nothing was cut off.",
			v.Entries, v.First, v.Last, cmp.Or(v.LastHash, "-"))
	}
	return nil
}

// recordStart records the start of the server in the audit, with its authentication
// settings.
func (s *server) recordStart(ctx context.Context, at *listening) {
	ctx = trail.With(ctx, trail.Trail{Actor: trail.Server})
	_, note := audit.With(ctx, owner.Local(), s.now, "server.start", "", "")
	note.Detail(fmt.Sprintf("version=%s public=%t no_auth=%t configured_keys=%d", Version(), at.public, s.cfg.Server.NoAuth,
		len(s.cfg.Server.Keys)))
	if err := note.Close(context.WithoutCancel(ctx), s.db, ""); err != nil {
		s.log.Warn("the audit could not be written", "action", "server.start", "err", err)
	}
}
