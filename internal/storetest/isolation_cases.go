package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func catalogCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Stats": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			got, err := st.Stats(ctx, o)
			got.Bytes = 0 // of all owners together
			return got, err
		}},
		"Previews": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Previews(ctx, o, []session.ID{theSession})
		}},
		"SpokenCounts": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.SpokenCounts(ctx, o, []session.ID{theSession})
		}},
		"UndoneCounts": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.UndoneCounts(ctx, o, []session.ID{theSession})
		}},
		"RootsOfKey": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.RootsOfKey(ctx, o, theKey)
		}},
		"Memories": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Memories(ctx, o, session.MemoryFilter{Limit: 10})
		}},
		"FreeTitle": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			// An owner who has no such title may use it.
			free, err := st.FreeTitle(ctx, o, markOf(alice()))
			if o.ID() != alice().ID() && free == markOf(alice()) {
				free = "as it is"
			}
			return free, err
		}},
	}
}

func readingCases() map[string]isolationCase {
	cases := sessionCases()
	maps.Copy(cases, memoryCases())
	maps.Copy(cases, jobReadingCases())
	maps.Copy(cases, recordReadingCases())
	maps.Copy(cases, readerCases())
	maps.Copy(cases, chatReadingCases())
	maps.Copy(cases, restReadingCases())
	maps.Copy(cases, importCases())
	maps.Copy(cases, providerReadingCases())
	return cases
}

// sessionCases read transcripts.
func sessionCases() map[string]isolationCase {
	return map[string]isolationCase{
		"SessionOf": {stranger: fault.NotFound, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ms := []session.Message{{Role: session.User, Content: "question of " + markOf(o)}}
			session.Histories(ms)
			return st.SessionOf(ctx, o, theKey, [][]byte{ms[0].History})
		}},
		"SessionOfExchange": {stranger: fault.NotFound, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.SessionOfExchange(ctx, o, theKey, exchangeOf([]session.Message{
				{Role: session.User, Content: "question of " + markOf(o)}, {Role: session.Assistant, Content: "the whole answer to " + markOf(o)},
			}))
		}},
		"Tip": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Tip(ctx, o, theSession)
		}},
		"Session": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Session(ctx, o, theChild)
		}},
		"Sessions": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			tips, err := st.Sessions(ctx, o, session.Filter{})
			if err != nil {
				return nil, err
			}
			named, err := st.Sessions(ctx, o, session.Filter{Prefix: string(theSession), Source: session.SourceAPI})
			if err != nil {
				return nil, err
			}
			later, err := st.Sessions(ctx, o, session.Filter{Before: session.Cursor{LastActive: epoch().Add(time.Hour), ID: theSession}})
			if err != nil {
				return nil, err
			}
			lineage, err := st.Sessions(ctx, o, session.Filter{Lineage: theSession})
			if err != nil {
				return nil, err
			}
			for _, f := range []session.Filter{{Query: "canary"}, {Query: "the-"}, {Title: markOf(alice())}, {State: session.Active}} {
				list, err := st.Sessions(ctx, o, f)
				if err != nil {
					return nil, err
				}
				lineage = append(lineage, list...)
			}
			return slices.Concat(tips, named, later, lineage), err
		}},
		"Messages": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			first, err := st.Messages(ctx, o, theSession, session.Range{})
			if err != nil {
				return nil, err
			}
			last, err := st.Messages(ctx, o, theSession, session.Range{Newest: true, Limit: 3, Standing: true, Receipts: true})
			return slices.Concat(first, last), err
		}},
	}
}

