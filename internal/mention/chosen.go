package mention

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// This program writes words of its own into keys, ids and targets. "agent:main:telegram:dm" says nothing of
// the town of Gent, and "chatgpt:4711" says nothing of GPT. A name within such words is no mention. Otherwise
// the forgetting of "Gent" would delete the chats of all people. What a platform, another program or a person
// has given counts: the id of a chat, the id behind "mem0:", a key that a client chose. named.go says which
// words of it do.

const (
	// keyBegin begins the session keys of chats. placeBegin begins the names that are made of them for a provider
	// of external memory, where hyphens replace the colons.
	keyBegin, placeBegin = "agent:main:", "agent-main-"
	mainWord             = "main"
	// chatTypes are the types of chats in keys.
	chatTypes = "dm group channel"

	maxPlatform = 32                                        // the longest name of a platform, in bytes
	maxFixed    = len(keyBegin+"channel") + maxPlatform + 1 // the longest fixed part of a key
)

const (
	// systems begin the ids of sessions that an import has made, with a colon behind them.
	systems = "chatgpt claude hermes jsonl letta librechat mem0 openclaw openwebui"
	// purposes begin the ids of sessions that this program has made for something.
	purposes = "job memory"
	// notes begin the ids of conversations that an import has made of other things than a conversation.
	notes = "custom-instructions memory memories"
	// files are the ids, behind "hermes:", of what an import has made of the memory files of Hermes Agent.
	files = "MEMORY.md USER.md"
	// noteEnd ends the ids of such conversations of Letta.
	noteEnd = ":human"
	// targets begin the targets of deliveries, or are the whole target.
	targets = "local origin webhook telegram discord slack whatsapp"
	// sources are the sources of sessions that are not in protocolMarks. A source of deliveries is a platform, too.
	sources = "gateway telegram discord slack whatsapp"
	// origins begin the origins of sent messages.
	origins = "approval erased forget forgotten"
	// eventWords are kinds of events of chats, and kinds of their files.
	eventWords = "said edited called pressed moved failed arrived photo voice document"
	// fixedMembers are members of records of this program whose value is always one of these words.
	fixedMembers = "Kind Type Platform"
	// nameMembers are members of records of this program whose value is the id of a session, or a session key.
	nameMembers = "session_id lineage_root_id _lineage_root_id root_id parent_session_id session_key Session SessionID Root RootID Key SessionKey"
)

// DefaultKey is the session key of conversations for which no one chose one: those of the terminal, and imported ones.
const DefaultKey = "me"

// OwnWords are the words that this program writes into values of its own tables. They stand there whatever is
// forgotten.
const OwnWords = "agent main " + chatTypes + " " + systems + " " + purposes + " " + notes + " human " + targets + " " + sources + " " +
	origins + " " + eventWords + "\n" + ourTitles

// isOneOf reports whether a word is in a list.
func isOneOf(word, list string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(" "+list+" ", " "+word+" ")
}

// hasKey reports whether a text may have the key of a chat.
func hasKey(text []byte) bool {
	return bytes.Contains(text, []byte(keyBegin)) || bytes.Contains(text, []byte(placeBegin))
}

// fixedKey is the length of the fixed part of a chat's key at the beginning of a text: the words "agent" and
// "main", the platform and the type of the chat. The key of OpenClaw's main chat has a second "main" in their place.
// The length is 0 if no such key stands there.
func fixedKey(text []byte) int {
	if !bytes.HasPrefix(text, []byte(keyBegin)) && !bytes.HasPrefix(text, []byte(placeBegin)) {
		return 0
	}
	at := len(keyBegin)
	sign, n := text[at-1], platformAt(text[at:])
	at += n
	if string(text[at-n:at]) == mainWord && wordEnds(text[at:]) {
		return at
	}
	if n > 0 {
		at += typeBehind(text[at:], sign)
	}
	if at == len(keyBegin)+n {
		return 0
	}
	return at
}

// typeBehind is the length of the type of a chat behind a sign, with the sign; 0 if none stands there.
func typeBehind(text []byte, sign byte) int {
	if len(text) == 0 || text[0] != sign {
		return 0
	}
	if n := typeAt(text[1:]); n > 0 {
		return n + 1
	}
	return 0
}

// typeAt is the length of the type of a chat at the beginning of a text; 0 if none stands there.
func typeAt(text []byte) int {
	for kind := range strings.FieldsSeq(chatTypes) {
		if bytes.HasPrefix(text, []byte(kind)) && wordEnds(text[len(kind):]) {
			return len(kind)
		}
	}
	return 0
}

// wordEnds reports whether a word ends before the rest of a text.
func wordEnds(rest []byte) bool {
	return len(rest) == 0 || rest[0] < utf8.RuneSelf && !isIdentifier(rest[0])
}

// platformAt is the length of the name of a platform at the beginning of a text.
func platformAt(text []byte) int {
	n := 0
	for n < min(len(text), maxPlatform) && strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789_", text[n]) >= 0 {
		n++
	}
	return n
}

// inKey reports whether a piece of a text lies within the fixed part of a chat's key.
func inKey(text []byte, s Span) bool {
	for s.End > s.Start && text[s.End-1] < ' ' { // a place reaches over unseen characters
		s.End--
	}
	for start := max(0, s.End-maxFixed); start <= s.Start; start++ {
		if text[start] == 'a' && start+fixedKey(text[start:]) >= s.End {
			return true
		}
	}
	return false
}

