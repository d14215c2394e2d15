package httpapi_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ids are the ids of the local owner's messages, rising. One server numbers them without gaps, and so do
// the files. Several servers reserve ids, and leave some out.
type ids []int64

// ids are those there are now; none for one server.
func (w *wire) ids() (out ids) {
	if !w.opt.alternate {
		return nil
	}
	w.t.Helper()
	conn, err := pgx.Connect(context.Background(), w.database)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, _ := conn.Query(context.Background(), `SELECT id FROM messages WHERE owner_id = 'local' ORDER BY id`)
	if out, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// idPlaces are the places where a message id stands in what is sent and got.
func idPlaces() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`()"message_id":\s*(\d+)`), regexp.MustCompile(`()"id":\s*(\d+)(,\s*"session_id")`), regexp.MustCompile(`()_m(\d+)(_)`),
	}
}

// dense replaces stored ids by their numbers without gaps.
func (ids ids) dense(text string) string {
	return ids.mapped(text, func(id int64) int64 {
		if at, found := slices.BinarySearch(ids, id); found {
			return int64(at) + 1
		}
		return id
	})
}

// stored replaces numbers without gaps by stored ids.
func (ids ids) stored(text string) string {
	return ids.mapped(text, func(n int64) int64 {
		if 0 < n && n <= int64(len(ids)) {
			return ids[n-1]
		}
		return n
	})
}

func (ids ids) mapped(text string, by func(int64) int64) string {
	if len(ids) == 0 {
		return text
	}
	for _, place := range idPlaces() {
		text = place.ReplaceAllStringFunc(text, func(found string) string {
			digits := place.FindStringSubmatch(found)[2]
			id, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return found
			}
			return strings.Replace(found, digits, strconv.FormatInt(by(id), 10), 1)
		})
	}
	return text
}
