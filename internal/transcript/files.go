package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/session"
)

// files are the files under a directory that no name leads out of: also not a link in it.
// One goroutine at a time uses them.
type files struct {
	root *os.Root
	// step is called before each change of a file, for tests that end the process there;
	// nil for nothing.
	step func(change string) error
}

// openFiles opens the directory of transcripts in a home, and makes it if need be.
func openFiles(home string, step func(string) error) (*files, error) {
	outer, err := os.OpenRoot(home)
	if err != nil {
		return nil, fmt.Errorf("open the home: %w", err)
	}
	defer func() { _ = outer.Close() }()
	if err := private(outer, folder); err != nil {
		return nil, err
	}
	root, err := outer.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the directory of transcripts: %w", err)
	}
	f := &files{root: root, step: step}
	if err := f.remove(partName); err != nil { // of a process that ended while it wrote
		f.close()
		return nil, err
	}
	return f, nil
}

// private makes a directory that only this account can enter.
func private(in *os.Root, name string) error {
	err := in.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = in.Chmod(name, 0o700)
	}
	if err != nil {
		return fmt.Errorf("make a directory of transcripts: %w", err)
	}
	return nil
}

func (f *files) close() { _ = f.root.Close() }

// before is called before a change.
func (f *files) before(change string) error {
	if f.step == nil {
		return nil
	}
	return f.step(change)
}

// size is the size of a file: 0 if there is none, and -1 for a directory, a link or
// another thing that is no plain file.
func (f *files) size(name string) (int64, error) {
	info, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return -1, nil
	}
	return info.Size(), nil
}

// begins reports whether a file begins with a text.
func (f *files) begins(name string, text []byte) (bool, error) {
	if size, err := f.size(name); err != nil || size <= 0 {
		return false, err
	}
	in, err := f.root.Open(name)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { _ = in.Close() }()
	got := make([]byte, len(text))
	n, err := io.ReadFull(in, got)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return bytes.Equal(got[:n], text), err
}

// tailPiece is how much of the end of a file is read at a time.
const tailPiece = 16 << 10

// lastLine is the last line of a file; nil if its end is no end of a line.
func (f *files) lastLine(name string) ([]byte, error) {
	in, err := f.root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", name, err)
	}
	var tail []byte
	for from := info.Size(); from > 0; {
		n := min(from, tailPiece+int64(len(tail))) // the pieces grow, so that long lines are not copied often
		from -= n
		piece := make([]byte, n, n+int64(len(tail)))
		if _, err := in.ReadAt(piece, from); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		tail = append(piece, tail...)
		if tail[len(tail)-1] != '\n' {
			return nil, nil
		}
		if i := bytes.LastIndexByte(tail[:len(tail)-1], '\n'); i >= 0 {
			return tail[i+1:], nil
		}
	}
	return tail, nil
}

// replace gives a file other content, which readers see as a whole or not at all. The file
// is left alone if it has the content already. changed says that it had not.
func (f *files) replace(name string, write func(io.Writer) error) (changed bool, err error) {
	if err := f.writePart(write); err != nil {
		return false, errors.Join(err, f.root.Remove(partName))
	}
	if same, err := f.same(partName, name); err != nil || same {
		return false, errors.Join(err, f.root.Remove(partName))
	}
	if err := f.sync(partName); err != nil {
		return false, err
	}
	if err := f.before("rename " + name); err != nil {
		return false, err
	}
	if err := f.root.Rename(partName, name); err != nil {
		return false, fmt.Errorf("replace %s: %w", name, err)
	}
	return true, nil
}

// writePart writes the file being written.
func (f *files) writePart(write func(io.Writer) error) error {
	if err := f.before("create"); err != nil {
		return err
	}
	out, err := f.root.OpenFile(partName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write a transcript: %w", err)
	}
	err = f.fill(out, write)
	if wrong := out.Close(); err == nil && wrong != nil {
		err = fmt.Errorf("write a transcript: %w", wrong)
	}
	return err
}

// fill writes to a file in pieces.
func (f *files) fill(out *os.File, write func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(&stepWriter{f, out}, 64<<10)
	if err := write(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return fmt.Errorf("write a transcript: %w", err)
	}
	return nil
}

// stepWriter writes to a file in two steps, between which a test can end the process.
type stepWriter struct {
	f   *files
	out *os.File
}

// Write implements io.Writer.
func (w *stepWriter) Write(p []byte) (int, error) {
	if w.f.step == nil {
		return w.out.Write(p)
	}
	half := len(p) / 2
	for _, part := range [][]byte{p[:half], p[half:]} {
		if err := w.f.before("write"); err != nil {
			return 0, err
		}
		if _, err := w.out.Write(part); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// same reports whether two files have the same content.
func (f *files) same(a, b string) (bool, error) {
	sizeA, errA := f.size(a)
	sizeB, errB := f.size(b)
	if err := errors.Join(errA, errB); err != nil || sizeA != sizeB || sizeA == 0 {
		return false, err
	}
	inA, err := f.root.Open(a)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", a, err)
	}
	defer func() { _ = inA.Close() }()
	inB, err := f.root.Open(b)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", b, err)
	}
	defer func() { _ = inB.Close() }()
	return equal(inA, inB)
}

// equal compares two readers of one length.
func equal(a, b io.Reader) (bool, error) {
	pieceA, pieceB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, pieceA)
		m, errB := io.ReadFull(b, pieceB)
		if !bytes.Equal(pieceA[:n], pieceB[:m]) {
			return false, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, nil
		}
		if err = errors.Join(err, errB); err != nil {
			return false, fmt.Errorf("compare a transcript: %w", err)
		}
	}
}

// add adds to the end of a file.
func (f *files) add(name string, write func(io.Writer) error) error {
	if err := f.before("open " + name); err != nil {
		return err
	}
	out, err := f.root.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	err = f.fill(out, write)
	if wrong := out.Close(); err == nil && wrong != nil {
		err = fmt.Errorf("write %s: %w", name, wrong)
	}
	return err
}

// sync waits until a file or a directory is durable. What is gone needs no wait.
func (f *files) sync(name string) error {
	if err := f.before("sync " + name); err != nil {
		return err
	}
	if err := durable.Sync(f.root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make %s durable: %w", name, err)
	}
	return nil
}

// remove removes a file, if it is there.
func (f *files) remove(name string) error {
	if err := f.before("remove " + name); err != nil {
		return err
	}
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}

// makeDir makes a directory of an owner, if it is not there.
func (f *files) makeDir(name string) error {
	if name == "." {
		return nil
	}
	if info, err := f.root.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := f.before("mkdir " + name); err != nil {
		return err
	}
	return private(f.root, name)
}

// each calls do for the entries of a directory, in pieces: there may be many.
func (f *files) each(dir string, do func(fs.DirEntry) error) error {
	in, err := f.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer func() { _ = in.Close() }()
	for {
		list, err := in.ReadDir(1024)
		for _, e := range list {
			if err := do(e); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", path.Join(folder, dir), err)
		}
	}
}

// read is the content of a small file; nil if there is none.
func (f *files) read(name string) ([]byte, error) {
	text, err := f.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}

// headID is the id of the session in the first line of a file; "" if there is none.
func (f *files) headID(name string) (session.ID, error) {
	in, err := f.root.Open(name)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { _ = in.Close() }()
	line, err := bufio.NewReader(in).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	var h Head
	if json.Unmarshal(line, &h) != nil {
		return "", nil
	}
	return h.ID, nil
}
