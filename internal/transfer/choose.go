package transfer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
)

// sampleSize is how much of a file is looked at, in bytes.
const sampleSize = 256 << 10

// longSample is how much is looked at where the sample ends before it tells the format: what stands before the
// messages, such as a title, may be long.
const longSample = 8 << 20

// sample is the beginning of a file, by which its format is told.
type sample struct {
	file *File
	head []byte
	// list says that the file is a list; names are the names of the members of the first
	// object, and of its objects and lists, such as "chat.history" or "messages.role".
	list  bool
	names map[string]bool
	// kind is the text of the first object's member "type".
	kind string
	// schema has the statements that made the tables of a database.
	schema []byte
	// err is why the file cannot be read.
	err error
}

// lookedAt is how many elements of a list are looked at: exports have odd ones, and not only
// at the end.
const lookedAt = 20

// sampleOf looks at a file.
func sampleOf(f *File) *sample { return lookAt(f, sampleSize) }

// lookAt looks at the first bytes of a file.
func lookAt(f *File, size int) *sample {
	s := &sample{file: f, names: make(map[string]bool)}
	s.head, s.err = begin(f, size)
	s.schema = s.head // most databases have all of them at the beginning
	s.list = bytes.HasPrefix(bytes.TrimSpace(s.head), []byte("["))
	v := newValues(bytes.NewReader(s.head), &bulk{most: size})
	for range lookedAt {
		more, err := v.next()
		if v.raw.size > 0 {
			dec := jsontext.NewDecoder(bytes.NewReader(v.raw.mem), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
			s.look(dec, "", 0)
		}
		if !more || err != nil || !v.list {
			break
		}
	}
	return s
}

// look notes the names in the next value. It ends where the sample ends.
func (s *sample) look(dec *jsontext.Decoder, at string, depth int) bool {
	kind := dec.PeekKind()
	if depth > 6 || kind != '{' && kind != '[' {
		return dec.SkipValue() == nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for first := true; ; {
		next := dec.PeekKind()
		switch next {
		case '}', ']':
			_, err := dec.ReadToken()
			return err == nil
		case 0:
			return false
		}
		if !s.child(dec, at, depth, kind == '[', first) {
			return false
		}
		first = first && next != '{' // what is no object says nothing about the others
	}
}

// child looks at an element of a list, of which only the first object counts, or at a member.
func (s *sample) child(dec *jsontext.Decoder, at string, depth int, list, first bool) bool {
	switch {
	case !list:
		return s.member(dec, at, depth)
	case first:
		return s.look(dec, at, depth+1)
	}
	return dec.SkipValue() == nil
}

// member notes the name of an object's member, and the names in its value.
func (s *sample) member(dec *jsontext.Decoder, at string, depth int) bool {
	token, err := dec.ReadToken()
	if err != nil {
		return false
	}
	name := strings.TrimPrefix(at+"."+token.String(), ".")
	s.names[name] = true
	if name != "type" || dec.PeekKind() != '"' {
		return s.look(dec, name, depth+1)
	}
	text, err := dec.ReadToken()
	if err == nil {
		s.kind = text.String()
	}
	return err == nil
}

// has reports whether the first object has all of these members.
func (s *sample) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !s.names[name] })
}

// hasOne reports whether the first object has one of these members.
func (s *sample) hasOne(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.names[name] })
}

// sqlite reports whether the file is a SQLite database.
func (s *sample) sqlite() bool { return bytes.HasPrefix(s.head, []byte("SQLite format 3\x00")) }

// says reports whether the statements that made the tables of a database have all of some words.
func (s *sample) says(words ...string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bytes.Contains(s.schema, []byte(word)) })
}

// base is the last part of the file's name, in lower case, without the ending of a packing.
func (s *sample) base() string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(s.file.Name, ":", "/")))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// chosen is the format of an input, with the files that it reads.
type chosen struct {
	format format
	why    string
	files  []*File
	others []other
}

// other is a file that a format does not read.
type other struct {
	file *File
	kind string
	err  error // why it cannot be read
}