// Made reports whether a piece of a text names nothing, because this program has made it: it lies within the
// fixed part of a chat's key, is the program that an answer cites, or is so short that ids contain it, and lies
// within an id.
func Made(text string, s Span) bool {
	raw := []byte(text)
	for _, w := range madeWords {
		if w.holds(raw, s) {
			return true
		}
	}
	return isSlight(text[s.Start:s.End]) && inMadeID(raw, s)
}

// madeWords are the forms in which this program writes words of its own into texts: whether a text may have them, and whether
// they hold a piece of it. Never written.
var madeWords = [...]struct {
	mayBeIn func(text []byte) bool
	holds   func(text []byte, s Span) bool
}{{hasKey, inKey}, {hasCited, inCited}, {hasTold, inTold}}

// seen is a place without the unseen characters at its end, over which it reaches.
func seen[T string | []byte](text T, s Span) Span {
	for s.End > s.Start && text[s.End-1] < ' ' {
		s.End--
	}
	return s
}

// InTarget reports whether the target of a delivery names the thing outside the word that says where it goes.
func (t *Thing) InTarget(target string) bool {
	return t.within(target, Span{begun(target, targets), len(target)})
}

// InOrigin reports whether the origin of a sent message names the thing outside the word that says what asks.
func (t *Thing) InOrigin(origin string) bool {
	word, _, _ := strings.Cut(origin, " ")
	if !isOneOf(word, origins) {
		word = ""
	}
	return t.within(origin, Span{len(word), len(origin)})
}

// InSource reports whether the source of a session, or the program from which an import came, names the thing. The words
// that this program writes there do not count.
func (t *Thing) InSource(source string) bool {
	return t.In(ChosenSource(source))
}

// ChosenSource is a source; "" if this program wrote it.
func ChosenSource(source string) string {
	if isProtocol(source, false) || isOneOf(source, sources+" "+systems) {
		return ""
	}
	return source
}

// BlotSource removes the thing from a source, and returns how many mentions it had.
func (t *Thing) BlotSource(source string) (string, int) {
	if !t.InSource(source) {
		return source, 0
	}
	clean, _ := t.blot(source)
	return clean, 1
}

// InPlace reports whether a name of a place of an external memory, or what it was made of, names the thing. A
// name was made of an id or of a key, with hyphens in place of other signs. What it was made of has a letter and a
// colon in front of the id or the key.
func (t *Thing) InPlace(place string) bool {
	if len(place) > 2 && place[1] == ':' {
		return t.InName(place[2:])
	}
	if IsFixed(place) || isFile(strings.TrimPrefix(place, "hermes-")) {
		return false
	}
	chosen := Span{0, len(place)}
	if word, rest, more := strings.Cut(place, "-"); more && isOneOf(word, systems+" "+purposes) {
		chosen.Start = len(word)
		if strings.HasSuffix(rest, "-human") { // for a colon in noteEnd
			chosen.End -= len(noteEnd)
		}
	}
	return t.inName(place, chosen)
}

// within reports whether a text names the thing with a part of a place.
func (t *Thing) within(text string, place Span) bool {
	if place == (Span{0, len(text)}) {
		return t.In(text)
	}
	return slices.ContainsFunc(t.Spans(text), place.meets)
}

// meets reports whether two places have a part in common.
func (s Span) meets(other Span) bool { return other.Start < s.End && other.End > s.Start }

// Chosen is the part of the id of a session that this program did not write.
func Chosen(id string) string {
	s := chosen(id)
	return id[s.Start:s.End]
}

// chosen is the place of that part.
func chosen(id string) Span {
	if IsFixed(id) {
		return Span{len(id), len(id)}
	}
	if !strings.Contains(id, ":") { // a person chose the word, such as a key "claude"
		return Span{0, len(id)}
	}
	if at := begun(id, systems); at > 0 {
		return chosenOf(id, at)
	}
	return Span{begun(id, purposes), len(id)}
}

// IsFixed reports whether this program wrote all of an id or a key: it is [DefaultKey], the session with the notes of that
// key, or a memory file of Hermes Agent. A number may stand behind it, as in the id of a session apart.
func IsFixed(id string) bool {
	if at := strings.LastIndexByte(id, '~'); at > 0 && strings.Trim(id[at+1:], decimals) == "" {
		id = id[:at]
	}
	return id == DefaultKey || id == "memory:"+DefaultKey || isFile(strings.TrimPrefix(id, "hermes:"))
}

// isFile reports whether a name is that of a memory file of Hermes Agent. In the name of a place, a hyphen stands for the full stop.
func isFile(name string) bool {
	return isOneOf(name, files) || isOneOf(strings.Replace(name, "-", ".", 1), files)
}

// chosenOf is the part that counts of the id of a conversation which begins at a place.
func chosenOf(id string, at int) Span {
	if isFile(id[at:]) {
		return Span{len(id), len(id)}
	}
	start, end := at+begun(id[at:], notes), len(id)
	if strings.HasSuffix(id, noteEnd) && end-len(noteEnd) > start {
		end -= len(noteEnd)
	}
	return Span{start, end}
}

// begun is the length of a word at the beginning of a text, with the colon behind the word. It is 0 if none of
// the words stands there.
func begun(text, words string) int {
	word, _, more := strings.Cut(text, ":")
	switch {
	case !isOneOf(word, words):
		return 0
	case more:
		return len(word) + 1
	}
	return len(word)
}
