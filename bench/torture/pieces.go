package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// piecesRig kills a server while its background work indexes scopes in pieces.
var piecesRig = rig{
	name: "pieces", fault: "kill -9 under turns in small and long scopes, while pieces are made and merged", rounds: 50, run: killPieces,
	want: "the rebuilt facts identical, no piece or block that belongs to nothing",
	off:  "pieces that were replaced are not deleted", bareRounds: 5,
	bare: []change{{"internal/sqlite/piece_eraser.go", "state <> 'live' AND state <> 'making' LIMIT 1", "state = 'none' LIMIT 1"}},
}

// pieceScopes are the lengths that scopes begin with: some get their first piece during the rounds, some are merged.
var pieceScopes = []int{0, 40, 200, 900, 3000, 6000}

// killPieces is the whole rig.
func killPieces(ctx context.Context, b *bench, rounds int) (*tally, error) {
	s, err := b.subject("", "HERMES_RESPONDER=recall")
	if err != nil {
		return nil, err
	}
	t, p := &tally{}, &pieceLoad{s: s}
	for n := range rounds {
		if err := s.start(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if n == 0 {
			if err := s.tellAll(ctx); err != nil {
				return nil, err
			}
		}
		p.round(ctx)
		if n%10 == 9 {
			b.say("pieces: %d rounds", n+1)
		}
	}
	if err := s.settle(ctx, t); err != nil {
		return nil, err
	}
	same, scopes, err := s.verified(ctx, t)
	if err != nil {
		return nil, err
	}
	live, err := checkPieces(ctx, s.file(), t)
	if err != nil {
		return nil, err
	}
	if _, err := checkFile(ctx, s.file(), t); err != nil {
		return nil, err
	}
	t.done = fmt.Sprintf("%d rounds, %d turns, %d messages appended, %d requests cut off", rounds, p.turns.Load(), p.appended.Load(), p.cut.Load())
	t.figure = fmt.Sprintf("%d of %d scopes identical after a rebuild; %d live pieces", same, scopes, live)
	return t, nil
}

// pieceLoad is what is done to scopes in a round.
type pieceLoad struct {
	s                    *subject
	turns, appended, cut atomic.Int64
	said                 atomic.Int64
}

// round has a talker and a writer per scope, until the server is killed at a random moment.
func (p *pieceLoad) round(ctx context.Context) {
	round, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	for i := range pieceScopes {
		working.Go(func() { p.talk(round, i) })
	}
	working.Go(func() { p.append(round) })
	pause(ctx, 100*time.Millisecond+rand.N(2400*time.Millisecond))
	p.s.kill()
	stop()
	working.Wait()
	idle.CloseIdleConnections()
}

// talk takes turns in one session, every second session under one session key. Every twentieth turn is taken back.
func (p *pieceLoad) talk(ctx context.Context, scope int) {
	var header map[string]string
	if scope%2 == 1 {
		header = map[string]string{"X-Hermes-Session-Key": "pieces-key"}
	}
	for ctx.Err() == nil {
		n := int(p.said.Add(1))
		status, _, _, err := chat(ctx, p.s.addr, pieceScope(scope), pieceText(n), false, header)
		if err == nil && n%20 == 0 {
			status, _, err = send(ctx, p.s.addr, "POST", "/api/sessions/"+pieceScope(scope)+"/undo", nil, nil)
		}
		if err != nil || status != http.StatusOK {
			p.cut.Add(1)
			return
		}
		p.turns.Add(1)
	}
}

// append adds ranges of messages to scopes at random, so that the background work never ends.
func (p *pieceLoad) append(ctx context.Context) {
	for ctx.Err() == nil {
		const messages = 80
		if err := p.s.tell(ctx, pieceScope(rand.N(len(pieceScopes))), int(p.said.Add(messages)), messages); err != nil {
			p.cut.Add(1)
			return
		}
		p.appended.Add(messages)
	}
}

func pieceScope(n int) string { return fmt.Sprintf("pieces-%d", n) }

// pieceText is a message that has a fact in it.
func pieceText(n int) string {
	return fmt.Sprintf("The %s in hall %d has the code %s.", words[n%len(words)], n, pieceCode(n))
}

// pieceCode is a word that is said in one message only. Words of neighbouring messages have hardly a letter in common, so
// that an ordered list that stores only how each word differs from the last still holds most of every word.
func pieceCode(n int) string {
	state := uint64(n+1) * 0x9e3779b97f4a7c15
	code := make([]byte, codeLetters)
	for i := range code {
		code[i] = 'b' + byte(state>>40%20)
		state = state*6364136223846793005 + 1442695040888963407
	}
	return string(code) + "7" // no ending that a stemmer would cut off
}

// codeLetters is the length of a code before its digit.
const codeLetters = 11

// tellAll imports what the scopes begin with.
func (s *subject) tellAll(ctx context.Context) error {
	for i, messages := range pieceScopes {
		for done := 0; done < messages; done += min(1000, messages-done) {
			if err := s.tell(ctx, pieceScope(i), i*10_000+done, min(1000, messages-done)); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell appends messages to a scope in one request.
func (s *subject) tell(ctx context.Context, session string, from, messages int) error {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	batch := make([]message, messages)
	for i := range batch {
		batch[i] = message{"user", pieceText(from + i)}
	}
	body, _ := json.Marshal(map[string]any{"messages": batch}) // strings: cannot fail
	status, answer, err := send(ctx, s.addr, "POST", "/api/sessions/"+session+"/messages", nil, body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("append: status %d: %s", status, answer)
	}
	return err
}

// verified starts the server, compares all facts with those that a rebuild distils, and stops it when its background work
// has ended.
func (s *subject) verified(ctx context.Context, t *tally) (same, scopes int, err error) {
	if err := s.start(ctx); err != nil {
		return 0, 0, err
	}
	defer s.kill()
	var out struct {
		Identical bool
		Data      []struct{ Identical bool }
	}
	if err := s.ask(ctx, "hermes", "POST", "/api/memory/rebuild", []byte(`{"verify":true}`), http.StatusOK, &out); err != nil {
		return 0, 0, err
	}
	for _, scope := range out.Data {
		if scope.Identical {
			same++
		}
	}
	if !out.Identical || same < len(pieceScopes) {
		t.miss("%d of %d scopes identical", same, len(out.Data))
	}
	if err := served.Quiet(ctx, s.cmd.Process.Pid); err != nil {
		return 0, 0, err
	}
	if code := s.stop(); code != 0 {
		t.miss("a stop ended with %d: %s", code, s.log.String())
	}
	return same, len(out.Data), nil
}

// orphans are what may not be in a file whose server had nothing more to do.
var orphans = map[string]string{
	"pieces that are not live": `SELECT count(*) FROM pieces WHERE state <> 'live'`,
	"blocks without a piece":   `SELECT count(*) FROM piece_blocks b WHERE NOT EXISTS (SELECT 1 FROM pieces p WHERE p.id = b.id >> 16)`,
	"pieces without a scope":   `SELECT count(*) FROM pieces p WHERE NOT EXISTS (SELECT 1 FROM scopes s WHERE s.id = p.scope_id)`,
	"scopes without a message": `SELECT count(*) FROM scopes s WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.owner_id = s.owner_id AND
		coalesce(m.session_key, '') = s.session_key AND (s.session_key <> '' OR m.root_id = s.root_id))`,
	"pieces that lack blocks":    `SELECT count(*) FROM pieces p WHERE blocks <> (SELECT count(*) FROM piece_blocks b WHERE b.id >> 16 = p.id)`,
	"pieces that cover the same": `SELECT count(*) FROM pieces a JOIN pieces b ON a.scope_id = b.scope_id AND a.kind = b.kind AND a.id < b.id AND a.first_id <= b.last_id AND b.first_id <= a.last_id`,
}

// checkPieces adds what is wrong with the pieces of a file that no process uses, and counts them.
func checkPieces(ctx context.Context, path string, t *tally) (live int, err error) {
	db, err := openFile(path, false)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	if live, err = livePieces(ctx, db); err != nil || live == 0 {
		t.miss("there are no pieces")
	}
	if err != nil {
		return 0, noTable(err)
	}
	for what, query := range orphans {
		var n int
		if err := db.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return live, err
		}
		if n > 0 {
			t.miss("%d %s", n, what)
		}
	}
	return live, nil
}

func livePieces(ctx context.Context, db *sql.DB) (n int, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM pieces WHERE state = 'live'`).Scan(&n)
	return n, err
}

// noTable is nil for the error of a file that has no such table, which a rig has noted as a miss.
func noTable(err error) error {
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return nil
	}
	return err
}

// errNoPieces says that no scope was not indexed in pieces.
var errNoPieces = errors.New("there are no pieces")
