package gateway_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/tool"
)

// wire is a platform of its own: what it was sent, and what it answers to requests.
type wire struct {
	name gateway.Platform

	mu     sync.Mutex
	in     gateway.Intake
	shown  []shown // messages in the order they were sent
	marks  []gateway.Mark
	at     map[gateway.MessageID]gateway.Mark // the newest mark of a message
	edits  int
	refuse func(o *gateway.Out) error // before the message is taken
	lose   func(o *gateway.Out) error // after the message was taken
	hide   func() error               // when it is asked for a message
	kept   map[string][]byte          // the files of the platform, by their references
	asked  []string                   // the files that were fetched
	spoil  func(ref string) error     // when it is asked for a file
	erased []gateway.MessageID        // messages that people have deleted
}

// shown is a message as people see it.
type shown struct {
	place   gateway.Place
	id      gateway.MessageID
	out     string // gateway.Out.ID
	text    string
	reply   gateway.MessageID
	answers string // the interaction
	buttons []gateway.Button
	file    string
}

func (w *wire) Platform() gateway.Platform { return w.name }

func (w *wire) Run(ctx context.Context, in gateway.Intake) error {
	w.mu.Lock()
	w.in = in
	w.mu.Unlock()
	<-ctx.Done()
	return nil
}

func (w *wire) Send(_ context.Context, o *gateway.Out) (gateway.MessageID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse != nil {
		if err := w.refuse(o); err != nil {
			return "", err
		}
	}
	s := shown{place: o.Place, id: gateway.MessageID(fmt.Sprintf("m%d", len(w.shown)+len(w.erased)+1)), out: o.ID, text: o.Text, reply: o.ReplyTo, answers: o.Interaction, buttons: o.Buttons}
	if o.File != nil {
		s.file = string(o.File.Data)
	}
	w.shown = append(w.shown, s)
	if w.lose != nil {
		if err := w.lose(o); err != nil {
			return "", err
		}
	}
	return s.id, nil
}

// edited is how often a message was to be edited.
func (w *wire) edited() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.edits
}

func (w *wire) Edit(_ context.Context, m gateway.MessageID, o *gateway.Out) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.edits++
	for i := range w.shown {
		if w.shown[i].id == m {
			w.shown[i].text, w.shown[i].buttons = o.Text, o.Buttons
			return nil
		}
	}
	return &gateway.SendError{Reason: gateway.Missing, Text: "no such message"}
}

// erase takes messages away that people see, as a person does who deletes them.
func (w *wire) erase(ids ...gateway.MessageID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.erased = append(w.erased, ids...)
	w.shown = slices.DeleteFunc(w.shown, func(s shown) bool { return slices.Contains(ids, s.id) })
}

// mark is the mark that people see at a message; Clear for none.
func (w *wire) mark(m gateway.MessageID) gateway.Mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	if mark, ok := w.at[m]; ok {
		return mark
	}
	return gateway.Clear
}

func (w *wire) Signal(_ context.Context, _ gateway.Place, id gateway.MessageID, m gateway.Mark) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.marks = append(w.marks, m)
	if m != gateway.Typing {
		if w.at == nil {
			w.at = make(map[gateway.MessageID]gateway.Mark)
		}
		w.at[id] = m
	}
	return nil
}

func (w *wire) Fetch(_ context.Context, f gateway.FileRef) (io.ReadCloser, error) {
	w.mu.Lock()
	w.asked = append(w.asked, f.Ref)
	spoil := w.spoil
	data, ok := w.kept[f.Ref]
	w.mu.Unlock()
	if spoil != nil {
		if err := spoil(f.Ref); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "file_not_found", "The platform does not have the file any more.")
	}
	if cut, ok := bytes.CutSuffix(data, []byte("<cut>")); ok {
		return io.NopCloser(io.MultiReader(bytes.NewReader(cut), iotest.ErrReader(io.ErrUnexpectedEOF))), nil
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (w *wire) Limits() gateway.Limits {
	return gateway.Limits{
		Length: 400, Count: utf8.RuneCountInString, Dialect: markdown.Plain, Space: time.Second, GroupSpace: time.Second, Edit: 1200 * time.Millisecond,
		GroupEdit: 1200 * time.Millisecond, Typing: 5 * time.Second, Buttons: 3, FileSize: 1 << 20,
	}
}

// finder is a wire that can be asked what became of a message.
type finder struct{ *wire }

func (f finder) Find(_ context.Context, o *gateway.Out) (gateway.MessageID, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hide != nil {
		if err := f.hide(); err != nil {
			return "", false, err
		}
	}
	for _, s := range f.shown {
		if s.out == o.ID {
			return s.id, true, nil
		}
	}
	return "", false, nil
}

func (w *wire) said() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, s := range w.shown {
		out = append(out, s.text)
	}
	return out
}

