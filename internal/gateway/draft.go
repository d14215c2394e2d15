package gateway

import (
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// When the first text of an answer is shown.
const (
	firstText = 40 // characters
	firstWait = 1500 * time.Millisecond
)

// draft is an answer that is being written.
type draft struct {
	owner   owner.Owner
	chat    *Chat
	run     string
	asker   string // the platform's id of the person who asked
	streams bool
	notice  string // what the answer begins with; "" for nothing
	// replyTo and interaction are those of the answer.
	replyTo     MessageID
	interaction string

	mu    sync.Mutex
	held  string // what was written before the answer: thoughts, as far as is known
	text  string
	begun time.Time // when the first text came; zero before
	shown []shownPart
	sent  bool          // a message of the answer may be stored
	gone  []int         // the parts whose messages are gone
	look  time.Time     // when the lane looks at the text by itself; zero for never
	edits bool          // the platform refuses drafts, so that a message is sent and edited
	left  bool          // the chat has another id now: who works on that id follows the turn
	asked map[int]asked // the calls that wait for an approval, by their numbers
}

// shownPart is a part of the answer as the platform shows it.
type shownPart struct {
	text    string
	at      time.Time
	message MessageID // "" if it is a draft of the platform
}

// restart throws the text away: the turn has begun again. What is shown stays, and is edited.
func (d *draft) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held, d.text, d.begun, d.look = "", "", time.Time{}, time.Time{}
}

// asked is a request for an approval.
type asked struct {
	live.Approval
	seq int64 // the number of the request among the events of the turn
}

// ask notes that a call waits for an approval.
func (d *draft) ask(a asked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked == nil {
		d.asked = make(map[int]asked)
	}
	d.asked[a.Number] = a
}

// answer notes that a call does not wait any more, and returns the request for it.
func (d *draft) answer(number int) (a asked, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, ok = d.asked[number]
	delete(d.asked, number)
	return a, ok
}

// answerAll notes that no call waits any more, and returns the requests for those that did.
func (d *draft) answerAll() map[int]asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.asked
	d.asked = nil
	return all
}

// add adds text that came at a time. It reports whether the lane must be asked to show the text. What the model thinks
// before it answers is no text.
func (d *draft) add(text string, at, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.text == "" {
		var whole bool
		d.held += text
		if text, whole = session.AfterThoughts(d.held); !whole {
			return false
		}
		d.held, d.begun = "", at
	}
	if text == "" {
		return false
	}
	d.text += text
	return d.streams && !d.look.After(now)
}

// later notes when the lane looks at the text by itself, and returns that time.
func (d *draft) later(at time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look = at
	return at
}

// refuse notes that the platform refuses drafts.
func (d *draft) refuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.edits, d.shown = true, nil
}

// conceal ends the showing: the message that showed a part is gone.
func (d *draft) conceal(part int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams, d.shown, d.gone = false, nil, append(d.gone, part)
}

// send notes that a message of the answer is going to be stored.
func (d *draft) send() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = true
}

// leave notes that the chat has another id now. Nothing more is shown under the old one.
func (d *draft) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.streams = true, false
}

// hasLeft reports whether the chat has another id now.
func (d *draft) hasLeft() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left
}

// missing are the parts whose messages are gone.
func (d *draft) missing() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.gone)
}

// edited reports whether the text is shown in messages that are edited.
func (d *draft) edited() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.edits
}

// silent reports whether there is no text yet.
func (d *draft) silent() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text == ""
}

// visible is the text to be shown at a time; "" while it is too short. until is when a text
// that is too short is shown all the same; zero for never.
func (d *draft) visible(now time.Time) (text string, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !d.streams || d.text == "":
		return "", time.Time{}
	case utf8.RuneCountInString(d.text) < firstText && now.Sub(d.begun) < firstWait:
		return "", d.begun.Add(firstWait)
	case maySilence(d.text):
		return "", time.Time{}
	case len(d.shown) == 0 && markdown.Blank(d.text): // platforms refuse it
		return "", time.Time{}
	}
	if d.notice != "" {
		return d.notice + "\n\n" + d.text, time.Time{}
	}
	return d.text, time.Time{}
}

// show notes what the platform shows of a part, and in which message; "" for a draft.
func (d *draft) show(part int, text string, at time.Time, message MessageID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.shown) <= part {
		d.shown = append(d.shown, shownPart{})
	}
	d.shown[part] = shownPart{text, at, message}
}

// messages are the messages that show the parts.
func (d *draft) messages() []MessageID {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]MessageID, len(d.shown))
	for i := range d.shown {
		out[i] = d.shown[i].message
	}
	return out
}

// part is what the platform shows of a part.
func (d *draft) part(n int) shownPart {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n < len(d.shown) {
		return d.shown[n]
	}
	return shownPart{}
}

// drafts are the answers that are being written, by chat.
type drafts struct {
	mu sync.Mutex
	by map[laneKey]*draft
	// past are the answers that are complete, until their messages have the last text.
	past map[laneKey]*draft
	// moves counts how often a chat has got another id.
	moves int
}

func newDrafts() drafts { return drafts{by: make(map[laneKey]*draft), past: make(map[laneKey]*draft)} }

// begin begins the draft of a chat's turn.
func (ds *drafts) begin(o owner.Owner, c *Chat, b *batch, streams bool) *draft {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := &draft{
		owner: o, chat: c, run: b.run, asker: b.events[0].From.ID, streams: streams, notice: c.Notice, replyTo: b.replyTo(c),
		interaction: b.interaction(),
	}
	ds.by[laneKey{answering, o.ID(), c.Place}] = d
	return d
}

// end ends a draft. The text that a chat shows of the draft is known until the draft is forgotten.
func (ds *drafts) end(d *draft) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	key := laneKey{answering, d.owner.ID(), d.chat.Place}
	if ds.by[key] == d {
		delete(ds.by, key)
		ds.past[key] = d
	}
}

// leave ends the showing of the answers of a chat, in all its threads, that has another id now.
func (ds *drafts) leave(o owner.Owner, at Place) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.moves++
	for key, d := range ds.by {
		if key.owner == o.ID() && whole(key.place) == whole(at) {
			d.leave()
		}
	}
}

// moved is how often a chat has got another id.
func (ds *drafts) moved() int {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.moves
}

// forget forgets the answer of a chat that is complete.
func (ds *drafts) forget(o owner.Owner, at Place) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.past, laneKey{answering, o.ID(), at})
}

// lose forgets what is shown of a turn's answer: one of its messages is gone.
func (ds *drafts) lose(o owner.Owner, s *Send) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	key := laneKey{answering, o.ID(), s.Place}
	for _, d := range []*draft{ds.by[key], ds.past[key]} {
		if d != nil && d.run == s.Origin {
			d.conceal(s.Part)
		}
	}
}

// shows reports whether a platform shows a text as a part of a turn's answer.
func (ds *drafts) shows(o owner.Owner, s *Send, text string) bool {
	ds.mu.Lock()
	key := laneKey{answering, o.ID(), s.Place}
	list := []*draft{ds.by[key], ds.past[key]}
	ds.mu.Unlock()
	for _, d := range list {
		if d != nil && d.run == s.Origin {
			return d.part(s.Part).text == text
		}
	}
	return false
}

// sent reports whether a message of the answer that is being written in a chat may be stored.
func (ds *drafts) sent(o owner.Owner, at Place) bool {
	d := ds.of(o, at)
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sent
}

// of is the draft of a chat; nil for none.
func (ds *drafts) of(o owner.Owner, at Place) *draft {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.by[laneKey{answering, o.ID(), at}]
}
