package transcript_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// house is a program over a real database, with a mirror.
type house struct {
	t       testing.TB
	home    string
	clock   *runtest.Clock
	bell    transcript.Bell
	db      *sqlite.DB
	runner  *run.Runner
	curator *curate.Curator
	mirror  *transcript.Mirror
	events  int
}

// setup returns a house without a running mirror.
func setup(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, home: t.TempDir(), clock: runtest.NewClock()}
	h.open()
	t.Cleanup(func() { h.closeDB() })
	return h
}

// open starts the program, all but the mirror's own work.
func (h *house) open() {
	h.bell = transcript.NewBell()
	h.db = runtest.OpenListing(h.t, filepath.Join(h.home, "state.db"), h.bell.Ring)
	h.renew()
	flush := func(ctx context.Context, o owner.Owner) error { return h.mirror.Flush(ctx, o) }
	h.runner, h.curator = runtest.New(h.db, &runtest.Parts{
		Models: run.Models{Recall: recall.New()}, Config: run.Config{Now: h.clock.Now}, Mirror: flush,
	})
}

// renew gives the house another mirror, as after a start. Its own tests are of the store's
// list, so that the mirror compares no other files.
func (h *house) renew() {
	h.mirror = h.newMirror()
	h.mirror.TrustList()
}

func (h *house) newMirror() *transcript.Mirror {
	return transcript.New(transcript.Parts{
		Store: h.db, Home: h.home, Bell: h.bell, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
}

func (h *house) closeDB() {
	if err := h.db.Close(); err != nil {
		h.t.Errorf("close database: %v", err)
	}
}

// errKilled is the end of the process.
var errKilled = errors.New("killed")

// killAt ends the mirror before one of its next changes of files, for good.
func (h *house) killAt(n int) {
	h.mirror.SetStep(func(string) error {
		if n--; n < 0 {
			return errKilled
		}
		return nil
	})
}

// settle lets the mirror write until nothing is left.
func (h *house) settle() error {
	for {
		more, err := h.mirror.Pass(context.Background())
		if err != nil || !more {
			return err
		}
	}
}

// mustSettle is settle without a failure.
func (h *house) mustSettle() {
	h.t.Helper()
	if err := h.settle(); err != nil {
		h.t.Fatalf("write transcripts: %v", err)
	}
}

// say takes a turn, and returns the session that it ended in.
func (h *house) say(o owner.Owner, id session.ID, key session.Key, text string) session.ID {
	h.t.Helper()
	h.clock.Advance(time.Second)
	st, err := h.runner.Start(context.Background(), &run.Request{
		Owner: o, Session: id, Key: key, Source: session.SourceAPI, Fresh: true,
		Messages: []session.Message{{Role: session.User, Content: text}},
	})
	if err != nil {
		h.t.Fatalf("start a turn: %v", err)
	}
	for _, err := range st.Deltas(context.Background()) {
		if err != nil {
			h.t.Fatalf("take a turn: %v", err)
		}
	}
	if id != "" {
		return id
	}
	list, err := h.db.Sessions(context.Background(), o, session.Filter{Limit: 1})
	if err != nil || len(list) == 0 {
		h.t.Fatalf("list sessions: %v", err)
	}
	return list[0].ID
}

// hear stores an event of a chat, and leads the chat to a session if there is one.
func (h *house) hear(o owner.Owner, at gateway.Place, title string, to session.ID) {
	h.t.Helper()
	h.events++
	ctx, id := context.Background(), fmt.Sprintf("e%d", h.events)
	_, err := h.db.CommitEvents(ctx, o, gateway.Committed{Platform: at.Platform, Account: at.Account, At: h.clock.Now(), Events: []gateway.Admitted{{
		Owner: o, State: gateway.Waiting, Keys: gateway.Keys{Long: session.Key("agent:main:telegram:group:" + at.Chat)},
		Event: gateway.Event{
			ID: id, Kind: gateway.Said, Place: at, Type: gateway.Group, Title: title, From: gateway.Sender{ID: "u", Name: "Ada"}, Text: "hello", At: h.clock.Now(),
		},
	}}})
	if err == nil {
		_, err = h.db.TakeEvents(ctx, o, gateway.Taking{
			Place: at, Events: []gateway.EventName{{Platform: at.Platform, Account: at.Account, ID: id}}, Run: "r" + id, Session: to, At: h.clock.Now(),
		})
	}
	if err != nil {
		h.t.Fatalf("hear: %v", err)
	}
}

// kept are the files of the mirror, by their paths.
func (h *house) kept() map[string]string {
	h.t.Helper()
	out := make(map[string]string)
	root := filepath.Join(h.home, "sessions")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; info.Mode().Perm() != want {
			h.t.Errorf("%s has the mode %v, want %v", path, info.Mode().Perm(), want)
		}
		if d.IsDir() || d.Name() == ".position" {
			return nil
		}
		text, err := os.ReadFile(path)
		name, wrong := filepath.Rel(root, path)
		out[name] = string(text)
		return errors.Join(err, wrong)
	})
	if err != nil {
		h.t.Fatalf("read the transcripts: %v", err)
	}
	return out
}

