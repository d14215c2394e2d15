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
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// The store has a position, which it raises whenever sessions are taken off its list, and
// the directory has a file with that position. If the two differ, the files belong to another state of the store:
// one of them was deleted, or brought back from a backup. All files are then compared with
// the store.

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
	// A process may have ended after the store raised its position, and before it wrote it.
	if at, ok := parsePosition(text); !ok || at != stored && at != stored-1 {
		clear(m.done)
		if err := m.relist(ctx, f); err != nil {
			return err
		}
	}
	m.placed = true
	return nil
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

func parsePosition(text []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

func writePosition(f *files, position int64) error {
	_, err := f.replace(positionName, func(to io.Writer) error {
		_, err := io.WriteString(to, strconv.FormatInt(position, 10)+"\n")
		return err
	})
	return err
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
