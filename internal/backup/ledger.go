package backup

import (
	"bufio"
	"bytes"
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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// The kinds of entries.
const (
	kindThing    = "thing"
	kindLineage  = "lineage"
	kindSentence = "sentence"
	kindKey      = "key"
	kindMade     = "made"
	kindPerson   = "person"
)

// Entry is a line of a ledger: something that was forgotten, an API key that was made or
// revoked, or a person who was shut out, by a hash under the key of its store.
type Entry struct {
	Kind string `json:"kind"`
	// Store names the key of the hash.
	Store string `json:"store"`
	Owner string `json:"owner,omitempty"`
	Hash  string `json:"hash"`
	// Words is how many words the hash of a thing has, and Plain says that they are hashed
	// like in earlier versions.
	Words int       `json:"words,omitempty"`
	Plain bool      `json:"plain,omitempty"`
	Whole bool      `json:"whole,omitempty"` // see [memory.Erasure]
	At    time.Time `json:"at"`
	// Done says that the erasure was complete.
	Done bool `json:"done,omitempty"`
}

// Ledger is a file in the home, and a copy of it in the directory of backups. It is safe for
// concurrent use by one process.
type Ledger struct {
	home, dir string // directories; dir may be ""
	key       []byte
	now       func() time.Time
	log       *slog.Logger

	mu sync.Mutex
	// listed is what the files have told in a state of them.
	listed *Pending
	state  [2]fileState
}

// fileState tells whether a file has changed.
type fileState struct {
	size int64
	at   time.Time
}

// NewLedger returns the ledger of a home. dir is the directory of backups; "" for none. key is
// the key of the store's hashes.
func NewLedger(home, dir string, key []byte, now func() time.Time, log *slog.Logger) *Ledger {
	return &Ledger{home: home, dir: dir, key: key, now: now, log: log}
}

// StoreOf names the key of a store's hashes without telling it.
func StoreOf(key []byte) string {
	sum := sha256.Sum256(append([]byte("hermes ledger\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

// keyed is the hash of some parts under a key.
func keyed(key []byte, kind string, parts ...string) string {
	sum := memory.Keyed(key, sha256.Sum256([]byte("hermes "+kind+"\x00"+strings.Join(parts, "\x00"))))
	return hex.EncodeToString(sum[:])
}

// Forgot implements curate.Ledger.
func (l *Ledger) Forgot(ctx context.Context, o owner.Owner, e *memory.Erasure, done bool) error {
	hash := memory.Keyed(l.key, e.Hash)
	return l.add(ctx, &Entry{
		Kind: kindThing, Owner: o.ID(), Hash: hex.EncodeToString(hash[:]), Words: e.Words, Plain: e.Plain, Whole: e.Whole, Done: done,
	})
}

// ForgotLineage implements curate.Ledger.
func (l *Ledger) ForgotLineage(ctx context.Context, o owner.Owner, root session.ID, done bool) error {
	return l.add(ctx, &Entry{Kind: kindLineage, Owner: o.ID(), Hash: lineageHash(l.key, o, root), Done: done})
}

func lineageHash(key []byte, o owner.Owner, root session.ID) string {
	return keyed(key, kindLineage, o.ID(), string(root))
}

// ForgotSentence implements curate.Ledger.
func (l *Ledger) ForgotSentence(ctx context.Context, o owner.Owner, at memory.Place, sentence string, done bool) error {
	return l.add(ctx, &Entry{Kind: kindSentence, Owner: o.ID(), Hash: sentenceHash(l.key, o, at, sentence), Done: done})
}

func sentenceHash(key []byte, o owner.Owner, at memory.Place, sentence string) string {
	return keyed(key, kindSentence, o.ID(), string(at.Root), strconv.FormatInt(at.Seq, 10), sentence)
}

// Revoked records that an API key was revoked.
func (l *Ledger) Revoked(ctx context.Context, id string) error {
	return l.add(ctx, &Entry{Kind: kindKey, Hash: keyed(l.key, kindKey, id), Done: true})
}

// Made records that an API key was made: from then on the development key is not accepted.
func (l *Ledger) Made(ctx context.Context) error {
	return l.add(ctx, &Entry{Kind: kindMade, Hash: madeHash(l.key), Done: true})
}

func madeHash(key []byte) string { return keyed(key, kindMade) }

// ShutOut records that a person may no longer write to a bot of a chat platform.
func (l *Ledger) ShutOut(ctx context.Context, host owner.Owner, who Person) error {
	return l.add(ctx, &Entry{Kind: kindPerson, Owner: host.ID(), Hash: personHash(l.key, host, who), Done: true})
}

// Person is a person on a chat platform, by the ids there.
type Person struct{ Platform, Account, User string }

func personHash(key []byte, host owner.Owner, who Person) string {
	return keyed(key, kindPerson, host.ID(), who.Platform, who.Account, who.User)
}

// add appends an entry to the ledger of the home. If it cannot be added to the copy, [Ledger.Copy]
// does that later.
func (l *Ledger) add(ctx context.Context, e *Entry) error {
	e.Store, e.At = StoreOf(l.key), l.now().UTC()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := appendTo(l.home, []Entry{*e}); err != nil {
		return fault.Wrap(fault.Unavailable, "ledger_unwritable",
			"The ledger of erasures in the home cannot be written, so nothing was erased. Check the disk and the permissions of HERMES_HOME.", err)
	}
	if l.dir == "" {
		return nil
	}
	if err := appendTo(l.dir, []Entry{*e}); err != nil {
		l.log.WarnContext(ctx, "the ledger of erasures in the directory of backups cannot be written; it is copied there later", "err", err)
	}
	return nil
}

// Forgotten implements curate.Ledger. The files are read again once they have changed: other servers add to
// the copy.
func (l *Ledger) Forgotten(o owner.Owner) (*curate.Again, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var state [2]fileState
	for i, dir := range [...]string{l.home, l.dir} {
		if info, err := os.Stat(filepath.Join(dir, LedgerName)); dir != "" && err == nil {
			state[i] = fileState{info.Size(), info.ModTime()}
		}
	}
	if l.listed != nil && state == l.state {
		return l.listed.Again(o), nil
	}
	entries, err := ReadLedgers(l.home, l.dir)
	if err != nil {
		return nil, err
	}
	l.listed, l.state = PendingOf(entries, time.Time{}, l.key), state
	return l.listed.Again(o), nil
}

// Copy brings the ledgers of the home and of the directory of backups to the same entries.
func (l *Ledger) Copy() error {
	if l.dir == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(mergeInto(l.dir, l.home), mergeInto(l.home, l.dir))
}

// mergeInto appends what the ledger of a directory lacks of another one.
func mergeInto(dir, other string) error {
	mine, err := ReadLedger(dir)
	if err != nil {
		return err
	}
	theirs, err := ReadLedger(other)
	if err != nil {
		return err
	}
	return AppendMissing(dir, mine, theirs)
}

// AppendMissing appends to the ledger of a directory, which has some entries, what it lacks of
// others.
func AppendMissing(dir string, mine, others []Entry) error {
	known := make(map[Entry]bool)
	for _, e := range mine {
		known[e] = true
	}
	var lacking []Entry
	for _, e := range others {
		if !known[e] {
			known[e] = true
			lacking = append(lacking, e)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return appendTo(dir, lacking)
}

// appendTo appends entries to the ledger of a directory. They are durable when it returns.
func appendTo(dir string, entries []Entry) (err error) {
	file := filepath.Join(dir, LedgerName)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) // servers may share the directory
	if err != nil {
		return fmt.Errorf("open the ledger: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	var text []byte
	if info.Size() > 0 {
		text = append(text, '\n') // ends a line that a crash has cut off
	}
	for i := range entries {
		line, err := json.Marshal(&entries[i])
		if err != nil {
			return fmt.Errorf("encode an entry of the ledger: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if _, err := f.Write(text); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if info.Size() == 0 {
		return syncDir(dir)
	}
	return nil
}

// ReadLedgers reads the ledgers of some directories; "" is no directory.
func ReadLedgers(dirs ...string) (entries []Entry, err error) {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		more, err := ReadLedger(dir)
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	return entries, nil
}

// ReadLedger reads the ledger of a directory; none is an empty one.
func ReadLedger(dir string) ([]Entry, error) {
	text, err := os.ReadFile(filepath.Join(dir, LedgerName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return parseLedger(text), nil
}

// maxLine bounds a line of a ledger, in bytes.
const maxLine = 64 << 10

// parseLedger reads entries. Lines that are none are left out: a crash may have cut one off.
func parseLedger(text []byte) []Entry {
	var out []Entry
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		hash, err := hex.DecodeString(e.Hash)
		if err == nil && len(hash) == sha256.Size && e.Words >= 0 {
			out = append(out, e)
		}
	}
	return out
}
