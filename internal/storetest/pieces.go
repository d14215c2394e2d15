package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

func pieceTests() []test {
	return []test{
		{"a piece is read by block", testPieceBlocks},
		{"a swap changes the manifest", testSwap},
		{"a swap that lost the race changes nothing", testSwapLost},
		{"a piece that fails leaves nothing behind", testPieceFails},
		{"undone messages are withdrawn from pieces", testWithdrawn},
		{"many undone messages take their pieces along", testWithdrawnMany},
		{"changed and deleted messages take their pieces along", testPiecesErased},
		{"a late message takes its pieces along", testLateMessage},
		{"erased words leave the pieces", testPieceTraces},
		{"damaged pieces are dropped", testDropPieces},
	}
}

// blocksOf yields blocks, as a maker of pieces does: from one buffer, the first block last.
func blocksOf(blocks ...string) iter.Seq2[memory.PieceBlock, error] {
	return func(yield func(memory.PieceBlock, error) bool) {
		var buffer []byte
		for i := range blocks {
			n := (i + 1) % len(blocks)
			buffer = append(buffer[:0], blocks[n]...)
			if !yield(memory.PieceBlock{Number: n, Data: buffer}, nil) {
				return
			}
		}
	}
}

// pieceOf is a piece over messages.
func pieceOf(of memory.PieceKind, first, last *session.Message) memory.Piece {
	return memory.Piece{Kind: of, Format: 7, Span: memory.Span{First: first.ID, Last: last.ID}, Count: 5}
}

// add stores a piece of a scope as it is now.
func add(t tb, st Store, o owner.Owner, scope memory.Scope, p memory.Piece, blocks ...string) (memory.Manifest, memory.Piece) {
	t.Helper()
	m, err := st.Manifest(context.Background(), o, scope)
	if err != nil {
		t.Fatalf("manifest: %v", err)
	}
	id, err := st.AddPiece(context.Background(), o, m, p, blocksOf(blocks...))
	if err != nil {
		t.Fatalf("add a piece: %v", err)
	}
	p.ID, p.Blocks = id, len(blocks)
	return m, p
}

// put adds a piece and takes it into the manifest.
func put(t tb, st Store, o owner.Owner, scope memory.Scope, p memory.Piece, blocks ...string) memory.Piece {
	t.Helper()
	m, p := add(t, st, o, scope, p, blocks...)
	if err := st.Swap(context.Background(), o, m, memory.Swap{Add: []memory.PieceID{p.ID}, Withdrawn: m.Withdrawn}); err != nil {
		t.Fatalf("swap: %v", err)
	}
	return p
}

// holds checks the blocks of a piece; none are of a piece that is gone.
func holds(t *testing.T, st Store, p memory.Piece, blocks ...string) {
	t.Helper()
	asked := []piece.Ref{{Piece: int64(p.ID) + 1<<40, Block: 0}} // no piece
	want := map[piece.Ref][]byte{}
	for i := len(blocks); i >= 0; i -= 2 {
		of := piece.Ref{Piece: int64(p.ID), Block: i}
		asked = append(asked, of)
		if i < len(blocks) {
			want[of] = []byte(blocks[i])
		}
	}
	together, err := st.PieceBlocks(t.Context(), alice(), asked)
	kind(t, "several blocks", err, "")
	same(t, "several blocks", together, want)
	for i := range len(blocks) + 1 {
		got, err := st.PieceBlock(t.Context(), alice(), p.ID, i)
		if i == len(blocks) {
			kind(t, "the block after the last", err, fault.NotFound)
			return
		}
		kind(t, fmt.Sprintf("block %d", i), err, "")
		if string(got) != blocks[i] {
			t.Errorf("block %d: got %d bytes %.20q, want %d bytes %.20q", i, len(got), got, len(blocks[i]), blocks[i])
		}
	}
}

// vanishes checks that a piece is deleted.
func vanishes(t *testing.T, st Store, p memory.Piece) {
	t.Helper()
	kind(t, "clean", st.Clean(t.Context()), "")
	holds(t, st, p)
}

