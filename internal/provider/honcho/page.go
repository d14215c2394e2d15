package honcho

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hermes-memory/hermes/internal/provider"
)

// page is a page of a list.
type page[T any] struct {
	Items []T
	Total int
	Pages int
}

// pageSize is how many rows a page of a list has.
const pageSize = 100

// wanted is a page of a list that is asked for.
type wanted struct {
	path    string
	number  int // counts from 1
	reverse bool
	in      any
}

// list asks for a page. Its numbers must agree with its rows: a list that calls itself empty
// would otherwise confirm that something is gone.
func list[T any](ctx context.Context, h *Provider, w *wanted) (page[T], error) {
	var out struct {
		Items *[]T `json:"items"`
		Total *int `json:"total"`
		Pages *int `json:"pages"`
	}
	query := url.Values{"size": {strconv.Itoa(pageSize)}, "page": {strconv.Itoa(w.number)}}
	if w.reverse {
		query.Set("reverse", "true")
	}
	err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodPost, Path: w.path, Query: query, In: w.in, Out: &out, Absent: absent})
	if err != nil {
		return page[T]{}, err
	}
	if out.Items == nil || out.Total == nil || out.Pages == nil {
		return page[T]{}, provider.Misshapen("a list without items, total or pages")
	}
	got := page[T]{*out.Items, *out.Total, *out.Pages}
	if !got.sound(w.number) {
		return page[T]{}, provider.Misshapen("a list whose numbers do not agree with its rows")
	}
	return got, nil
}

// sound reports whether the numbers of a page agree with its rows.
func (p *page[T]) sound(number int) bool {
	rows := len(p.Items)
	switch {
	case rows == 0 && number <= p.Pages:
		return p.Total == 0
	case number == 1 && p.Pages <= 1:
		return p.Total == rows
	}
	return p.Total >= rows
}
