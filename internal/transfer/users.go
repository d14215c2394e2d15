package transfer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// belongs notes whose something is, and reports whether it is to be taken. The user is "" for what
// names none.
func (in *reading) belongs(user, what, where string) bool {
	if in.users == nil {
		in.users = make(map[string]bool)
	}
	in.users[user] = true
	if in.opt.User == "" || user == in.opt.User {
		return true
	}
	in.report.omit(what+" of another user", where)
	return false
}

// oneUser refuses an input with several users of which none was named, and one that has nothing of
// the user who was. Nothing was sent so far.
func (in *reading) oneUser() error {
	named := in.opt.User
	switch {
	case named == "" && len(in.users) > 1:
		return fault.New(fault.Invalid, "several_users",
			fmt.Sprintf("The input has what belongs to %d users: %s. Name one with --user.", len(in.users), in.userNames()))
	case named == "" || in.users[named]:
		return nil
	case len(in.users) == 0 && in.report.Failed > 0: // the report says why
		return nil
	case len(in.users) == 0 || len(in.users) == 1 && in.users[""]:
		return fault.New(fault.Invalid, "unknown_user", "The input does not say whose it is. Import it without --user.")
	}
	return fault.New(fault.Invalid, "unknown_user", fmt.Sprintf("The input has nothing that belongs to the user %q. Its users are: %s.", named, in.userNames()))
}

// userNames lists the users of the input.
func (in *reading) userNames() string {
	var names []string
	for _, user := range slices.Sorted(maps.Keys(in.users)) {
		if user != "" {
			names = append(names, oneLine(user, 100))
		}
	}
	if more := len(names) - maxListed; more > 0 {
		names = append(names[:maxListed], fmt.Sprintf("%d more", more))
	}
	if in.users[""] {
		names = append(names, "one that the input does not name")
	}
	return strings.Join(names, ", ")
}

// accounts are the users of an input whose conversations do not name one: an export has a file about
// its account. They are by the directory or the archive of that file.
type accounts struct {
	by map[string]string
	// only is the account of the whole input, if there is one.
	only string
}

// readAccounts reads the files of a name that exports have for their account.
func (in *reading) readAccounts(name string) accounts {
	type account struct {
		ID    word `json:"id"`
		UUID  word `json:"uuid"`
		Email word `json:"email"`
	}
	a := accounts{by: make(map[string]string)}
	for _, f := range in.others {
		if !f.isAccount(name) {
			continue
		}
		text, err := begin(f, sampleSize) // a file that cannot be read is told elsewhere
		var one account
		var list []account
		if err != nil || !parsed(text, &one) && !parsed(text, &list) {
			continue
		}
		if len(list) == 1 {
			one = list[0]
		}
		if id := string(cmp.Or(one.ID, one.UUID, one.Email)); id != "" {
			a.by[f.place()], a.only = id, id
		}
	}
	for _, id := range a.by {
		if id != a.only {
			return accounts{by: a.by}
		}
	}
	return a
}

// of is the user that a file belongs to; "" if the input does not say.
func (a accounts) of(f *File) string {
	if a.only != "" { // an export in parts has it in one of them
		return a.only
	}
	for place := f.place(); ; place = up(place) {
		if id := a.by[place]; id != "" || place == "" {
			return id
		}
	}
}

// isAccount reports whether a file is that of an account, which has a name.
func (f *File) isAccount(name string) bool { return f.place()+name == f.Name }

// place is the directory or the archive that the file is in, up to where the name begins.
func (f *File) place() string { return f.Name[:strings.LastIndexAny(f.Name, "/:")+1] }

// up is the place around a place.
func up(place string) string {
	place = place[:len(place)-1]
	return place[:strings.LastIndexAny(place, "/:")+1]
}
