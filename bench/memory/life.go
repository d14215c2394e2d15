package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"time"
)

// firstContact is the development set: nine lives by another hand.
//
//go:embed testdata/first-contact.json
var firstContact []byte

// secondContact is a set that no model is fitted to, and nothing is tuned to: four lives in
// other styles. Read its figures, and not its questions.
//
//go:embed testdata/second-contact.json
var secondContact []byte

//go:embed testdata/own-contact-*.json
var ownContact embed.FS

// ownAsked has more questions about these lives, each of which asks for several statements.
//
//go:embed testdata/own-asked.json
var ownAsked []byte

// ownLives are the project's own lives, to fit models to.
func ownLives() ([]life, error) {
	names, err := fs.Glob(ownContact, "testdata/*.json")
	if err != nil {
		return nil, err
	}
	var more struct {
		Asked map[string][]lifeQuestion `json:"asked"`
	}
	if err = json.Unmarshal(ownAsked, &more); err != nil {
		return nil, fmt.Errorf("own-asked.json: %w", err)
	}
	var out []life
	for _, name := range names { // in the order of their names
		data, err := ownContact.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lives, err := parseLives(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range lives {
			lives[i].Asked = append(lives[i].Asked, more.Asked[lives[i].ID]...)
			if err = lives[i].check(); err != nil {
				return nil, fmt.Errorf("%s: %w", lives[i].ID, err)
			}
		}
		out = append(out, lives...)
	}
	return out, nil
}

// life is a scope of a set of lives in chat messages: what was said, when, and what is
// asked about it when. The set's own "fields" explain every member.
type life struct {
	ID         string         `json:"id"`
	About      string         `json:"about"`
	Language   string         `json:"language"`
	Zone       string         `json:"zone"`
	Sessions   []lifeSession  `json:"sessions"`
	Messages   []lifeMessage  `json:"messages"`
	Updates    []lifeUpdate   `json:"updates"`
	NotUpdates []lifePair     `json:"not_updates"`
	Asked      []lifeQuestion `json:"questions"`
	Noise      []lifeNoise    `json:"noise"`
	NoiseSpans []lifeSpan     `json:"noise_spans"`
	Standing   []lifeWish     `json:"standing"`
	Withdrawn  []lifeWish     `json:"withdrawn"`

	places map[string]int // of a message in Messages, by its id
}

type lifeSession struct {
	N       int       `json:"n"`
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
}

// lifeMessage is a message. Statement says that the user told it as the user's own.
type lifeMessage struct {
	ID        string    `json:"id"`
	Session   string    `json:"session"`
	Time      time.Time `json:"time"`
	Role      string    `json:"role"`
	Statement bool      `json:"statement"`
	Text      string    `json:"text"`
}

// lifeUpdate says that one message supersedes another in what it says of What, and in
// all that the other says if Whole.
type lifeUpdate struct {
	Older string `json:"older"`
	Newer string `json:"newer"`
	Kind  string `json:"kind"`
	What  string `json:"what"`
	Whole bool   `json:"whole"`
}

// lifePair is two messages that look like an update and are none.
type lifePair struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Why  string `json:"why"`
	What string `json:"what"`
}

// lifeNoise is a message that must never be kept, or should rather not be if not Hard.
type lifeNoise struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Hard bool   `json:"hard"`
}

// lifeSpan is the part of a statement that quotes someone else.
type lifeSpan struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// lifeWish is a wish in force at the end, or one that the message By withdrew.
type lifeWish struct {
	ID   string `json:"id"`
	By   string `json:"by"`
	Wish string `json:"wish"`
}

// lifeQuestion is a question with regular expressions for its answers: one of Must and
// all of MustAll are in a right answer, none of MustNot is. The lists of messages are
// ids: Evidence answers it, Stale is what the evidence supersedes, Distractors and Decoys
// (noise and replies) have a wrong value, Near is about the same.
type lifeQuestion struct {
	ID           string    `json:"id"`
	Kind         string    `json:"kind"`
	Question     string    `json:"question"`
	AskedAt      time.Time `json:"asked_at"`
	Told         bool      `json:"told"`
	Overlap      string    `json:"overlap"`
	OverlapShare float64   `json:"overlap_share"`
	Language     string    `json:"language"`
	Gold         string    `json:"gold"`
	Must         []string  `json:"must"`
	MustAll      []string  `json:"must_all"`
	MustNot      []string  `json:"must_not"`
	Evidence     []string  `json:"evidence"`
	Stale        []string  `json:"stale"`
	Distractors  []string  `json:"distractors"`
	Decoys       []string  `json:"decoys"`
	Near         []string  `json:"near"`
	QuotesStale  bool      `json:"quotes_stale"`
}

// loadLives reads a file of lives; "" is the development set, and "own" the project's own.
func loadLives(path string) ([]life, error) {
	if path == "own" {
		return ownLives()
	}
	data := firstContact
	if path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("read the lives: %w", err)
		}
	}
	out, err := parseLives(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

func parseLives(data []byte) ([]life, error) {
	var file struct {
		Scopes []life `json:"scopes"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	for i := range file.Scopes {
		l := &file.Scopes[i]
		l.places = make(map[string]int, len(l.Messages))
		for place := range l.Messages {
			l.places[l.Messages[place].ID] = place
		}
		if err := l.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.ID, err)
		}
	}
	return file.Scopes, nil
}

// check finds ids that no message has, and patterns that cannot be read.
func (l *life) check() error {
	var ids []string
	for _, u := range l.Updates {
		ids = append(ids, u.Older, u.Newer)
	}
	for _, p := range l.NotUpdates {
		ids = append(ids, p.A, p.B)
	}
	for _, n := range l.Noise {
		ids = append(ids, n.ID)
	}
	for _, s := range l.NoiseSpans {
		ids = append(ids, s.ID)
	}
	for _, w := range slices.Concat(l.Standing, l.Withdrawn) {
		ids = append(ids, w.ID)
	}
	for i := range l.Asked {
		q := &l.Asked[i]
		ids = slices.Concat(ids, q.Evidence, q.Stale, q.Distractors, q.Decoys, q.Near)
		for _, pattern := range slices.Concat(q.Must, q.MustAll, q.MustNot) {
			if _, err := regexp.Compile("(?is)" + pattern); err != nil {
				return fmt.Errorf("%s: %w", q.ID, err)
			}
		}
	}
	for _, id := range ids {
		if _, known := l.places[id]; !known {
			return fmt.Errorf("no message %s", id)
		}
	}
	return nil
}

// message is the message with an id, which the life has.
func (l *life) message(id string) *lifeMessage { return &l.Messages[l.places[id]] }
