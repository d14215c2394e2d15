package cli

import (
	"context"
	"iter"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
)

// page is a list of the API, or a page of one.
type page[T any] struct {
	Data []T    `json:"data"`
	Next string `json:"next_cursor"`
}

// everything means no limit.
const everything = math.MaxInt

// pages yields the rows of a list, at most most, and requests the next page when it is
// needed. An error is the last element.
func pages[T any](ctx context.Context, cl *client, path string, query url.Values, most int) iter.Seq2[T, error] {
	const size = 200 // the largest page there is
	return func(yield func(T, error) bool) {
		q := url.Values{}
		maps.Copy(q, query)
		for left := most; left > 0; {
			q.Set("limit", strconv.Itoa(min(left, size)))
			var p page[T]
			if err := cl.call(ctx, http.MethodGet, path+"?"+q.Encode(), nil, &p); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range p.Data {
				if !yield(row, nil) {
					return
				}
			}
			left -= len(p.Data)
			if p.Next == "" {
				return
			}
			q.Set("cursor", p.Next)
		}
	}
}

// gather returns all rows, or the error that ended them.
func gather[T any](rows iter.Seq2[T, error]) ([]T, error) {
	all := []T{}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

// showRows prints the list at a path, fetched as one page.
func showRows[T any](a *app, c *cobra.Command, path, empty string, tell func([]T) error) error {
	return a.withClient(c, func(cl *client) error { return showPage(c.Context(), a, cl, path, empty, tell) })
}

// showPage is showRows with an existing client.
func showPage[T any](ctx context.Context, a *app, cl *client, path, empty string, tell func([]T) error) error {
	var p page[T]
	if err := cl.call(ctx, http.MethodGet, path, nil, &p); err != nil {
		return err
	}
	return printRows(a, p.Data, empty, tell)
}

// printRows prints a list: as JSON if requested, as a hint if it is empty, otherwise
// with tell.
func printRows[T any](a *app, rows []T, empty string, tell func([]T) error) error {
	switch {
	case a.json:
		return a.printJSON(rows)
	case len(rows) == 0:
		a.say("%s", empty)
		return nil
	}
	return tell(rows)
}
