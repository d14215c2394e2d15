// Package attachment keeps the files that people send: a row for each in the store, and the
// bytes under their hash in a directory of the home. It knows no platform and no model.
//
// The store is the truth. Bytes are durable before their row is stored, and are erased
// behind the row: bytes without a row are of no use, and [Files.Tidy] removes them.
package attachment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// MaxSize is the size of the largest file that is kept, in bytes.
const MaxSize = 20 << 20

// Hash is the SHA-256 of the bytes of a file.
type Hash [sha256.Size]byte

// String is the hash in hexadecimal digits. It is the name of the bytes on the disk.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Kind says what a file is for the person who sent it, such as "photo".
type Kind string

// File is a file that is kept.
type File struct {
	ID   session.FileID
	Kind Kind
	Name string // "" if it has none. It is text of strangers.
	Mime string // as the platform says; "" if it does not
	Size int64  // in bytes
	Hash Hash
	// Spoken is what is said in a voice message, if a model has written it down.
	Spoken string
	// Run is the turn that the file was kept for.
	Run string
	// Root and Seq are the place of the message that the file came with. Root is "" until
	// that message is stored.
	Root   session.ID
	Seq    int64
	KeptAt time.Time
}

// Store keeps what is known of files. Each method is one transaction, and durable when it
// returns without an error. The store of messages notes which message a file came with, and
// erases a file with its message: see [session.Message.Files].
type Store interface {
	// PutFile stores a file. If the owner has a file of its ID, that one stays as it is.
	PutFile(ctx context.Context, o owner.Owner, f *File) error
	// File returns a file. NotFound if the owner has none of this ID.
	File(ctx context.Context, o owner.Owner, id session.FileID) (File, error)
	// Files lists the files of an owner in the order they were kept.
	Files(ctx context.Context, o owner.Owner) ([]File, error)
	// SpokenFile stores what is said in a file.
	SpokenFile(ctx context.Context, o owner.Owner, id session.FileID, text string) error
	// DropFiles erases files.
	DropFiles(ctx context.Context, o owner.Owner, ids []session.FileID) error
	// SweepFiles erases the files that were kept before old, and those without a message that
	// were kept before unsaid.
	SweepFiles(ctx context.Context, old, unsaid time.Time) error
	// FileOwners lists the owners who have files.
	FileOwners(ctx context.Context) ([]owner.Owner, error)
}

// Parts are what Files are made of.
type Parts struct {
	Store Store
	Home  string // the directory in which the directory of files is
	Now   func() time.Time
	Log   *slog.Logger
}

// Files keeps files. It is safe for concurrent use.
type Files struct {
	store Store
	home  string
	now   func() time.Time
	log   *slog.Logger
	// tidying is held shared from the moment that bytes have their name until their row is
	// stored, and alone while bytes without a row are removed.
	tidying sync.RWMutex
}

// New returns Files.
func New(p Parts) *Files {
	return &Files{store: p.Store, home: p.Home, now: p.Now, log: p.Log}
}

// failure is the fault for people.
func failure(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.Unavailable, "files_failed",
		"The files in the directory files could not be read or written. See the server's log; check the directory and the space on the disk.", err)
}