func testPieceBlocks(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1")
	scope := memory.Scope{Key: "key"}
	var blocks []string
	for i := range 40 { // more than one transaction takes
		blocks = append(blocks, string(bytes.Repeat([]byte{byte(i), 0, 255}, 20_000+i)))
	}
	p := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), blocks...)
	holds(t, st, p, blocks...)
	for _, block := range []int{-1, 1 << 16, 1<<16 + 3, 1 << 40} {
		_, err := st.PieceBlock(t.Context(), alice(), p.ID, block)
		kind(t, "a block that no piece has", err, fault.NotFound)
	}
	same(t, "pieces", manifest(t, st, scope).Pieces, []memory.Piece{p})
	empty := put(t, st, alice(), scope, pieceOf(memory.FactPiece, &l.messages[0], &l.messages[1]))
	holds(t, st, empty)
	same(t, "pieces by kind", manifest(t, st, scope).Pieces, []memory.Piece{empty, p})
	other := memory.Scope{Key: "other"}
	o := newTalk(alice(), "o", "other")
	o.say(t, st, "0", "1")
	q := put(t, st, alice(), other, pieceOf(memory.MessagePiece, &o.messages[0], &o.messages[1]), "first", "second")
	at := func(of memory.Piece, block int) piece.Ref { return piece.Ref{Piece: int64(of.ID), Block: block} }
	found, err := st.PieceBlocks(t.Context(), alice(), []piece.Ref{at(q, 1), at(p, 1), at(empty, 0), at(q, 2), at(p, 0)})
	kind(t, "blocks of several pieces", err, "")
	same(t, "blocks of several pieces", found, map[piece.Ref][]byte{at(q, 1): []byte("second"), at(p, 1): []byte(blocks[1]), at(p, 0): []byte(blocks[0])})
}

func testSwap(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1", "2", "3", "4", "5")
	scope := memory.Scope{Key: "key"}
	second := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[2], &l.messages[3]), "second")
	first := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), "first")
	before := manifest(t, st, scope)
	same(t, "in the order of messages", before.Pieces, []memory.Piece{first, second})

	m, both := add(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[3]), "both")
	same(t, "before the swap", manifest(t, st, scope), before)
	spans := memory.Spans{{First: l.messages[0].ID, Last: l.messages[0].ID}, {First: l.messages[2].ID, Last: l.messages[3].ID}}
	kind(t, "swap", st.Swap(t.Context(), alice(), m, memory.Swap{Add: []memory.PieceID{both.ID}, Remove: []memory.PieceID{first.ID, second.ID}, Withdrawn: spans}), "")
	after := manifest(t, st, scope)
	same(t, "after the swap", after.Pieces, []memory.Piece{both})
	same(t, "withdrawn", after.Withdrawn, spans)
	if after.Version != before.Version || after.Edition <= before.Edition {
		t.Errorf("got version %d after %d and edition %d after %d, want the same version and a higher edition",
			after.Version, before.Version, after.Edition, before.Edition)
	}
	vanishes(t, st, first)
	vanishes(t, st, second)
	holds(t, st, both, "both")
	l.say(t, st, "6")
	same(t, "after a turn", manifest(t, st, scope).Pieces, []memory.Piece{both})
	kind(t, "a swap that only removes", st.Swap(t.Context(), alice(), manifest(t, st, scope), memory.Swap{Remove: []memory.PieceID{both.ID}}), "")
	last := manifest(t, st, scope)
	same(t, "without pieces", last.Pieces, []memory.Piece(nil))
	same(t, "none is withdrawn", last.Withdrawn, memory.Spans(nil))
}

// testSwapLost: the manifest has changed since the piece was made from it.
func testSwapLost(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1", "2", "3")
	late := newTalk(alice(), "late", "key")
	step := late.step(t, st, "reserved early")
	l.say(t, st, "4", "5")
	changed := l.messages[5]
	changed.Content = "changed"
	races := []struct {
		name string
		race func()
	}{
		{"another swap", func() { put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), "x") }},
		{"an undo", func() { kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 5)), "") }},
		{"a changed text", func() {
			kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{changed}}), "")
		}},
		{"other facts", func() {
			kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: scope}}}), "")
		}},
		{"a late message", func() { late.commit(t, st, step) }},
		{"a deletion", func() { kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "late"), "") }},
		{"the scope's end", func() { kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "") }},
	}
	for _, c := range races {
		m, p := add(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[2], &l.messages[3]), "made in vain")
		c.race()
		before := manifest(t, st, scope)
		err := st.Swap(t.Context(), alice(), m, memory.Swap{Add: []memory.PieceID{p.ID}})
		kind(t, c.name, err, fault.Conflict)
		same(t, c.name, manifest(t, st, scope), before)
		vanishes(t, st, p)
		_, err = st.AddPiece(t.Context(), alice(), m, p, blocksOf("too late"))
		kind(t, c.name+": a piece of the earlier edition", err, fault.Conflict)
	}
}

