package provider

import (
	"context"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Check is the outcome of a step of a test of the provider.
type Check struct {
	// Step is what was tried: tell, recall or forget.
	Step string
	Took time.Duration
	// Problem says what went wrong; "" for nothing.
	Problem string
	// Pending says what the provider has not shown yet, although nothing went wrong; "" for nothing.
	Pending string
}

// How a test of the provider goes.
const (
	testPlace = "hermes-test" // the session of tests
	testPause = time.Second   // between two tries of a step
	testTries = 6             // of a step
)

// What a test says of a provider that answers without a failure.
const (
	textNotFound  = "The line was not found yet. Some providers need minutes until they find what they were told; one that stores nothing never finds it."
	textNotGone   = "The provider has not deleted the line: "
	textPlace     = " The line is in the place "
	textMayAppear = "The provider may still be storing the line, and have it after that."
)

// trial is a line that is told for a test, in a place of its own.
type trial struct {
	*Manager
	place run.Place
	word  string // which only the line has
	told  bool
	found bool
}

// Test tells the provider a line in a place of its own, asks for it, and lets it forget the
// place. What takes a provider a moment is tried again for a few seconds.
func (m *Manager) Test(ctx context.Context, o owner.Owner) ([]Check, error) {
	if err := m.on(o); err != nil {
		return nil, err
	}
	name := testPlace + "-" + Digest(m.Now().String(), 8)
	t := &trial{Manager: m, place: m.place(o, name, name), word: Digest("the word of "+name, 8)}
	t.place.User = userPeer + name // never a pinned peer: the line is no fact about anybody
	return []Check{t.check(ctx, "tell", t.tell), t.check(ctx, "recall", t.recall), t.check(ctx, "forget", t.forget)}, nil
}

// check carries a step out.
func (t *trial) check(ctx context.Context, name string, do func(context.Context, *Check) error) Check {
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	began := time.Now()
	c := Check{Step: name}
	if err := do(ctx, &c); err != nil {
		c.Problem = fault.MessageOf(err)
		t.Log.WarnContext(ctx, "the test of the memory provider failed", "step", name, "err", err)
	}
	c.Took = time.Since(began)
	return c
}

// again tries until nothing is open any more, and returns what is.
func (t *trial) again(ctx context.Context, try func() (open string, err error)) (string, error) {
	tick := time.NewTicker(testPause)
	defer tick.Stop()
	last := ""
	for n := 1; ; n++ {
		open, err := try()
		switch {
		case err != nil && last != "" && ctx.Err() != nil: // the time is over
			return last, nil
		case err != nil || open == "" || n == testTries:
			return open, err
		}
		last = open
		select {
		case <-tick.C:
		case <-ctx.Done():
			return last, nil
		}
	}
}

func (t *trial) tell(ctx context.Context, _ *Check) error {
	text := "This is a test of the connection. Its word is " + t.word + ". It is deleted at once."
	err := t.Provider.Told(ctx, t.place, []run.Said{{ID: 1, Role: session.User, Text: text, At: t.moment()}})
	t.told = err == nil
	return err
}

// recall asks for the line. That it is found is no condition: a provider may store it later, or conclude nothing from it.
func (t *trial) recall(ctx context.Context, c *Check) (err error) {
	c.Pending, err = t.again(ctx, func() (string, error) {
		text, err := t.Provider.Recall(ctx, t.place, "What is the word of the test?", 100)
		t.found = strings.Contains(text, t.word)
		if err != nil || t.found || !t.told {
			return "", err
		}
		return textNotFound, nil
	})
	if err == nil {
		t.Manager.recall.succeeded()
	}
	return err
}

// forget lets the provider forget the line. What it says is left is a failure, because nothing asks it again.
func (t *trial) forget(ctx context.Context, c *Check) error {
	left, err := t.again(ctx, func() (string, error) {
		passed, err := t.Provider.Forget(ctx, t.place, nil)
		return passed.Left, err
	})
	switch {
	case err != nil:
		return err
	case left != "":
		c.Problem = textNotGone + sentence(left) + textPlace + t.place.Session + "."
	case t.told && !t.found && t.lately.within > 0:
		c.Pending = textMayAppear + textPlace + t.place.Session + "."
	}
	return nil
}

// sentence is a text that ends as a sentence does.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