// line is a line of a file.
type line map[string]any

func linesOf(t testing.TB, name, text string) []line {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Fatalf("%s does not end with a line: %q", name, text)
	}
	var out []line
	for raw := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatalf("%s: %q is no JSON: %v", name, raw, err)
		}
		out = append(out, l)
	}
	return out
}

// problems compares the files with the store, by reading both anew. It returns what is
// different.
func (h *house) problems(owners ...owner.Owner) string {
	h.t.Helper()
	files := h.kept()
	var out strings.Builder
	for _, o := range owners {
		dir := transcript.DirOf(o)
		for _, s := range h.sessions(o) {
			name := h.nameOf(files, dir, s.ID)
			if name == "" {
				fmt.Fprintf(&out, "no file of session %q\n", s.ID)
				continue
			}
			if diff := cmp.Diff(h.want(o, &s), linesOf(h.t, name, files[name])); diff != "" {
				fmt.Fprintf(&out, "%s: the file has (+), the store (-):\n%s\n", name, diff)
			}
			delete(files, name)
		}
		index := filepath.Join(dir, "sessions.json")
		if diff := cmp.Diff(h.wantRoutes(o), h.routes(files[index])); diff != "" {
			fmt.Fprintf(&out, "%s: the file has (+), the store (-):\n%s\n", index, diff)
		}
		delete(files, index)
	}
	for name := range files {
		fmt.Fprintf(&out, "the file %s is no session's\n", name)
	}
	return out.String()
}

// nameOf is the file of a session: the one whose first line names it.
func (h *house) nameOf(files map[string]string, dir string, id session.ID) string {
	for _, name := range []string{transcript.PlainName(id), transcript.HashedName(id)} {
		name = filepath.Join(dir, name)
		if text, ok := files[name]; ok && strings.HasSuffix(name, ".jsonl") && linesOf(h.t, name, text)[0]["id"] == string(id) {
			return name
		}
	}
	return ""
}

