package attachment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Keep keeps a file with the bytes of a reader. Its Size, Hash and KeptAt are set here. The
// file is durable when Keep returns without an error. If the owner has a file of its ID, that
// one stays, and is returned.
func (f *Files) Keep(ctx context.Context, o owner.Owner, file File, from io.Reader) (File, error) {
	d, err := makeDir(f.home, dirOf(o))
	if err != nil {
		return File{}, failure(err)
	}
	defer d.close()
	w, err := d.write(from)
	if err != nil {
		return File{}, err // of the reader, or of the disk
	}
	f.tidying.RLock()
	defer f.tidying.RUnlock()
	if err := d.name(w); err != nil {
		return File{}, failure(errors.Join(err, d.Remove(w.part)))
	}
	file.Size, file.Hash, file.KeptAt = w.size, w.hash, f.now()
	if err := f.store.PutFile(ctx, o, &file); err != nil {
		return File{}, fmt.Errorf("store a file: %w", err)
	}
	return f.store.File(ctx, o, file.ID)
}

// File returns what is known of a file. NotFound if the owner has none of this ID.
func (f *Files) File(ctx context.Context, o owner.Owner, id session.FileID) (File, error) {
	return f.store.File(ctx, o, id)
}

// WriteDown stores what is said in a voice message.
func (f *Files) WriteDown(ctx context.Context, o owner.Owner, id session.FileID, text string) error {
	return f.store.SpokenFile(ctx, o, id, text)
}

// Of are the files that came with a message.
func (f *Files) Of(ctx context.Context, o owner.Owner, root session.ID, seq int64) ([]session.FileID, error) {
	all, err := f.store.Files(ctx, o)
	if err != nil {
		return nil, err
	}
	var out []session.FileID
	for i := range all {
		if all[i].Root == root && all[i].Seq == seq {
			out = append(out, all[i].ID)
		}
	}
	return out, nil
}

// Read returns the bytes of a file. NotFound if they are not kept any more.
func (f *Files) Read(_ context.Context, o owner.Owner, file *File) ([]byte, error) {
	data, err := f.read(dirOf(o), file.Hash.String())
	if isNone(err) {
		return nil, fault.New(fault.NotFound, "file_not_kept", "The file is not kept any more.")
	}
	if err != nil {
		return nil, failure(fmt.Errorf("read a file: %w", err))
	}
	return data, nil
}

// read is the content of a file in a directory.
func (f *Files) read(in, name string) ([]byte, error) {
	d, err := openDir(f.home, in)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return d.ReadFile(name)
}

// maxImage is the size of the largest image that models are sent, in bytes.
const maxImage = 5 << 20

// imageTypes are the types of images that models take.
func imageTypes() []string { return []string{"image/jpeg", "image/png", "image/gif", "image/webp"} }

// Image implements run.Images. The bytes say what they are: a name or a type given by others
// does not count.
func (f *Files) Image(ctx context.Context, o owner.Owner, id session.FileID) (mime string, data []byte, ok bool) {
	file, err := f.store.File(ctx, o, id)
	if err != nil || file.Size > maxImage {
		return "", nil, false
	}
	if data, err = f.Read(ctx, o, &file); err != nil {
		f.log.InfoContext(ctx, "a file is not sent to the model", "err", err)
		return "", nil, false
	}
	mime = http.DetectContentType(data)
	return mime, data, slices.Contains(imageTypes(), mime)
}
