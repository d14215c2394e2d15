package httpapi

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// listPage is a page of a list as it is written: its rows, whether there are more, and the cursor
// from which the next page goes on.
type listPage[T any] struct {
	Object     string  `json:"object"`
	Data       []T     `json:"data"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

// cutPage cuts rows to a page of limit. The rows are read with one more than the limit: the next
// page is there if that one is. next is the cursor behind the page's last row; nil for the last
// page.
func cutPage[R any](rows []R, limit int, cursor func(*R) string) (page []R, next *string) {
	if len(rows) <= limit {
		return rows, nil
	}
	at := cursor(&rows[limit-1])
	return rows[:limit], &at
}

// pageOf is the page of rows that cutPage has cut.
func pageOf[R, T any](rows []R, next *string, show func(*R) T) listPage[T] {
	out := listPage[T]{Object: "list", Data: make([]T, len(rows)), HasMore: next != nil, NextCursor: next}
	for i := range rows {
		out.Data[i] = show(&rows[i])
	}
	return out
}

// formatCursor encodes a position in the list as opaque text.
func formatCursor(c session.Cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(bound.Millis(c.LastActive), 36) + ":" + string(c.ID)))
}

func parseCursor(text string) (session.Cursor, error) {
	bad := fault.New(fault.Invalid, "invalid_cursor", "The cursor is not valid. Leave it out to begin with the first page.").At("cursor")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return session.Cursor{}, bad
	}
	at, id, ok := strings.Cut(string(raw), ":")
	ms, err := strconv.ParseInt(at, 36, 64)
	if !ok || err != nil {
		return session.Cursor{}, bad
	}
	return session.Cursor{LastActive: bound.FromMillis(ms), ID: session.ID(id)}, nil
}