// sessions are all sessions of an owner.
func (h *house) sessions(o owner.Owner) []session.Session {
	h.t.Helper()
	tips, err := h.db.Sessions(context.Background(), o, session.Filter{Limit: 100_000})
	var out []session.Session
	for i := range tips {
		rows, wrong := h.db.Sessions(context.Background(), o, session.Filter{Lineage: tips[i].RootID})
		err = errors.Join(err, wrong)
		out = append(out, rows...)
	}
	if err != nil {
		h.t.Fatalf("list sessions: %v", err)
	}
	return out
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// put sets a member that files leave out if it is empty.
func (l line) put(name, text string) {
	if text != "" {
		l[name] = text
	}
}

// want are the lines that a session must have.
func (h *house) want(o owner.Owner, s *session.Session) []line {
	h.t.Helper()
	head := line{"type": "session", "mirror": 1.0, "id": string(s.ID), "root_id": string(s.RootID), "source": string(s.Source), "started_at": stamp(s.StartedAt)}
	head.put("parent_session_id", string(s.ParentID))
	head.put("session_key", string(s.Key))
	head.put("user_id", s.UserID)
	head.put("title", s.Title)
	head.put("title_source", string(s.TitleSource))
	if s.Generation > 0 {
		head["generation"] = float64(s.Generation)
	}
	out := []line{head}
	ms, err := h.db.Messages(context.Background(), o, s.RootID, session.Range{})
	if err != nil {
		h.t.Fatalf("read messages: %v", err)
	}
	ms = of(s.ID, ms)
	from := 0
	for i := range ms {
		m := &ms[i]
		out = append(out, wantMessage(h.t, m))
		if i+1 < len(ms) && ms[i+1].UndoneAt.Equal(m.UndoneAt) {
			continue
		}
		if !m.Stands() {
			out = append(out, line{"type": "undone", "from": float64(ms[from].Seq), "to": float64(m.Seq + 1), "undone_at": stamp(m.UndoneAt)})
		}
		from = i + 1
	}
	if s.Ended() {
		out = append(out, line{"type": "end", "reason": string(s.EndReason), "ended_at": stamp(s.EndedAt)})
	}
	return out
}

// of are the messages of one session.
func of(id session.ID, ms []session.Message) []session.Message {
	var out []session.Message
	for i := range ms {
		if ms[i].SessionID == id {
			out = append(out, ms[i])
		}
	}
	return out
}

func wantMessage(t testing.TB, m *session.Message) line {
	t.Helper()
	out := line{
		"type": "message", "seq": float64(m.Seq), "id": float64(m.ID), "role": string(m.Role), "content": m.Content, "said_at": stamp(m.SaidAt),
	}
	for name, text := range map[string]string{
		"name": m.Name, "tool_call_id": m.ToolCallID, "tool_name": m.ToolName, "model": m.Model, "finish_reason": m.FinishReason,
	} {
		out.put(name, text)
	}
	if len(m.ToolCalls) > 0 {
		var calls any
		if err := json.Unmarshal(m.ToolCalls, &calls); err != nil {
			t.Fatal(err)
		}
		out["tool_calls"] = calls
	}
	return out
}

// routes is sessions.json: which session each route leads to, and since when.
func (h *house) routes(text string) map[string][4]string {
	h.t.Helper()
	var all map[string]transcript.Entry
	if err := json.Unmarshal([]byte(text), &all); err != nil && text != "" {
		h.t.Fatalf("sessions.json: %v", err)
	}
	out := make(map[string][4]string)
	for name, e := range all {
		display := ""
		if e.Display != nil {
			display = *e.Display
		}
		out[name] = [4]string{string(e.Key), string(e.Session), stamp(e.Active), display}
	}
	return out
}

// wantRoutes is what sessions.json must have.
func (h *house) wantRoutes(o owner.Owner) map[string][4]string {
	h.t.Helper()
	chats, err := h.db.ListChats(context.Background(), o, "")
	if err != nil {
		h.t.Fatalf("list chats: %v", err)
	}
	tips, err := h.db.Sessions(context.Background(), o, session.Filter{Limit: 100_000})
	if err != nil {
		h.t.Fatalf("list sessions: %v", err)
	}
	out := make(map[string][4]string)
	taken := make(map[session.Key]bool)
	for _, c := range chats {
		taken[c.Key] = true
	}
	newest := make(map[session.Key]session.Session)
	for _, s := range tips {
		if old, ok := newest[s.Key]; s.Key == "" || taken[s.Key] || ok && !later(&s, &old) {
			continue
		}
		newest[s.Key] = s
		out[string(s.Key)] = [4]string{string(s.Key), string(s.ID), stamp(s.LastActive), s.Title}
	}
	h.wantChats(o, chats, out)
	return out
}

// wantChats adds what sessions.json must have of chats. Of those with one name, the last active one whose key it is has it.
func (h *house) wantChats(o owner.Owner, chats []gateway.Chat, out map[string][4]string) {
	h.t.Helper()
	named := make(map[string]int)
	for name := range out {
		named[name]++
	}
	leads := make([]session.Session, len(chats))
	for i := range chats {
		if tip, err := h.db.Tip(context.Background(), o, chats[i].Session); err == nil {
			leads[i] = tip
			named[routeName(&chats[i])]++
		}
	}
	for i := range chats {
		c, tip := &chats[i], &leads[i]
		if tip.ID == "" {
			continue
		}
		name := routeName(c)
		if _, given := out[name]; named[name] > 1 && (c.Place.Thread != "" || given) {
			sum := sha256.Sum256([]byte(string(c.Place.Platform) + "\n" + c.Place.Account + "\n" + c.Place.Chat + "\n" + c.Place.Thread))
			name += "#" + hex.EncodeToString(sum[:6])
		}
		out[name] = [4]string{string(c.Key), string(tip.ID), stamp(tip.LastActive), c.Title}
	}
}

// routeName is the name of a chat's route that no other one has.
func routeName(c *gateway.Chat) string {
	return strings.TrimSuffix(string(c.Key)+":"+c.Place.Thread, ":")
}

// later reports whether a session of a key counts before another one.
func later(a, b *session.Session) bool {
	if c := a.LastActive.Compare(b.LastActive); c != 0 {
		return c > 0
	}
	if c := a.StartedAt.Compare(b.StartedAt); c != 0 {
		return c > 0
	}
	return a.ID > b.ID
}
