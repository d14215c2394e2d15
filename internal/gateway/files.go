package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// fetchWithin bounds the download of one file, fetchAllWithin that of all files of a turn.
	fetchWithin    = time.Minute
	fetchAllWithin = 3 * time.Minute
	// hearWithin bounds the writing down of a voice message.
	hearWithin = time.Minute
	// maxQuoted is the size of the longest text that is quoted, and mostQuoted that of all
	// texts of a turn, in bytes.
	maxQuoted  = 64 << 10
	mostQuoted = 256 << 10
)

// received is a file of an event as a turn has it.
type received struct {
	ref FileRef
	// id is the id of the file; "" if it is not kept. missing says why.
	id      session.FileID
	size    int64
	missing string
	// spoken is what is said in a voice message. unheard says why it is not written down.
	spoken, unheard string
	// text is the content of a text that is quoted; "" for none.
	text string
}

// filesOf are the files of an event of a batch.
func (b *batch) filesOf(i int) []received {
	if i < len(b.received) {
		return b.received[i]
	}
	return nil
}

// receiveFiles fetches the files of a batch, keeps them, and reads what a turn needs of them.
// It does so once, however often it is called: a file that is kept already is not fetched
// again. A file that cannot be had is said in the turn, and never makes the turn fail.
func (g *Gateway) receiveFiles(ctx context.Context, bot *Bot, o owner.Owner, b *batch) error {
	b.received = make([][]received, len(b.events))
	if g.files == nil {
		return nil
	}
	if newest := &b.events[len(b.events)-1]; len(newest.Files) > 0 {
		g.signal(ctx, bot, newest.Place, newest.Message, Typing)
	}
	timed, cancel := context.WithTimeout(ctx, fetchAllWithin)
	defer cancel()
	room := mostQuoted
	for i := range b.events {
		e := &b.events[i]
		if e.again() != nil {
			continue
		}
		for number := range e.Files {
			r := received{ref: e.Files[number]}
			err := g.receiveFile(timed, bot, o, &r, attachment.File{
				ID: fileID(o, &e.Event, number), Kind: attachment.Kind(r.ref.Kind), Name: r.ref.Name, Mime: r.ref.Mime, Run: b.run,
			})
			if ctx.Err() != nil { // this server is stopping: the next one receives the file
				return ctx.Err()
			}
			if err != nil {
				return err
			}
			if room -= len(r.text); room < 0 {
				r.text = ""
			}
			b.received[i] = append(b.received[i], r)
		}
	}
	return nil
}

// receiveFile fetches one file unless it is kept already. Its error is one of the store.
func (g *Gateway) receiveFile(ctx context.Context, bot *Bot, o owner.Owner, r *received, f attachment.File) error {
	kept, err := g.files.File(context.WithoutCancel(ctx), o, f.ID)
	if fault.KindOf(err) == fault.NotFound {
		kept, err = g.fetchTwice(ctx, bot, o, r, f)
		if err != nil {
			g.log.Info("a file could not be kept", "platform", bot.Adapter.Platform(), "err", err)
			r.missing = whyMissing(err)
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("find a file: %w", err)
	}
	r.id, r.size = kept.ID, kept.Size
	switch {
	case r.ref.Kind == Voice:
		return g.hear(ctx, o, r, &kept)
	case r.ref.Kind == Document && kept.Size <= maxQuoted:
		if data, err := g.files.Read(ctx, o, &kept); err == nil && attachment.IsText(data) {
			r.text = string(data)
		}
	}
	return nil
}

// fetchTwice fetches and keeps a file. A platform that fails is asked once more.
func (g *Gateway) fetchTwice(ctx context.Context, bot *Bot, o owner.Owner, r *received, f attachment.File) (attachment.File, error) {
	if r.ref.Size > attachment.MaxSize {
		return f, fault.New(fault.TooLarge, "file_too_large", "Files are kept up to 20 MB.")
	}
	kept, err := g.fetch(ctx, bot, o, r, f)
	if fault.KindOf(err) == fault.Unavailable && ctx.Err() == nil {
		return g.fetch(ctx, bot, o, r, f)
	}
	return kept, err
}

// fetch fetches and keeps a file.
func (g *Gateway) fetch(ctx context.Context, bot *Bot, o owner.Owner, r *received, f attachment.File) (attachment.File, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	from, err := bot.Adapter.Fetch(ctx, r.ref)
	if err != nil {
		return f, late(ctx, err)
	}
	defer func() { _ = from.Close() }()
	kept, err := g.files.Keep(ctx, o, f, &reading{ctx, from})
	return kept, late(ctx, err)
}

// reading is a download that ends with its context.
type reading struct {
	ctx context.Context
	io.Reader
}

// Read reads on. A failure of the connection is a fault, so that the download is tried again.
func (r *reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && fault.KindOf(err) == fault.Internal {
		err = fault.Wrap(fault.Unavailable, "file_broken", "The download broke off.", err)
	}
	return n, err
}

// late is the error of something that took too long.
func late(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.Wrap(fault.Timeout, "file_too_slow", "The download took too long.", err)
	}
	return err
}

// whyMissing says why a file is not kept, in words for the model and for people.
func whyMissing(err error) string {
	if fault.KindOf(err) == fault.Internal {
		return "It could not be stored."
	}
	return fault.MessageOf(err)
}

// hear writes a voice message down, unless that was done before.
func (g *Gateway) hear(ctx context.Context, o owner.Owner, r *received, f *attachment.File) error {
	if g.hears == nil || f.Spoken != "" {
		r.spoken = f.Spoken
		return nil
	}
	recording, err := g.files.Read(ctx, o, f)
	if err == nil {
		timed, cancel := context.WithTimeout(ctx, hearWithin)
		defer cancel()
		r.spoken, err = g.hears.Transcribe(timed, recording, f.Mime)
	}
	if ctx.Err() != nil {
		r.unheard = "It took too long."
		return nil
	}
	if err != nil {
		g.log.Info("a voice message could not be written down", "err", err)
		r.unheard = fault.MessageOf(err)
		return nil
	}
	if r.spoken = cut(r.spoken, maxQuoted); r.spoken == "" {
		r.unheard = "No words were heard in it."
		return nil
	}
	if err := g.files.WriteDown(ctx, o, f.ID, r.spoken); err != nil {
		return fmt.Errorf("store what is said in a voice message: %w", err)
	}
	return nil
}

// filesOf are the files that came with a stored message.
func (g *Gateway) filesOf(ctx context.Context, o owner.Owner, m *session.Message) ([]session.FileID, error) {
	if g.files == nil {
		return nil, nil
	}
	return g.files.Of(ctx, o, m.RootID, m.Seq)
}

// sweepFiles erases the files that are older than is set.
func (g *Gateway) sweepFiles(ctx context.Context) error {
	if g.files == nil || g.settings.FilesKept <= 0 {
		return nil
	}
	return g.files.Sweep(ctx, g.settings.FilesKept)
}
