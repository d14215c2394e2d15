package provider

import (
	"net/url"
)

// maxID is the longest id of a provider, in bytes.
const maxID = 512

// Part is an id from a provider's list as a part of a path. It fails for an id that would
// make another path: DELETE /memories/ may delete more than one memory.
func Part(id string) (string, error) {
	if id == "" || id == "." || id == ".." || len(id) > maxID {
		return "", Misshapen("a thing without a usable id")
	}
	return url.PathEscape(id), nil
}

// Metadata is what a provider keeps for us with each piece. Other programs have their own.
type Metadata struct {
	Mark string `json:"hermes_id"`
}

// Asked are things of a provider that were met: those that it was asked to delete, or those of
// the pages of a list. A provider that lists them again has not deleted them, or has no more
// pages, and is not asked without end.
type Asked map[string]bool

// New are those of a list that were not asked for before. They count as asked for.
func (a *Asked) New(list []string) []string {
	if *a == nil {
		*a = make(Asked)
	}
	var out []string
	for _, one := range list {
		if !(*a)[one] {
			(*a)[one] = true
			out = append(out, one)
		}
	}
	return out
}