func testPieceFails(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "The password is Quetzalcoatl.", "1")
	m := manifest(t, st, scope)
	broken := errors.New("broken")
	big := string(bytes.Repeat([]byte("Quetzalcoatl "), 100_000))
	_, err := st.AddPiece(t.Context(), alice(), m, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), func(yield func(memory.PieceBlock, error) bool) {
		if yield(memory.PieceBlock{Number: 1, Data: []byte(big)}, nil) {
			yield(memory.PieceBlock{}, broken)
		}
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the maker", err)
	}
	// A message that is erased meanwhile ends the making.
	gone := l.messages[0]
	gone.Content = "[forgotten]"
	_, err = st.AddPiece(t.Context(), alice(), m, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), func(yield func(memory.PieceBlock, error) bool) {
		if yield(memory.PieceBlock{Number: 1, Data: []byte(big)}, nil) {
			kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{gone}}), "")
			yield(memory.PieceBlock{Data: []byte(big)}, nil)
		}
	})
	kind(t, "an erasure meanwhile", err, fault.Conflict)
	if got := traces(t, st, "quetzalcoatl"); got != 0 {
		t.Errorf("got %d traces, want none", got)
	}
	same(t, "pieces", manifest(t, st, scope).Pieces, []memory.Piece(nil))
}

func testWithdrawn(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "key")
	l.say(t, st, "0", "1", "2")
	other.say(t, st, "between")
	l.say(t, st, "3", "4", "5", "6")
	p := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[5]), "held")
	undo := func(from, to int64) {
		t.Helper()
		kind(t, "undo", st.Rewrite(t.Context(), alice(), curate.Rewrite{Undone: []curate.Undone{{Root: "s", From: from, To: to, At: epoch()}}}), "")
	}
	id := func(i int) int64 { return l.messages[i].ID }
	undo(5, 0) // message 6 is in no piece
	same(t, "the end", manifest(t, st, scope).Withdrawn, memory.Spans{{First: id(5), Last: id(5)}})
	undo(2, 4)
	same(t, "the middle, without another lineage's message", manifest(t, st, scope).Withdrawn,
		memory.Spans{{First: id(2), Last: id(2)}, {First: id(3), Last: id(3)}, {First: id(5), Last: id(5)}})
	undo(4, 0)
	now := manifest(t, st, scope)
	same(t, "joined", now.Withdrawn, memory.Spans{{First: id(2), Last: id(2)}, {First: id(3), Last: id(5)}})
	same(t, "the piece stays", now.Pieces, []memory.Piece{p})
	holds(t, st, p, "held")
}

// testWithdrawnMany undoes more messages than a row should list.
func testWithdrawnMany(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l := newTalk(alice(), "s", "key")
	var texts []string
	for i := range 700 {
		texts = append(texts, fmt.Sprint(i))
	}
	l.say(t, st, texts...)
	first := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[599]), "undone")
	kept := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[600], &l.messages[699]), "kept")
	w := curate.Rewrite{}
	for i := int64(0); i < 600; i += 2 {
		w.Undone = append(w.Undone, curate.Undone{Root: "s", From: i, To: i + 1, At: epoch()})
	}
	kind(t, "undo", st.Rewrite(t.Context(), alice(), w), "")
	got := manifest(t, st, scope)
	same(t, "pieces", got.Pieces, []memory.Piece{kept})
	if len(got.Withdrawn) > 256 {
		t.Errorf("got %d ranges, want a bounded list", len(got.Withdrawn))
	}
	vanishes(t, st, first)
}