// memoryCases read the data derived from transcripts.
func memoryCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Facts": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			byRoot, err := factsOf(ctx, st, o, memory.Scope{Root: theSession, Whole: true})
			if err != nil {
				return nil, err
			}
			byKey, err := factsOf(ctx, st, o, memory.Scope{Root: theSession, Key: theKey})
			return slices.Concat(byRoot, byKey), err
		}},
		"Documents": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			var out []ranking.Document
			each := func(d ranking.Document) bool {
				out = append(out, d)
				return true
			}
			if err := st.Documents(ctx, o, memory.Scope{Root: theSession, Whole: true}, 0, each); err != nil {
				return nil, err
			}
			return out, st.Documents(ctx, o, memory.Scope{Key: theKey}, 0, each)
		}},
		"Scopes":   {silent: true, call: scopesOf},
		"Erasures": {call: erasuresOfTheOwner},
		"Quotes": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Quotes(ctx, o, []memory.Place{{Root: theSession, Seq: 0}, {Root: theSession, Seq: 3}})
		}},
		"Costs": {call: costsOfTheSession},
		"CostReport": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.CostReport(ctx, o, curate.CostFilter{To: epoch().AddDate(1, 0, 0), By: curate.BySession})
		}},
		"Vectors":   {call: vectorsOfTheSession},
		"Marks":     {silent: true, call: marksOfTheSession},
		"Unstudied": {silent: true, call: unstudiedSessions},
		"Work":      {call: workOfTheOwner},
		"Receipt": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Receipt(ctx, o, theReceipt)
		}},
	}
}

// erasuresOfTheOwner returns the marks of the stored erasures.
func erasuresOfTheOwner(ctx context.Context, st Store, o owner.Owner) (any, error) {
	list, err := st.Erasures(ctx, o)
	var marks []string
	for _, e := range list {
		for _, known := range []owner.Owner{alice(), bob()} {
			if e.Hash == memory.Keyed(e.Key, sha256.Sum256([]byte(markOf(known)))) {
				marks = append(marks, markOf(known))
			}
		}
	}
	return marks, err
}

func writingCases() map[string]isolationCase {
	title, reason := "changed", session.EndReason("changed")
	return map[string]isolationCase{
		"ClaimRequest": {makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ClaimRequest(ctx, o, claim(theRequest, markOf(o)))
		}},
		"WantWork":   {silent: true, call: wantTheWork},
		"ClaimWork":  {call: claimTheWork},
		"RenewWork":  {silent: true, call: renewTheWork},
		"SettleWork": {silent: true, call: settleTheWork},
		"KeepStudy":  {stranger: fault.NotFound, silent: true, call: studyTheSession},
		"ReleaseRequest": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.ReleaseRequest(ctx, o, claim(theRequest, markOf(o)))
		}},
		"CreateSession": {makes: true, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			// Fails for owners that have the session, and succeeds for others.
			err := st.CreateSession(ctx, o, session.Session{
				ID: theSession, RootID: theSession, Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch(),
			})
			if o.ID() == bob().ID() && fault.KindOf(err) == fault.Conflict {
				return nil, nil
			}
			return nil, err
		}},
		"UpdateSession": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.UpdateSession(ctx, o, theSession, session.Patch{SystemPrompt: &title, EndReason: &reason, At: epoch()})
		}},
		"Rewrite": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ids, err := everyID(ctx, st)
			if err != nil {
				return nil, err
			}
			var marks []memory.Mark
			for _, id := range ids {
				marks = append(marks, memory.Mark{Number: memory.NumberOf(id, 0), DoubtedBy: "f_changed", Weight: 99})
			}
			return nil, st.Rewrite(ctx, o, curate.Rewrite{
				Marks:    marks,
				Messages: []session.Message{{RootID: theSession, SessionID: theSession, Seq: 0, Content: title}},
				Sessions: []session.Session{{ID: theSession, Title: title}},
				Scopes:   []curate.ScopeFacts{{Scope: memory.Scope{Key: theKey}}, {Scope: memory.Scope{Root: theSession}}},
				Undone:   []curate.Undone{{Root: theSession, From: 0, At: epoch()}},
				Relinked: []memory.Fact{fact("the-fact", &session.Message{RootID: theSession}, memory.Plain)},
				Erased:   &memory.Erasure{Hash: sha256.Sum256([]byte(title)), Words: 1, At: epoch()},
			})
		}},
		"Sweep": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Sweep(ctx, o, mention.Of("canary"), false)
		}},
		"Mentions": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			traces, err := st.Mentions(ctx, o, mention.Of(markOf(alice())))
			if n := found(traces); n > 0 && o.ID() != alice().ID() {
				return nil, fmt.Errorf("got %d rows of alice's", n)
			}
			return nil, err
		}},
		"Texts": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			theirs, own := 0, 0
			err := st.Texts(ctx, o, func(text string) {
				theirs += strings.Count(text, markOf(alice()))
				own += strings.Count(text, markOf(o))
			})
			if theirs > 0 && o.ID() != alice().ID() {
				return nil, fmt.Errorf("got %d texts of alice's", theirs)
			}
			if o.ID() == alice().ID() && own < 20 {
				return nil, fmt.Errorf("got only %d of alice's texts", own)
			}
			return nil, err
		}},
		"DeleteLineage": {stranger: fault.NotFound, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.DeleteLineage(ctx, o, theSession)
		}},
		"AppendTurn": {stranger: fault.NotFound, silent: true, makes: true, call: appendToTheSession},
		"ReserveMessageIDs": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ReserveMessageIDs(ctx, o, 1)
		}},
		"AdoptMessageIDs": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.AdoptMessageIDs(ctx, o, []int64{1 << 20, 1<<20 + 1})
		}},
	}
}

