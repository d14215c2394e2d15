package transcript

import (
	"context"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// SetStep lets a test end the mirror before a change of a file.
func (m *Mirror) SetStep(step func(change string) error) { m.step = step }

// TrustList has the mirror compare only the files that the store's list names, as one with
// large files does after a process was killed.
func (m *Mirror) TrustList() { m.quick = -1 }

// Pass is what the mirror does after a change, with every sessions.json that is due. more says that it would come again soon.
func (m *Mirror) Pass(ctx context.Context) (more bool, err error) {
	next, err := m.pass(ctx, behind)
	if err == nil {
		err = m.alone(ctx, func(f *files) error {
			_, err := m.indexes(ctx, &writer{store: m.store, files: f}, thorough)
			return err
		})
	}
	return next > 0 && next < gathering, err
}

// The names of files, for tests.
func PlainName(id session.ID) string  { return plainName(id) }
func HashedName(id session.ID) string { return hashedName(id) }
func DirOf(o owner.Owner) string      { return dirOf(o) }
