package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/mention"
)

// TestForgetAChat: who forgets the id of a chat is told before and after that its jobs go, that it is no home any more, and that
// its conversation goes on elsewhere.
func TestForgetAChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := func(text string) string {
			h.receive(h.dm(ada, text))
			h.settled()
			all := h.wire.said()
			return all[len(all)-1]
		}
		say("My dog is called Rex.")
		say("/home")
		j := job.Job{
			ID: "job_0123456789abcdef", Name: "news", Prompt: "What is new?", Session: "job:news", Deliver: "telegram:" + ada,
			Schedule: "@daily", Timezone: "UTC", CatchUp: job.CatchUpOnce, Timeout: time.Minute, State: job.Paused, Anchor: time.Now(),
			CreatedAt: time.Now(), UpdatedAt: time.Now(),
		}
		if err := h.db.CreateJob(t.Context(), h.bot.Owner, j, 10); err != nil {
			t.Fatal(err)
		}
		if got := say("/forget Rex"); strings.Contains(got, "With it") {
			t.Errorf("a dog: asked with %q", got)
		}
		const whole = "1 job, the home chat of telegram, the link of 1 chat to the conversation there."
		if got := say("/forget " + ada); !strings.Contains(got, "With it go: "+whole) {
			t.Errorf("asked with %q", got)
		}
		if got := say("/forget " + ada + " --yes"); !strings.Contains(got, "With it went: "+whole) {
			t.Errorf("proved with %q", got)
		}
	})
}

// TestToldOfTheChat: what a model is told about its chat with each turn is no mention of the platform, in rows and in files.
func TestToldOfTheChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
		defer h.end()
		h.receive(h.dm(ada, "My dog is called Rex."), h.group(ada, "Ada", "My cat is called Tom.", true))
		h.settled()
		for _, word := range []string{"telegram", "private", "Markdown", "SILENT", "square brackets", "chat on"} {
			rows, err := h.db.Mentions(t.Context(), h.bot.Owner, mention.Of(word))
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range rows {
				if one.Hits > 0 {
					t.Errorf("%s: %d mentions in %s", word, one.Hits, one.File)
				}
			}
		}
	})
}
