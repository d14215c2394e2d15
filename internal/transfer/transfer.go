// Package transfer reads the exports of other programs, one conversation at a time, and
// writes each as a line that POST /api/sessions/import takes. Every program has a file of
// its own here. The package knows no server and no store: names and ids of an export are
// data, and never become a path.
package transfer

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// maxConversation bounds a conversation, in bytes, as it is read and as it is written.
const maxConversation = 64 << 20

// Conversation is a conversation of another program.
type Conversation struct {
	// System is the program, and ID the conversation's id in it.
	System, ID string
	// Former are other ids that an import may have stored it under. The first of them that the store
	// knows counts instead.
	Former []string
	Title  string
	Model  string
	// Key is the session key that the conversation had; "" for the key of the import.
	Key string
	// Started is when it began; zero if that is unknown.
	Started time.Time
	// Changed is when the other program changed it last; zero if that is unknown.
	Changed time.Time
	// Adds says that its messages stand alone, and that an input may have any part of them.
	Adds bool
	// Memories says that its messages are memories that the other program wrote down, and no one's words.
	Memories bool
	// Undated says that the times of its messages are that of the file, because the export does not say them.
	Undated bool
	// Damaged is the number of its messages that could not be read.
	Damaged int
	// Messages are those that were read last, and said are those before them.
	Messages []Message
	said     *said
	// File is where it was read.
	File *File
}

// The roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// Message is a message of a conversation.
type Message struct {
	// ID is the message's id in the other program; "" if it has none.
	ID string
	// Role is user, assistant or tool.
	Role string
	Text string
	// Name is the speaker, or the tool of a result.
	Name  string
	Model string
	// At is when it was said; zero if that is unknown.
	At time.Time
	// Calls are the calls of tools that an answer makes.
	Calls []Call
	// CallID is the call that a result belongs to.
	CallID string
	// Earlier is the text that earlier versions of this program took for the message's; "" if that is Text.
	// Dropped says that those versions took the message, which is left out now.
	Earlier string
	Dropped bool
	// EarlierID is the id that those versions took for the message's; "" if that is ID.
	EarlierID string
}

// Call is a call of a tool.
type Call struct {
	ID, Name, Arguments string
	// Earlier are the arguments that earlier versions of this program took for the call's; "" if these are Arguments.
	Earlier string
}

// Options are what a person asked for.
type Options struct {
	// From is the name of a format, or "auto".
	From string
	// Key is the session key of conversations that have none of their own; "" keeps each
	// conversation apart. KeyGiven says that it replaces their own keys, too.
	Key      string
	KeyGiven bool
	// User selects what belongs to one user of the other program; "" for all.
	User string
	// Since leaves out conversations whose last message is older; zero for none.
	Since time.Time
	// All also takes what is left out by default: conversations that are not to be
	// remembered, scheduled ones, and those of subagents.
	All bool
	// inMemory replaces the constant in tests.
	inMemory int
}

// format is how the exports of one program are read.
type format struct {
	name string
	// fits returns why a file looks like one of this format; "" if it does not.
	fits func(s *sample) string
	// aside are patterns of the names of files that its exports have beside the conversations.
	aside []string
	// account is the name of the file that says whose an export is; "" if there is none.
	account string
	// read reads files that fit. An error ends the import.
	read func(ctx context.Context, in *reading, files []*File) error
}

// formats are all formats.
func formats() []format {
	return []format{
		jsonlFormat(), chatgptFormat(), claudeFormat(), openwebuiFormat(), librechatFormat(), mem0Format(), lettaFormat(),
		openclawFormat(), hermesFormat(),
	}
}

// Names are the names of the formats.
func Names() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// reading is an import under way.
type reading struct {
	opt    Options
	report *Report
	// keep takes the line of a conversation, lines is how many it took, and copies is what
	// they are. The messages of a line are its body.
	keep   func(line Line) error
	line   []byte
	body   *bulk
	lines  int
	copies copies
	// began is what was counted before the conversation that is being read.
	began tally
	// raw is the value that is being read, and buf a part of it. bulks are all that were made,
	// and spare is for the messages of the next conversation.
	raw   *bulk
	buf   []byte
	bulks []*bulk
	spare *said
	// entire says that an object around a list is a value itself.
	entire bool
	// now is the time at which the import began.
	now time.Time
	// users are those that the input names, and others are the files that the format does not read.
	users  map[string]bool
	others []*File
}

// Read reads all conversations of an input and gives the line of each to keep, in the order
// in which they are read. It fills the report.
func Read(ctx context.Context, in *Input, opt Options, report *Report, keep func(line Line) error) (err error) {
	found, err := choose(ctx, in, opt.From)
	if err != nil {
		return err
	}
	report.From, report.Why, report.Files = found.format.name, oneLine(found.why, 300), len(found.files)
	for _, o := range found.others {
		report.passOver(&found.format, o)
	}
	for _, p := range in.passed {
		report.omit(p.kind, p.name)
	}
	for _, name := range missingParts(found.files) {
		report.Note(name, "This part of the export is not in the input. Download it, and run the import again.")
	}
	r := &reading{opt: opt, report: report, keep: keep, copies: newCopies(), now: time.Now().UTC()}
	defer func() {
		for _, b := range r.bulks {
			err = errors.Join(err, b.close())
		}
	}()
	for _, o := range found.others {
		r.others = append(r.others, o.file)
	}
	if err := found.format.read(ctx, r, found.files); err != nil {
		return err
	}
	if err := r.oneUser(); err != nil {
		return err
	}
	if err := r.settle(); err != nil { // what a format takes after its files
		return err
	}
	r.report.OwnKeys = r.copies.ownKeys()
	r.report.counted()
	return nil
}

// passOver counts a file that the format does not read.
func (r *Report) passOver(f *format, o other) {
	switch {
	case o.err != nil:
		r.Fail(o.file.Name, fault.MessageOf(o.err))
	case f.account != "" && o.file.isAccount(f.account): // it is read
	case f.besides(o.file):
		r.omit("file without conversations", o.file.Name)
	default:
		r.unknown(o.kind, o.file.Name)
	}
}

// besides reports whether a file is one that the exports of a format have beside the
// conversations.
func (f *format) besides(file *File) bool {
	name := strings.ToLower(strings.ReplaceAll(file.Name, ":", "/"))
	return slices.ContainsFunc(f.aside, func(pattern string) bool {
		fits, err := path.Match(pattern, path.Base(name))
		return err == nil && fits
	})
}

// eachFile reads files one after another. A file that cannot be read is told, and the next
// one is read.
func eachFile(ctx context.Context, in *reading, files []*File, read func(f *File) error) error {
	for _, f := range files {
		if ctx.Err() != nil {
			return fault.Wrap(fault.Canceled, "interrupted", "The import was interrupted. Run it again to go on.", ctx.Err())
		}
		failed := in.report.failures()
		err := read(f)
		end := in.settle
		if spoilt(err) { // what was said of its conversations counts no more
			end = in.drop
			in.report.acquit(failed)
		}
		if err != nil && !in.report.blame(f.Name, err) {
			return err
		}
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}