func testPiecesErased(t *testing.T, st Store) {
	scope, alone := memory.Scope{Key: "key"}, memory.Scope{Root: "s"}
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "key")
	l.say(t, st, "0", "1", "2", "3")
	other.say(t, st, "4", "5")
	l.key = ""
	l.say(t, st, "6", "7")
	pieces := func(what string, scope memory.Scope, want ...memory.Piece) {
		t.Helper()
		same(t, what, manifest(t, st, scope).Pieces, want)
	}
	var facts, messages []memory.Piece
	for i := 0; i < 4; i += 2 {
		facts = append(facts, put(t, st, alice(), scope, pieceOf(memory.FactPiece, &l.messages[i], &l.messages[i+1]), "facts"))
		messages = append(messages, put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[i], &l.messages[i+1]), "messages"))
	}
	others := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &other.messages[0], &other.messages[1]), "other")
	own := put(t, st, alice(), alone, pieceOf(memory.MessagePiece, &l.messages[4], &l.messages[5]), "own")
	pieces("before", scope, facts[0], facts[1], messages[0], messages[1], others)

	changed := l.messages[1]
	changed.Content = "changed"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{changed}}), "")
	pieces("a changed text", scope, facts[1], messages[1], others)
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: scope}}}), "")
	pieces("other facts", scope, messages[1], others)
	vanishes(t, st, facts[1])
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "other"), "")
	pieces("a deletion", scope, messages[1])
	vanishes(t, st, others)
	pieces("another scope", alone, own)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "")
	pieces("without messages", scope)
	vanishes(t, st, messages[1])
	vanishes(t, st, own)
}

// testLateMessage: a message below those that a piece holds takes the piece along.
func testLateMessage(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l, late := newTalk(alice(), "s", "key"), newTalk(alice(), "late", "key")
	l.say(t, st, "0", "1")
	step := late.step(t, st, "reserved early")
	l.say(t, st, "2", "3", "4", "5")
	var all []memory.Piece
	for i := range 3 {
		all = append(all, put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[i], &l.messages[i]), "x"))
	}
	wide := put(t, st, alice(), scope, pieceOf(memory.FactPiece, &l.messages[0], &l.messages[5]), "wide")
	late.commit(t, st, step)
	same(t, "pieces beside it", manifest(t, st, scope).Pieces, all)
	vanishes(t, st, wide)
}

func testPieceTraces(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l, gone := newTalk(alice(), "s", "key"), newTalk(alice(), "gone", "key")
	l.say(t, st, "The password is Quetzalcoatl.", "1")
	gone.say(t, st, "Quetzalcoatl again")
	text := string(bytes.Repeat([]byte("quetzalcoatl "), 5_000))
	put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), text, text)
	replaced := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &gone.messages[0], &gone.messages[0]), text)
	m, next := add(t, st, alice(), scope, pieceOf(memory.MessagePiece, &gone.messages[0], &gone.messages[0]), text)
	kind(t, "swap", st.Swap(t.Context(), alice(), m, memory.Swap{Add: []memory.PieceID{next.ID}, Remove: []memory.PieceID{replaced.ID}}), "")
	_, making := add(t, st, alice(), scope, pieceOf(memory.FactPiece, &l.messages[0], &l.messages[1]), text)
	if got := traces(t, st, "quetzalcoatl"); got < 5_000 {
		t.Fatalf("the suite itself: got %d traces before", got)
	}
	changed := l.messages[0]
	changed.Content = "[forgotten]"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{changed}}), "")
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
	if got := traces(t, st, "quetzalcoatl"); got != 0 {
		t.Errorf("got %d traces of what is gone, want 0", got)
	}
	holds(t, st, making)
}

func testDropPieces(t *testing.T, st Store) {
	scope := memory.Scope{Key: "key"}
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1", "2", "3")
	damaged := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[1]), "damaged")
	kept := put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[2], &l.messages[3]), "kept")
	m, vain := add(t, st, alice(), scope, pieceOf(memory.FactPiece, &l.messages[0], &l.messages[1]), "in vain")
	kind(t, "drop one in the making", st.DropPieces(t.Context(), alice(), []memory.PieceID{vain.ID}), "")
	same(t, "the manifest is the same", manifest(t, st, scope), m)
	kind(t, "swap", st.Swap(t.Context(), alice(), m, memory.Swap{Add: []memory.PieceID{vain.ID}}), fault.Conflict)
	for range 2 {
		kind(t, "drop", st.DropPieces(t.Context(), alice(), []memory.PieceID{damaged.ID, 1 << 40}), "")
		got := manifest(t, st, scope)
		same(t, "pieces", got.Pieces, []memory.Piece{kept})
		if got.Edition != m.Edition+1 || got.Version != m.Version {
			t.Errorf("got %+v after %+v, want the edition one higher", got, m)
		}
	}
	vanishes(t, st, vain)
	vanishes(t, st, damaged)
}
