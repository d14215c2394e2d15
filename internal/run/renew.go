package run

import "context"

// renew takes the scope's memory as it is now, in place of what the turn had.
func (t *opened) renew(ctx context.Context) error {
	if err := t.open.Renew(ctx); err != nil {
		return err
	}
	t.view = t.open.View
	return nil
}
