package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/bench/served"
)

// pieceRotRig changes bytes of a piece on the disk.
var pieceRotRig = rig{
	name: "piecerot", fault: "one byte changed in each of eight neighbouring blocks of a piece in the file", rounds: 20, run: rotPieces,
	want: "every turn answered right, the damage in the log, the piece made again",
	off:  "the checksum of a block is not compared", bareRounds: 5,
	bare: []change{{"internal/piece/block.go", "binary.LittleEndian.Uint32(sealed[end:]) != sum(n, sealed[:end])", "false"}},
}

// pieceForgetRig forgets what pieces hold.
var pieceForgetRig = rig{
	name: "pieceforget", fault: "a word is forgotten that messages, facts and pieces hold", rounds: 5, run: forgetPieces,
	want: "0 times in the bytes of all files of the home, the log included",
	off:  "deleted rows are not overwritten, and the file is not packed", bareRounds: 1,
	bare: []change{
		{"internal/sqlite/db.go", `"secure_delete(ON)"`, `"secure_delete(OFF)"`},
		{"internal/sqlite/file.go", "{`PRAGMA secure_delete`, \"1\"}", "{`PRAGMA secure_delete`, \"0\"}"},
		{"internal/sqlite/repack.go", "w.conn.ExecContext(ctx, `VACUUM`)", "w.conn.ExecContext(ctx, `SELECT 1`)"},
	},
}

// The scope of both rigs: long enough for pieces of several sizes.
const (
	rotScope    = "rot"
	rotMessages = 3000
)

// indexedScope starts a server with a scope whose pieces have been made.
func (b *bench) indexedScope(ctx context.Context) (*subject, error) {
	s, err := b.serve(ctx, "", "HERMES_RESPONDER=recall")
	if err != nil {
		return nil, err
	}
	for done := 0; done < rotMessages; done += 1000 {
		if err := s.tell(ctx, rotScope, done, 1000); err != nil {
			s.kill()
			return nil, err
		}
	}
	if err := served.Quiet(ctx, s.cmd.Process.Pid); err != nil {
		s.kill()
		return nil, err
	}
	return s, nil
}

// rotPieces is the whole rig.
func rotPieces(ctx context.Context, b *bench, rounds int) (*tally, error) {
	s, err := b.indexedScope(ctx)
	if err != nil {
		return nil, err
	}
	defer s.kill()
	t, c := &tally{}, rotCount{}
	for n := range rounds {
		if code := s.stop(); code != 0 {
			t.miss("a stop ended with %d", code)
		}
		hurt, err := rot(ctx, s.file())
		if err != nil {
			t.miss("round %d: %v", n+1, err)
			return t, noTable(err)
		}
		if err := s.start(ctx); err != nil {
			return nil, err
		}
		if err := c.add(ctx, s, hurt); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
	}
	t.done = fmt.Sprintf("%d times changed, %d turns asked", rounds, rounds*rotAsked)
	t.figure = fmt.Sprintf("%d of %d times all turns right, %d noticed, %d mended", c.right, rounds, c.noticed, c.mended)
	if least := min(c.right, c.noticed, c.mended); least < rounds {
		t.miss("not every damage was survived, noticed and mended")
	}
	return t, nil
}

// rotCount counts the rounds in which all turns were answered right, the log told of the damage, and the piece was mended.
type rotCount struct{ right, noticed, mended int }

// add asks a server with a damaged block, and looks at what it made of the damage.
func (c *rotCount) add(ctx context.Context, s *subject, hurt damaged) error {
	right, err := s.answersAll(ctx)
	if err != nil {
		return err
	}
	if err := served.Quiet(ctx, s.cmd.Process.Pid); err != nil {
		return err
	}
	mended, err := hurt.mended(ctx, s.file())
	if err != nil {
		return err
	}
	for _, held := range []struct {
		held  bool
		count *int
	}{{right, &c.right}, {strings.Contains(s.log.String(), "piece"), &c.noticed}, {mended, &c.mended}} {
		if held.held {
			*held.count++
		}
	}
	return nil
}

// damaged are the blocks of a piece that were changed, before their change, by their ids.
type damaged map[int64][]byte

// neighbours is how many blocks one after the other are changed. A single one may be one that no turn reads.
const neighbours = 8

