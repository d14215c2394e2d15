package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// forgetCommand erases everything about a thing, and proves it.
func (a *app) forgetCommand() *cobra.Command {
	var in forgetRequest
	var yes bool
	c := &cobra.Command{
		Use: "forget --about THING", Short: "Erase everything about a thing, then prove that nothing is left",
		Annotations: map[string]string{meantBy: "hermes forget --about"},
		Long: `Erase every sentence that mentions a thing, the facts taken from it and all data
derived from it. Then search this program's files byte by byte and list them. The
rest of the messages stays. A session whose id or key names the thing is deleted.
At a terminal it shows first what would go, and asks. A script says --yes.

Parts of words count, too, from three letters on: "Tom" is in "tomorrow". Look at
what --dry-run shows; --word forgets whole words only. Of an id or a key, whole
words count alone.
What an answer in another session quotes of a deleted session stays, if it does not
name the thing: forget it by its own words.

Backups that were made before still hold the thing. Those that are known are named,
with the time when the last of them is deleted by itself; --backups delete deletes
them at once, but for those that were made by hand in backup.dir. Copies elsewhere
are not known.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.About == "" && in.SessionID == "" && in.SessionKey == "" {
				return usageError{errors.New("say what to forget: --about THING, --session ID or --key KEY")}
			}
			if err := needsFlag(c, "word", "about"); err != nil {
				return err
			}
			return a.withClient(c, func(cl *client) error { return a.forget(c, cl, in, yes) })
		},
	}
	c.Flags().StringVar(&in.About, "about", "", "the thing to forget")
	c.Flags().BoolVar(&in.Word, "word", false, "count the thing as a whole word, or as whole words, only")
	c.Flags().StringVar(&in.SessionID, "session", "", "forget this session whole")
	c.Flags().StringVar(&in.SessionKey, "key", "", "forget every session of this key whole")
	c.Flags().StringVar(&in.Backups, "backups", "", "delete: delete the backups that were made before, too")
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "only show what would go; with --json, all of it")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// forget erases a thing. A user at a terminal is first shown the numbers and asked. Where there
// is no terminal to ask at, or the output is for a program, only --yes erases.
func (a *app) forget(c *cobra.Command, cl *client, in forgetRequest, yes bool) error {
	if !in.DryRun && !yes {
		if err := a.askToForget(c, cl, in); err != nil {
			return err
		}
	}
	if a.json && in.DryRun && in.About != "" {
		in.List = allListed
	}
	var out certified
	if err := cl.call(c.Context(), http.MethodPost, pathForget, in, &out); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	return a.printForgotten(&out)
}

// askToForget counts what would be erased, shows the numbers, and asks. It refuses where it
// cannot ask.
func (a *app) askToForget(c *cobra.Command, cl *client, in forgetRequest) error {
	if a.json || !terminal.IsTerminal(a.process.Stdin) {
		return fault.New(fault.Invalid, "not_confirmed",
			"Nothing was erased: there is no terminal to confirm this at. Say --yes to erase, or --dry-run to count first.")
	}
	in.DryRun = true
	var would certified
	if err := cl.call(c.Context(), http.MethodPost, pathForget, in, &would); err != nil {
		return err
	}
	if err := a.printForgotten(&would); err != nil {
		return err
	}
	return a.confirm(c.Context(), false, "Erase it for good?")
}

// allListed has a dry run list all that would go, as far as the server does.
const allListed = 100_000

const pathForget = "/api/memory/forget"

// forgetRequest is the request to the API.
type forgetRequest struct {
	About      string `json:"about,omitempty"`
	SessionID  string `json:"session_id,omitempty"`
	SessionKey string `json:"session_key,omitempty"`
	DryRun     bool   `json:"dry_run,omitempty"`
	Backups    string `json:"backups,omitempty"`
	Word       bool   `json:"word,omitempty"`
	List       int    `json:"list,omitempty"`
}

// certified is the certificate of an erasure.
type certified struct {
	curate.Forgotten
	Backups *httpapi.HeldBy `json:"backups,omitempty"`
}

func (a *app) printForgotten(f *certified) error {
	verb := "Erased"
	if f.DryRun {
		verb = "Would erase"
	}
	parts := []string{
		countOf(f.Sentences, "sentence", "sentences") + " in " + countOf(f.Messages, "message", "messages"),
		countOf(f.Facts, "fact", "facts"), countOf(f.Sessions, "session", "sessions"),
		countOf(f.Texts, "title or summary", "titles or summaries"),
	}
	if f.About != "" { // what goes with a whole session is not counted
		parts = append(parts, countOf(f.Jobs, "job", "jobs"), countOf(f.Records, "other record", "other records"))
	}
	a.say("%s %s.", verb, strings.Join(parts, ", "))
	if f.About != "" && f.Sessions > 0 {
		a.say("A session goes whole with all its messages if its id or its key names the thing. What answers in other sessions quote of it stays.")
	}
	a.printWouldGo(f)
	if f.Unanswered > 0 {
		a.say("Among the records: %s that waited for an answer. The people who wrote them are told.",
			countOf(f.Unanswered, "message of a chat", "messages of chats"))
	}
	width := 0
	for _, s := range f.Searched {
		width = max(width, len(s.File))
	}
	for _, s := range f.Searched {
		own := ""
		if s.Format > 0 {
			own = fmt.Sprintf(" (not counting %d words of the file format, such as column names)", s.Format)
		}
		a.say("  searched %-*s %12d bytes  %d left%s", width, s.File, s.Bytes, s.Hits, own)
	}
	if err := a.printPassed(f.External); err != nil {
		return err
	}
	a.printAlike(f.Alike)
	if !f.DryRun && len(f.Searched) > 0 && f.Left == 0 {
		a.say("Nothing is left of %q.", f.About)
	}
	a.printHeldBy(f.Backups)
	return leftError(f)
}

// leftError says what to do about the mentions that are left; nil if there are none.
func leftError(f *certified) error {
	var files []string
	foreign := 0
	for i := range f.Searched {
		if s := &f.Searched[i]; s.Foreign && s.Hits > 0 {
			foreign += s.Hits
			files = append(files, s.File)
		}
	}
	own := f.Left - foreign
	switch {
	case f.Left == 0:
		return nil
	case foreign > 0 && own == 0:
		return errors.New(leftInForeign(foreign, files))
	case len(f.Alike) > 0:
		return fmt.Errorf("%s in the files above: the text index has the words of the other spellings without accents. "+
			"Forget those, too, if they are meant", countOf(f.Left, "mention is left", "mentions are left"))
	}
	again := countOf(own, "mention is left", "mentions are left") + " in the files above; close other programs that read the database, and try again"
	if foreign > 0 {
		again += ". " + leftInForeign(foreign, files)
	}
	return errors.New(again)
}

// leftInForeign says what to do about files of the home that a forgetting does not change.
func leftInForeign(n int, files []string) string {
	const named = 5
	list := strings.Join(files[:min(len(files), named)], ", ")
	if len(files) > named {
		list += fmt.Sprintf(" and %d more", len(files)-named)
	}
	return countOf(n, "mention is left", "mentions are left") + " in files of the home that hermes did not write and does not change: " + list +
		". Edit, move or delete them"
}

// printAlike says which spellings stay that a search for the name finds, and how to forget them.
func (a *app) printAlike(spellings []string) {
	if len(spellings) == 0 {
		return
	}
	a.say("These spellings differ in accents only. They stay, and a search finds them. To forget one:")
	for _, s := range spellings {
		a.say("  hermes forget --about %q", s)
	}
}

// printHeldBy names the backups that may still hold what was erased.
func (a *app) printHeldBy(b *httpapi.HeldBy) {
	if b == nil {
		return
	}
	if b.Deleted > 0 {
		a.say("Deleted %s.", countOf(b.Deleted, "backup that was made before", "backups that were made before"))
	}
	if b.Count == 0 {
		return
	}
	made := countOf(b.Count, "backup", "backups") + " made before may still hold it"
	if b.Until != nil {
		a.say("%s; the last one ages out on %s:", made, b.Until.Local().Format("2006-01-02"))
	} else {
		a.say("%s, until they are deleted:", made)
	}
	byHand := 0
	for i := range b.Files {
		mark := ""
		if b.Files[i].ByHand {
			mark = "  (made by hand)"
			byHand++
		}
		a.say("  %s%s", b.Files[i].File, block(mark))
	}
	if byHand < b.Count {
		a.say("To delete them: --backups delete. Copies elsewhere are not known.")
	}
	if byHand > 0 {
		a.say("What was made by hand in backup.dir stays with --backups delete. Delete those files by hand.")
	}
}