// scopesOf checks the number of scopes: alice and bob have one each.
func scopesOf(ctx context.Context, st Store, o owner.Owner) (any, error) {
	scopes, err := st.Scopes(ctx, o)
	if o.ID() == bob().ID() && len(scopes) != 1 {
		return nil, fmt.Errorf("got %d scopes of bob's, want 1", len(scopes))
	}
	if o.ID() == carol().ID() && len(scopes) != 0 {
		return nil, fmt.Errorf("got %d scopes of a stranger, want none", len(scopes))
	}
	return scopes, err
}

// costsOfTheSession says whose costs were returned, because costs are only numbers.
func costsOfTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	costs, err := st.Costs(ctx, o, theSession, 10)
	var marks []string
	for i := range costs {
		for _, who := range []owner.Owner{alice(), bob()} {
			if costs[i].Context.Sent == sizeOf(markOf(who)) {
				marks = append(marks, markOf(who))
			}
		}
	}
	return marks, err
}

// sizeOf is a number that differs per owner.
func sizeOf(mark string) int { return int(crc32.ChecksumIEEE([]byte(mark)) >> 8) }

// appendToTheSession appends to the lineage both owners have, ends its tip, and
// supersedes the fact both have.
func appendToTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	first, err := st.ReserveMessageIDs(ctx, o, 1)
	if err != nil {
		return nil, err
	}
	m := session.Message{
		ID: first, SessionID: theChild, RootID: theSession, Seq: 4, Key: theKey, Role: session.User,
		Content: "appended", SaidAt: epoch(), RecordedAt: epoch(), Hash: []byte("hash"),
	}
	was := fact("the-fact", &session.Message{RootID: theSession}, memory.Plain)
	was.SupersededBy, was.SupersededAt = "f_later", epoch()
	return nil, st.AppendTurn(ctx, o, lineage.Step{
		Ended: &session.Session{ID: theSession, EndedAt: epoch(), EndReason: "changed"},
		Session: session.Session{
			ID: theChild, RootID: theSession, Generation: 1, Source: session.SourceAPI,
			StartedAt: epoch(), LastActive: epoch(), NextSeq: 5,
		},
		Messages: []session.Message{m},
		Changes:  []memory.Change{{Learned: []memory.Fact{fact("later", &m, memory.Plain)}, Superseded: []memory.Fact{was}}},
		Finished: &lineage.Finished{Key: claim(theRequest, "changed"), Outcome: []byte(`{"model":"changed"}`)},
	})
}
