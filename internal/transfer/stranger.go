package transfer

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"
)

// stranger is a kind of files that people have and that no format reads.
type stranger struct {
	kind string
	// fits reports whether a file is of this kind.
	fits func(s *sample) bool
	// next says what a person should do.
	next string
}

// strangers are the kinds of files that are known, but not read.
func strangers() []stranger {
	const unpack = "Unpack it, and name the directory."
	return append([]stranger{
		{"an object around a list of conversations", around, "Write the list alone to a file."},
		{"empty", func(s *sample) bool { return len(bytes.TrimSpace(s.head)) == 0 }, "Get the export again."},
		{"all zeros", func(s *sample) bool { return len(bytes.Trim(s.head, "\x00")) == 0 }, "Get the export again: the download or the disk has lost its content."},
		{"an empty list", emptyList, "The export has no conversations."},
		{"an object around an empty list", aroundNothing, "The export has no conversations and no memories."},
		{"a tar archive", func(s *sample) bool { return archives()[1].fits(s.head) }, unpack},
		{"a list of links to the parts of an export", linked, "Download the parts to a directory, and name the directory."},
		{"the account of Claude", withNames("full_name", "email_address"), "The conversations are in conversations.json."},
		{"the projects of Claude", withNames("prompt_template", "docs"), "The conversations are in conversations.json."},
		{"Google's log of activity", withNames("header", "products"), "It has questions without their answers, and is not read."},
		{"a transcript of Claude Code", withNames("sessionId", "message.role"), "Write its messages as JSON lines."},
		{"a list of messages", func(s *sample) bool { return s.list && s.has("role", "content") }, `Put it into an object: {"id":"a name","messages":[…]}.`},
		{
			"a pipe with JSON of which the first 256 KiB do not tell the program",
			func(s *sample) bool { return s.cut() && s.file.Size == 0 }, "Save it as a file, and name the file.",
		},
	}, beginnings(unpack)...)
}

// beginnings are the kinds that are told by their first bytes.
func beginnings(unpack string) []stranger {
	var all []stranger
	for _, b := range []struct{ kind, mark, next string }{
		{"a 7z archive", "7z\xbc\xaf\x27\x1c", unpack},
		{"a RAR archive", "Rar!", unpack},
		{"an empty zip archive", "PK\x05\x06", "Get the export again."},
		{"a damaged, divided or deeply nested zip archive", "PK", "Get the export again, in one piece, or unpack it."},
		{"packed with xz", "\xfd7zXZ", "Unpack it first."},
		{"packed with bzip2", "BZh", "Unpack it first."},
		{"a PDF", "%PDF", "Name the export's JSON file."},
		{"a web page", "<", "Name the export's JSON file. If that is what was downloaded, its link has expired: ask for the export again."},
	} {
		all = append(all, stranger{b.kind, func(s *sample) bool { return bytes.HasPrefix(bytes.TrimSpace(s.head), []byte(b.mark)) }, b.next})
	}
	return all
}

// emptyList reports whether a file is a list that ends without an element. One that goes on behind the sample is
// not known.
func emptyList(s *sample) bool {
	rest := bytes.Trim(s.head, "[] \r\n\t")
	return s.list && len(s.names) == 0 && len(rest) == 0 && bytes.Count(s.head, []byte("[")) == bytes.Count(s.head, []byte("]"))
}

// emptyPage is an object with an empty list of conversations or memories, as interfaces write it, as far as the list.
var emptyPage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:conversations|chats|data|items|memories|results)"\s*:\s*\[\s*\]`)
})

// aroundNothing reports whether a file is an object whose list is empty, and that has nothing else.
func aroundNothing(s *sample) bool {
	for name := range s.names {
		if strings.Contains(name, ".") {
			return false
		}
	}
	return !s.list && !s.cut() && emptyPage().Match(s.head)
}

// linked reports whether a file lists parts that are to be downloaded, as the manifest of a
// large export does.
func linked(s *sample) bool {
	return len(s.names) > 0 && bytes.Contains(s.head, []byte("https://")) && bytes.Contains(s.head, []byte(".zip"))
}

// around reports whether the conversations stand deeper in a file than any format has them.
func around(s *sample) bool {
	for name := range s.names {
		for _, of := range []string{".mapping", ".chat_messages", ".chat.history", ".messages.role", ".messages.messageId"} {
			if strings.HasSuffix(name, of) {
				return true
			}
		}
	}
	return false
}

// withNames fits a file whose first object has all of these members.
func withNames(names ...string) func(s *sample) bool {
	return func(s *sample) bool { return s.has(names...) }
}

// known is the kind of a file that no format reads; nil for a file of which nothing is known.
func known(s *sample) *stranger {
	for _, k := range strangers() {
		if k.fits(s) {
			return &k
		}
	}
	return nil
}

// strangerKind names a file among those of an export that is not read.
func strangerKind(s *sample) string {
	if s.ownKind() != "" {
		return "file of this program"
	}
	if k := known(s); k != nil {
		return "file that is " + k.kind
	}
	if path.Ext(s.file.Name) == "" {
		return "file"
	}
	return "file " + strings.ToLower(path.Ext(s.file.Name))
}
