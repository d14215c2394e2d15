package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Files are the files that people sent. Their rows are in the store, and are erased with the
// messages that they came with. Their bytes are in a directory, and are erased behind the rows.
type Files interface {
	// Tidy erases the bytes of an owner that no row has any more. They are gone when it
	// returns without an error.
	Tidy(ctx context.Context, o owner.Owner) error
	// Forget erases the files of an owner whose text names a thing, and does what Tidy does.
	// It returns how many files it erased. With dryRun it only counts.
	Forget(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (int, error)
	// Left searches the directory of an owner. hits counts the files that should not be
	// there: those without a row, and texts that name the thing. bytes is the size of all.
	Left(ctx context.Context, o owner.Owner, about *mention.Thing) (bytes int64, hits int, err error)
}

// forgetFiles erases the files that name a thing, and the bytes of those whose messages named
// it.
func (c *Curator) forgetFiles(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	if c.files == nil {
		return nil
	}
	n, err := c.files.Forget(ctx, o, thing, out.DryRun)
	if err != nil {
		return fmt.Errorf("forget files: %w", err)
	}
	out.Records += n
	return nil
}

// filesLeft searches the directory of files after an erasure.
func (c *Curator) filesLeft(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	if c.files == nil {
		return nil
	}
	bytes, hits, err := c.files.Left(ctx, o, thing)
	if err != nil {
		return fmt.Errorf("search files: %w", err)
	}
	if bytes > 0 || hits > 0 {
		out.Searched = append(out.Searched, Trace{File: "files", Bytes: bytes, Hits: hits})
	}
	return nil
}

// tidy erases the bytes of files whose messages are gone. What it cannot erase now, the next
// sweep does.
func (c *Curator) tidy(ctx context.Context, o owner.Owner) {
	if c.files == nil {
		return
	}
	if err := c.files.Tidy(context.WithoutCancel(ctx), o); err != nil {
		c.log.WarnContext(ctx, "the bytes of erased files could not be removed; it will be tried again within the hour", "err", err)
	}
}
