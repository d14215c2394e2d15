package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// The store has a position, which it raises whenever sessions are taken off its list, and
// the directory has a file with that position. If the two differ, the files belong to another state of the store:
// one of them was deleted, or brought back from a backup. All files are then compared with
// the store.
//
// A mirror that is closed adds a digest of its files to the position. If the digest differs
// at the next start, others have changed files meanwhile, and all files are compared as well.

// quickBytes is the size of all files up to which a start compares them with the store if
// there is no digest, because the process before was killed. Larger files are compared only
// where the store's list names them: reading all of them would delay what is new.
const quickBytes = 64 << 20

// takePlace compares the positions, when the mirror first uses the files, or if somebody
// has deleted them meanwhile.
func (m *Mirror) takePlace(ctx context.Context, f *files) error {
	text, err := f.read(positionName)
	if err != nil || m.placed && text != nil {
		return err
	}
	stored, err := m.store.TranscriptPosition(ctx)
	if err != nil {
		return err
	}
	foreign := true
	// A process may have ended after the store raised its position, and before it wrote it.
	if p, ok := parsePosition(text); ok && (p.number == stored || p.number == stored-1) {
		if foreign, err = m.changed(f, p.digest); err != nil {
			return err
		}
	}
	if foreign {
		clear(m.done)
		if err := m.relist(ctx, f); err != nil {
			return err
		}
	}
	m.placed = true
	return nil
}

// changed reports whether others may have changed files since the digest was made.
func (m *Mirror) changed(f *files, digest string) (bool, error) {
	sum, size, err := f.digest()
	if digest == "" {
		return size <= m.quick, err
	}
	return sum != digest, err
}

// relist puts all sessions on the list, and removes the files of those that are gone.
func (m *Mirror) relist(ctx context.Context, f *files) error {
	owners, err := m.store.ListTranscripts(ctx)
	if err != nil {
		return err
	}
	m.due[owner.LocalID] = owner.Local()
	for _, o := range owners {
		m.due[o.ID()] = o
	}
	w := &writer{store: m.store, files: f}
	if err := w.strays(ctx, owners); err != nil {
		return err
	}
	position, err := m.store.TranscriptPosition(ctx)
	if err != nil {
		return err
	}
	return writePosition(f, position)
}

// position is the content of the file of that name.
type position struct {
	number int64  // the store's
	digest string // of the files, when the mirror was closed; "" if it was not
}

// positionForm is a number, and a digest if there is one.
var positionForm = regexp.MustCompile(`^([0-9]{1,18})(?: ([0-9a-f]{32}))?$`)

// parsePosition reads a position. ok is false if the text is none.
func parsePosition(text []byte) (p position, ok bool) {
	parts := positionForm.FindSubmatch(bytes.TrimSpace(text))
	if parts == nil {
		return position{}, false
	}
	n, err := strconv.ParseInt(string(parts[1]), 10, 64)
	return position{n, string(parts[2])}, err == nil
}

func (p position) String() string {
	return strings.TrimSpace(strconv.FormatInt(p.number, 10) + " " + p.digest)
}

func writePosition(f *files, number int64) error { return position{number: number}.write(f) }

func (p position) write(f *files) error {
	_, err := f.replace(positionName, func(to io.Writer) error {
		_, err := io.WriteString(to, p.String()+"\n")
		return err
	})
	return err
}

// sign adds the digest of the files to the position: this mirror writes no more.
func (m *Mirror) sign(ctx context.Context) error {
	return m.alone(ctx, func(f *files) error {
		text, err := f.read(positionName)
		if err != nil {
			return err
		}
		p, ok := parsePosition(text)
		if !ok { // nothing was settled yet
			return nil
		}
		if p.digest, _, err = f.digest(); err != nil {
			return err
		}
		return p.write(f)
	})
}

// Remove removes the files of a home in which no transcripts are kept any more: those
// that a Mirror has written, and no others.
func Remove(home string) error {
	if there, err := isMirror(home); err != nil || !there {
		return err
	}
	f, err := openFiles(home, nil)
	if err == nil {
		err = (&writer{files: f}).dropAll()
		f.close()
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "transcripts_failed",
			"The setting transcripts.enabled is false, but the transcripts that were written before could not be removed. Remove the directory "+
				filepath.Join(home, folder)+" by hand, or set transcripts.enabled to true.", err)
	}
	return nil
}

// isMirror reports whether a home has files of a Mirror.
func isMirror(home string) (bool, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return false, fmt.Errorf("open the home: %w", err)
	}
	defer func() { _ = root.Close() }()
	_, err = root.Lstat(folder + "/" + positionName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// dropAll removes all files, and the directory if nothing else is in it. The position goes
// last: as long as it is there, the next start removes the rest.
func (w *writer) dropAll() error {
	err := w.files.each(".", func(e fs.DirEntry) error {
		if e.IsDir() && strings.HasPrefix(e.Name(), ownerPrefix) {
			return w.dropOwner(e.Name())
		}
		if mine, err := w.mine(e.Name()); err != nil || !mine {
			return err
		}
		return w.files.remove(e.Name())
	})
	if err != nil {
		return err
	}
	return w.files.remove(positionName)
}