// places are the chats that messages were sent to.
func (w *wire) places() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, s := range w.shown {
		out = append(out, s.place.Chat)
	}
	return out
}

// house is a gateway over a real database and a real runner, in a bubble.
type house struct {
	t        testing.TB
	path     string
	db       *sqlite.DB
	wire     *wire
	adapter  gateway.Adapter
	bot      *gateway.Bot
	settings gateway.Settings
	model    *model
	models   run.Models // the model alone, unless a test says otherwise
	tools    run.Tools
	runner   *run.Runner
	gateway  *gateway.Gateway
	registry *live.Registry
	curator  *curate.Curator
	files    *attachment.Files
	vision   bool
	hears    gateway.Transcriber         // nil unless a test says otherwise
	fails    func() error                // when events are settled; nil for never
	loses    func() error                // once events are settled; nil for never
	commits  func() error                // before events are stored; nil for never
	shared   bool                        // another server may use the store
	audited  bool                        // the audit is written
	again    []string                    // the deliveries that are to be looked at again
	breaks   func() error                // once messages are stored; nil for never
	lookups  atomic.Int64                // of messages that were sent
	marks    func() error                // before the state of a message is stored; nil for nothing
	mirrors  func(context.Context) error // in the middle of an erasure; nil for nothing
	begins   func()                      // before a part of an answer is stored that is being written; nil for nothing
	stop     context.CancelFunc
	ended    chan error
	events   int
	blind    atomic.Pointer[error]    // why nobody can say whether a session is at work; nil for nothing
	waking   bool                     // outside of a bubble
	looks    atomic.Int64             // into the inbox and the outbox
	shown    map[string]chan struct{} // of a benchmark: tells that a chat was sent an answer
}

// settling is the store of a house, which can fail when events are settled, and behind the
// storing of messages.
type settling struct {
	gateway.Store
	house *house
}

func (s settling) SettleEvents(ctx context.Context, o owner.Owner, c gateway.Settlement) (bool, error) {
	if s.house.fails != nil {
		if err := s.house.fails(); err != nil {
			return false, err
		}
	}
	alone, err := s.Store.SettleEvents(ctx, o, c)
	if err == nil && s.house.loses != nil {
		err = s.house.loses()
	}
	return alone, err
}

func (s settling) CommitEvents(ctx context.Context, host owner.Owner, c gateway.Committed) (gateway.Kept, error) {
	if s.house.commits != nil {
		if err := s.house.commits(); err != nil {
			return gateway.Kept{}, err
		}
	}
	return s.Store.CommitEvents(ctx, host, c)
}

func (s settling) FindSend(ctx context.Context, o owner.Owner, at gateway.Place, id string, message gateway.MessageID) (gateway.Send, error) {
	s.house.lookups.Add(1)
	return s.Store.FindSend(ctx, o, at, id, message)
}

func (s settling) MarkSend(ctx context.Context, o owner.Owner, m *gateway.Send) error {
	if s.house.marks != nil {
		if err := s.house.marks(); err != nil {
			return err
		}
	}
	return s.Store.MarkSend(ctx, o, m)
}

func (s settling) AddSends(ctx context.Context, o owner.Owner, list []gateway.Send) error {
	err := s.Store.AddSends(ctx, o, list)
	if err == nil && s.house.breaks != nil {
		err = s.house.breaks()
	}
	return err
}

func (s settling) OpenEvents(ctx context.Context, o owner.Owner, at gateway.Place, limit int) ([]gateway.Inbound, error) {
	s.house.looks.Add(1)
	return s.Store.OpenEvents(ctx, o, at, limit)
}

