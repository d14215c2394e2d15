package storage

import (
	"maps"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/mention"
)

// namedIn are the tables that have each id and each session key once, or a few times.
const namedIn = "sessions scopes imports jobs chats provider_names"

// Names selects the ids and the session keys of all owners.
func Names() string {
	var parts []string
	for _, table := range slices.Sorted(maps.Keys(Tables())) {
		if !slices.Contains(strings.Fields(namedIn), table) {
			continue
		}
		columns := Tables()[table].Columns
		for _, name := range slices.Sorted(maps.Keys(columns)) {
			switch columns[name].Form {
			case Named, OtherID, Spot:
				parts = append(parts, "SELECT "+name+" FROM "+table+" WHERE "+name+" IS NOT NULL")
			}
		}
	}
	return strings.Join(parts, " UNION ")
}

// Unnamed adds ids and session keys to those that have the name of a thing in a word, and do not name the thing.
func Unnamed(about *mention.Thing, names []string, name string) []string {
	if !about.In(name) {
		return names
	}
	if mention.IsFixed(name) {
		return append(names, name)
	}
	for _, in := range []func(string) bool{about.InName, about.InForeign, about.InPlace} {
		if in(name) {
			return names
		}
	}
	return append(names, mention.Chosen(name)) // files of transcripts are searched without the rest
}
