package gatewaytest

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

func refusalCases() []contractCase {
	return []contractCase{
		{"reasons of a message that is not sent", testReasons},
		{"an edit fails as sending does", testEditReasons},
		{"an edit of a message that is not there", testEditMissing},
		{"a refused token ends the adapter", testBadToken},
		{"a page instead of an answer", testPages},
	}
}

// refusals are the reasons that each fault may have.
func refusals() map[Fault][]gateway.SendReason {
	return map[Fault][]gateway.SendReason{
		Wait:     {gateway.Limited},
		BadText:  {gateway.Malformed},
		GoneChat: {gateway.Gone},
		Refusal:  {gateway.Refused},
		// A page comes from a proxy, which may have passed the request on.
		Page:        {gateway.Temporary, gateway.Unknown},
		Unreachable: {gateway.Temporary},
		// Only the fake knows that it has taken nothing.
		CutBefore: {gateway.Temporary, gateway.Unknown},
		CutAfter:  {gateway.Unknown},
	}
}

func testReasons(t *testing.T, b *bench) {
	b.start(t)
	o := b.question(t, 1, "an answer")
	want := 0
	for fault, reasons := range refusals() {
		if slices.Contains(b.Lacks, fault) {
			continue
		}
		b.Fault(fault)
		_, err := b.adapter.Send(t.Context(), o)
		b.Fault(Healthy)
		failed := b.reason(t, err)
		if !slices.Contains(reasons, failed.Reason) {
			t.Errorf("fault %d: got reason %d (%v), want one of %d", fault, failed.Reason, err, reasons)
		}
		if fault == Wait && failed.After != WaitTime*time.Second {
			t.Errorf("got a wait of %s, want %d s", failed.After, WaitTime)
		}
		if fault == CutAfter {
			want++
		}
		if got := len(b.Sent()); got != want {
			t.Errorf("fault %d: the platform has %d messages, want %d", fault, got, want)
		}
	}
	if _, err := b.adapter.Send(t.Context(), o); err != nil {
		t.Errorf("the platform is healthy again: %v", err)
	}
}

func testEditReasons(t *testing.T, b *bench) {
	b.start(t)
	if b.adapter.Limits().Edit == 0 {
		return
	}
	o := b.question(t, 1, "an answer")
	m, err := b.adapter.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Text = "a better answer"
	for _, fault := range []Fault{Wait, BadText, Page, Unreachable} {
		if slices.Contains(b.Lacks, fault) {
			continue
		}
		b.Fault(fault)
		err := b.adapter.Edit(t.Context(), m, o)
		b.Fault(Healthy)
		if failed := b.reason(t, err); !slices.Contains(refusals()[fault], failed.Reason) {
			t.Errorf("fault %d: got reason %d (%v)", fault, failed.Reason, err)
		}
	}
}

func testEditMissing(t *testing.T, b *bench) {
	b.start(t)
	if b.adapter.Limits().Edit == 0 {
		return
	}
	o := b.question(t, 1, "an answer")
	const never = "999"
	if failed := b.reason(t, b.adapter.Edit(t.Context(), never, o)); failed.Reason != gateway.Missing {
		t.Errorf("got reason %d (%v), want it missing", failed.Reason, failed)
	}
}

func testBadToken(t *testing.T, b *bench) {
	b.Fault(BadToken)
	a := b.Adapter(t, slog.New(slog.NewTextHandler(b.log, nil)))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := a.Run(ctx, b.ledger)
	if err == nil || ctx.Err() != nil {
		t.Fatalf("got %v, want Run to end with an error", err)
	}
	b.noSecret(t, "the error", err.Error())
	if said := fault.MessageOf(err); !strings.Contains(said, "token") {
		t.Errorf("people are told %q, want the token named", said)
	}
	b.Fault(Healthy)
}

// testPages: while the platform answers nothing but pages, nothing is lost.
func testPages(t *testing.T, b *bench) {
	b.start(t)
	b.ledger.AwaitEvents(t, b.dm(t, "before")...)
	b.Fault(Page)
	ids := b.dm(t, "during")
	b.Fault(Healthy)
	b.ledger.AwaitEvents(t, append(ids, b.dm(t, "after")...)...)
}