func (s settling) Sends(ctx context.Context, o owner.Owner, at gateway.Place, limit int) ([]gateway.Send, error) {
	s.house.looks.Add(1)
	return s.Store.Sends(ctx, o, at, limit)
}

func (s settling) BeginSend(ctx context.Context, o owner.Owner, m gateway.Send) error {
	if s.house.begins != nil {
		s.house.begins()
	}
	return s.Store.BeginSend(ctx, o, m)
}

// model answers with a script; without one it repeats what was said.
type model struct {
	mu      sync.Mutex
	prompts []*run.Prompt
	script  func(ctx context.Context, p *run.Prompt, say func(string)) error
	refuse  func(p *run.Prompt) error          // before it answers
	calls   func(p *run.Prompt) []run.ToolCall // instead of an answer; nil for none
	finish  string                             // why the answer ends; "" for "stop"
}

// Stream implements run.Model.
func (m *model) Stream(ctx context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	m.mu.Lock()
	m.prompts = append(m.prompts, p)
	m.mu.Unlock()
	if m.refuse != nil {
		if err := m.refuse(p); err != nil {
			return nil, err
		}
	}
	return func(yield func(run.Delta, error) bool) {
		ok := true
		if m.calls != nil {
			if calls := m.calls(p); len(calls) > 0 {
				yield(run.Delta{ToolCalls: calls, FinishReason: "tool_calls", Finishes: true}, nil)
				return
			}
		}
		say := func(text string) { ok = ok && yield(run.Delta{Content: text}, nil) }
		var err error
		if m.script != nil {
			err = m.script(ctx, p, say)
		} else {
			say("You said: " + p.Messages[len(p.Messages)-1].Content)
		}
		switch {
		case err != nil && ok:
			yield(run.Delta{}, err)
		case ok:
			yield(run.Delta{FinishReason: cmp.Or(m.finish, "stop"), Finishes: true}, nil)
		}
	}, nil
}

// count is how many prompts there were.
func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.prompts)
}

func (m *model) last() *run.Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.prompts) == 0 {
		return nil
	}
	return m.prompts[len(m.prompts)-1]
}

// ada is the person who is allowed.
const ada = "1001"

func setup(t testing.TB, change func(*house)) *house {
	t.Helper()
	h := &house{t: t, path: filepath.Join(t.TempDir(), "state.db"), model: &model{}, wire: &wire{name: gateway.Telegram}}
	h.adapter, h.models = h.wire, run.Models{Upstream: h.model}
	h.bot = &gateway.Bot{Account: "7", Owner: owner.Stored("alice"), Users: []string{ada}, Mention: true, Stream: true}
	h.settings = gateway.Settings{Busy: gateway.Queue, Reactions: true, Resets: gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetNone}}}
	if change != nil {
		change(h)
	}
	h.begin()
	return h
}

// begin starts a server.
func (h *house) begin() {
	h.t.Helper()
	h.db = runtest.Open(h.t, h.path)
	log := slog.New(slog.DiscardHandler)
	h.files = attachment.New(attachment.Parts{Store: h.db, Home: filepath.Dir(h.path), Now: time.Now, Log: log})
	if err := h.files.Mend(context.Background()); err != nil {
		h.t.Fatalf("mend files: %v", err)
	}
	var images run.Images
	if h.vision {
		images = h.files
	}
	h.runner, h.curator = runtest.New(h.db, &runtest.Parts{
		Models: h.models, Tools: h.tools, Files: h.files, Images: images, Mirror: h.mirror, Config: run.Config{Budgets: compression.Budgets{Model: "parrot"}, Now: time.Now},
	})
	h.registry = live.New(live.Parts{
		Store: h.db, Queue: h.db, Runner: h.runner, Approval: 10 * time.Minute, Grace: time.Second, Now: time.Now, Log: log,
	})
	h.bot.Adapter = h.adapter
	var auditor gateway.Auditor
	if h.audited {
		auditor = h.db
	}
	h.gateway = gateway.New(gateway.Parts{
		Store: settling{h.db, h}, Sessions: h.db, Runs: h.registry, Curator: h.curator, Settings: h.settings, Bots: []*gateway.Bot{h.bot}, Now: time.Now, Log: log,
		Saver: gateway.NewSaver(h.runner, h.db, tool.Saving()), Guard: &shaky{Guard: gateway.NewGuard(h.db, h.registry, h.db), h: h}, Files: h.files, Transcriber: h.hears,
		Deliveries: h, Shared: h.shared, Audit: auditor,
	})
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.ended = stop, make(chan error, 2)
	go func() { h.ended <- h.registry.Serve(ctx) }()
	<-h.registry.Begun()
	go func() { h.ended <- h.gateway.Run(ctx) }()
	h.wait()
}