// rot changes one byte of each of some neighbouring blocks at random, in a file that no process uses.
func rot(ctx context.Context, path string) (damaged, error) {
	db, err := openFile(path, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	var first int64
	err = db.QueryRowContext(ctx, `SELECT b.id FROM piece_blocks b JOIN pieces p ON p.id = b.id >> 16
		WHERE p.state = 'live' AND p.kind = 'messages' ORDER BY random() LIMIT 1`).Scan(&first)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, errNoPieces
	case err != nil:
		return nil, fmt.Errorf("look for a block: %w", err)
	}
	first -= first % neighbours
	d := damaged{}
	for id := first; id < first+neighbours; id++ {
		var data []byte
		switch err := db.QueryRowContext(ctx, `SELECT data FROM piece_blocks WHERE id = ?`, id).Scan(&data); {
		case errors.Is(err, sql.ErrNoRows): // the piece ends before
			continue
		case err != nil:
			return nil, fmt.Errorf("read a block: %w", err)
		}
		changed := bytes.Clone(data)
		changed[rand.N(len(changed))] ^= 1 << rand.N(8)
		if _, err := db.ExecContext(ctx, `UPDATE piece_blocks SET data = ? WHERE id = ?`, changed, id); err != nil {
			return nil, fmt.Errorf("change a block: %w", err)
		}
		d[id] = data
	}
	return d, nil
}

// mended reports whether the blocks are as they were, or gone with their piece while other pieces are there.
func (d damaged) mended(ctx context.Context, path string) (bool, error) {
	db, err := openFile(path, true)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	live, err := livePieces(ctx, db)
	if err != nil || live == 0 {
		return false, err
	}
	for id, before := range d {
		var data []byte
		err := db.QueryRowContext(ctx, `SELECT coalesce((SELECT data FROM piece_blocks WHERE id = ?), ?)`, id, before).Scan(&data)
		if err != nil || !bytes.Equal(data, before) {
			return false, err
		}
	}
	return true, nil
}

// rotAsked is how many turns ask a scope after each change. Their answers stand in messages all over the scope.
const rotAsked = 25

// answersAll asks for codes all over the scope, and reports whether each answer has the right one.
func (s *subject) answersAll(ctx context.Context) (bool, error) {
	ok := true
	for i := range rotAsked {
		n := i * rotMessages / rotAsked
		question := fmt.Sprintf("Which code has the %s in hall %d?", words[n%len(words)], n)
		status, answer, whole, err := chat(ctx, s.addr, rotScope, question, false, nil)
		if err != nil || status != http.StatusOK || !whole {
			return false, fmt.Errorf("a turn: status %d, %w: %s", status, err, answer)
		}
		ok = ok && strings.Contains(answer, pieceCode(n))
	}
	return ok, nil
}

// forgetPieces is the whole rig. Every round forgets another code.
func forgetPieces(ctx context.Context, b *bench, rounds int) (*tally, error) {
	s, err := b.indexedScope(ctx)
	if err != nil {
		return nil, err
	}
	defer s.kill()
	t := &tally{}
	if live, err := s.pieces(ctx); err != nil || live == 0 {
		t.miss("there are no pieces")
	}
	before, after := 0, 0
	for n := range rounds {
		code := pieceCode(n*rotMessages/rounds + 7)
		most := code[len(code)-8:] // of it; see pieceCode
		there, err := hits(s.home, most)
		if err != nil {
			return nil, err
		}
		before += there
		var out struct{}
		if err := s.ask(ctx, "hermes", "POST", "/api/memory/forget", []byte(`{"about":"`+code+`"}`), http.StatusOK, &out); err != nil {
			return nil, err
		}
		left, err := hits(s.home, most)
		if err != nil {
			return nil, err
		}
		after += left
	}
	t.done = fmt.Sprintf("%d codes forgotten, which the files held %d times", rounds, before)
	t.figure = fmt.Sprintf("%d times left", after)
	if before < rounds {
		t.miss("the files held the codes only %d times", before)
	}
	if after > 0 {
		t.miss("%d times left", after)
	}
	return t, nil
}

// pieces counts the live pieces of the server's file.
func (s *subject) pieces(ctx context.Context) (int, error) {
	db, err := openFile(s.file(), true)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	return livePieces(ctx, db)
}

// hits counts a text in the bytes of all files of a home, in any case.
func hits(home, text string) (n int, err error) {
	files, err := os.ReadDir(home)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(home, f.Name()))
		if err != nil {
			return 0, err
		}
		n += bytes.Count(bytes.ToLower(raw), []byte(text))
	}
	return n, nil
}