// choose tells the format of an input by its content. With a name, it is that format's, and
// the files that do not fit are passed over, unless none fits.
func choose(ctx context.Context, in *Input, from string) (*chosen, error) {
	if len(in.Files) == 0 && len(in.passed) > 0 {
		return nil, fault.New(fault.Invalid, "import_empty", "The input has no files to read. "+in.passed[0].name+" is a "+in.passed[0].kind+".")
	}
	if len(in.Files) == 0 {
		return nil, fault.New(fault.Invalid, "import_empty", "The input has no files. Name a file of the export, or its directory.")
	}
	all := formats()
	if from != "auto" {
		all = slices.DeleteFunc(all, func(f format) bool { return f.name != from })
		if len(all) == 0 {
			return nil, unknownFormat(fmt.Sprintf("There is no format %q. The formats are auto, %s.", from, strings.Join(Names(), ", ")))
		}
	}
	found := make([]chosen, len(all))
	for i := range all {
		found[i].format = all[i]
	}
	var strange []string
	var own error // of the first file of this program
	logs := logsOf(in.Files)
	for _, file := range in.Files {
		if logs[file.Name] != nil {
			continue
		}
		s, err := fullSample(ctx, file, in.Files, all)
		if err != nil {
			return nil, err
		}
		if own == nil {
			own = s.errOwn()
			s.err = cmp.Or(s.err, own)
		}
		kind := strangerKind(s)
		if len(strange) < maxListed {
			strange = append(strange, s.tell())
		}
		for i := range found {
			found[i].add(s, kind, logs[file.Name+walEnding])
		}
	}
	found = slices.DeleteFunc(found, func(c chosen) bool { return len(c.files) == 0 })
	switch {
	case len(found) == 0 && own != nil:
		return nil, own
	case len(found) == 0:
		return nil, in.nothing(from, strange)
	}
	return only(found)
}

// add adds a file with its log, which may be nil, to those that the format reads or to the others.
func (c *chosen) add(s *sample, kind string, log *File) {
	why := c.format.fits(s)
	if why == "" || s.ownKind() != "" {
		c.others = append(c.others, other{s.file, kind, s.err})
		return
	}
	c.why = cmp.Or(c.why, s.file.Name+" "+why)
	if c.files = append(c.files, s.file); log != nil {
		c.files = append(c.files, log)
	}
}

// cut reports whether a sample is the beginning of longer JSON.
func (s *sample) cut() bool {
	begins := bytes.TrimLeft(s.head, " \t\r\n")
	return len(s.head) == sampleSize && len(begins) > 0 && (begins[0] == '{' || begins[0] == '[')
}

// fullSample looks at a file. Of a database that no format knows by its beginning, all tables are
// read.
func fullSample(ctx context.Context, f *File, files []*File, all []format) (*sample, error) {
	s := sampleOf(f)
	told := func() bool { return slices.ContainsFunc(all, func(f format) bool { return f.fits(s) != "" }) }
	if !told() && s.cut() {
		s = lookAt(f, longSample)
		s.head = bytes.Clone(s.head[:min(len(s.head), sampleSize)])
		s.schema = s.head
	}
	if !s.sqlite() || told() {
		return s, nil
	}
	db, err := openCopy(ctx, f, files)
	if err == nil {
		defer db.close()
		s.schema, err = db.schema(ctx)
	}
	if fault.KindOf(err) == fault.Invalid {
		s.err, err = err, nil
	}
	return s, err
}

// maxListed bounds how many files an error names.
const maxListed = 5

// tell says what a file is that the format does not read.
func (s *sample) tell() string {
	if s.err != nil {
		return s.file.Name + ": " + fault.MessageOf(s.err)
	}
	for _, f := range formats() { // another one was named
		if f.fits(s) != "" {
			return s.file.Name + " is one of " + f.name + ": leave out --from, or say --from " + f.name + "."
		}
	}
	if k := known(s); k != nil {
		return s.file.Name + " is " + k.kind + ". " + k.next
	}
	return s.file.Name + " is of no known kind."
}

// nothing is the error of an input that has nothing to read. What to do stands first in it.
func (in *Input) nothing(from string, strange []string) error {
	what := "No export that can be read"
	if from != "auto" {
		what = "No export of " + from
	}
	if more := len(in.Files) - len(strange); more > 0 {
		strange = append(strange, fmt.Sprintf("And %d more.", more))
	}
	return unknownFormat(what + " is in the input: " + strings.Join(strange, " ") + " docs/import.md says what each program exports.")
}

// only is the one format that fits.
func only(found []chosen) (*chosen, error) {
	if len(found) == 1 {
		return &found[0], nil
	}
	var reasons []string
	for i := range found {
		reasons = append(reasons, found[i].format.name+" ("+found[i].why+")")
	}
	return nil, fault.New(fault.Invalid, "ambiguous_format",
		"The input may be of several formats: "+strings.Join(reasons, ", ")+". Name one with --from, and run the import for each.")
}

func unknownFormat(message string) error { return fault.New(fault.Invalid, "unknown_format", message) }