// LookAgain notes a delivery, as the scheduler of jobs does.
func (h *house) LookAgain(_ context.Context, _ owner.Owner, id string) error {
	h.wire.mu.Lock()
	defer h.wire.mu.Unlock()
	h.again = append(h.again, id)
	return nil
}

// revised are the deliveries that are to be looked at again.
func (h *house) revised() []string {
	h.wire.mu.Lock()
	defer h.wire.mu.Unlock()
	return slices.Clone(h.again)
}

// mirror stands for the files that follow the store.
func (h *house) mirror(ctx context.Context, _ owner.Owner) error {
	if h.mirrors == nil {
		return nil
	}
	return h.mirrors(ctx)
}

// wait waits until all goroutines of a bubble do.
func (h *house) wait() {
	if !h.waking {
		synctest.Wait()
	}
}

// shaky is a guard that cannot be asked while h.blind says why.
type shaky struct {
	gateway.Guard
	h *house
}

func (s *shaky) Busy(ctx context.Context, o owner.Owner, at session.ID) (bool, error) {
	if err := s.h.blind.Load(); err != nil {
		return false, *err
	}
	return s.Guard.Busy(ctx, o, at)
}

// end stops the server in good order.
func (h *house) end() {
	h.t.Helper()
	h.stop()
	for range 2 {
		if err := <-h.ended; err != nil {
			h.t.Errorf("end: %v", err)
		}
	}
	h.wait()
	if err := h.db.Close(); err != nil {
		h.t.Error(err)
	}
}

// dm is a message of somebody in a private chat.
func (h *house) dm(user, text string) gateway.Event {
	h.events++
	return gateway.Event{
		ID: fmt.Sprint("e", h.events), Kind: gateway.Said, Place: gateway.Place{Chat: user}, Type: gateway.DM, Addressed: true,
		Message: gateway.MessageID(fmt.Sprint("in", h.events)), From: gateway.Sender{ID: user, Name: "Ada"}, Text: text, At: time.Now(),
	}
}

// group is a message in a group.
func (h *house) group(user, name, text string, addressed bool) gateway.Event {
	e := h.dm(user, text)
	e.Place.Chat, e.Type, e.Addressed, e.From.Name = "-42", gateway.Group, addressed, name
	return e
}

// receive hands events to the gateway, as an adapter does.
func (h *house) receive(events ...gateway.Event) {
	h.t.Helper()
	h.wire.mu.Lock()
	in := h.wire.in
	h.wire.mu.Unlock()
	if err := in.Commit(context.Background(), events, ""); err != nil {
		h.t.Fatalf("commit: %v", err)
	}
}

// settled waits until nothing is left to do for a while.
func (h *house) settled() {
	pass(30 * time.Second)
	synctest.Wait()
}

// chat is a chat as it is stored.
func (h *house) chat(id string) gateway.Chat {
	h.t.Helper()
	c, err := h.db.Chat(context.Background(), h.bot.Owner, gateway.Place{Platform: h.wire.name, Account: "7", Chat: id})
	if err != nil {
		h.t.Fatalf("chat %s: %v", id, err)
	}
	return c
}

// transcript is what a session says, a line each.
func (h *house) transcript(id session.ID) []string {
	h.t.Helper()
	tip, err := h.db.Tip(context.Background(), h.bot.Owner, id)
	if err != nil {
		h.t.Fatalf("tip of %s: %v", id, err)
	}
	ms, err := h.db.Messages(context.Background(), h.bot.Owner, tip.RootID, session.Range{Standing: true})
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for i := range ms {
		out = append(out, strings.TrimSpace(string(ms[i].Role)+" "+ms[i].Name)+": "+ms[i].Content)
	}
	return out
}

// pass lets time pass, and waits until all is done that was due.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
