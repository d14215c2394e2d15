package transfer

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// clawEnvelope is the text of a message in OpenClaw while what OpenClaw wrote around the words of a person is
// taken off. Older versions of OpenClaw write one line in brackets before the words. Newer ones write blocks of
// JSON with a heading.
type clawEnvelope struct {
	text string
	// at is when the message was said.
	at time.Time
	// sender is the person that the blocks name, and group says that the blocks tell of a group.
	sender string
	group  bool
	// headed says that a line in brackets that names a channel was taken off, and blocks that a block was.
	headed, blocks bool
	// numbered says that a line with the id of the message stood directly before the words.
	numbered bool
	// pictures is how many pictures came with the message.
	pictures int
	system   bool // lines of the system were taken off
}

// The forms of an envelope.
var (
	clawQueue      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^---\nQueued #\d+[^\n]*\n`) })
	clawSystemLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^System(?: \(untrusted\))?: `) })
	clawSystemTime = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^System(?: \(untrusted\))?: \[[^\]\n]*\d{4}-\d{2}-\d{2}[^\]\n]*\]`)
	})
	clawStamp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]*\]\s*`)
	})
	clawHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(?:\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]*\] )?(\S[^\n(⟦]{0,99}?):? (?:\((untrusted[^)\n]*)\):|⟦openclaw:ctx⟧)\n`)
	})
	clawHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[([^\]\n]{1,300})\]\s`) })
	clawTimed  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|\s)(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2})?(?:Z| [A-Z]{2,5}(?:[+-]\d{1,2}(?::\d{2})?)?)?$`)
	})
	clawChannel = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|(?:MS )?Teams|Matrix|Zalo(?: Personal)?|` +
			`BlueBubbles|Feishu|Lark|LINE|Mattermost|Nextcloud Talk|IRC|QQ ?Bot|Synology Chat)\b`)
	})
	clawAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\sid:\S|\s\+\d+[smhd]?\b`) })
	clawGroup   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`Guild #|\bGroup id:|\bgroup:|channel id:|\sid:-\d|@g\.us|\s#\S`)
	})
	clawNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[message_id: [^\]\n]+\]\s*(?:\n|$)`) })
	clawEnd    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s*\[(?:message_id: |from: |\w+ message id: )[^\]\n]+\]$|(?s)(?:^|\n)\[(?:Replying to|Quoting) [^\n]*\]\n.*?\[/(?:Replying|Quoting)\]$`)
	})
	clawNumberEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s*\n)\[message_id: [^\]\n]+\]$`) })
	clawReply     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^\[Replying to: ".*?"\]\n\s*`) })
	clawSpeaker   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^:\n]{1,80}):\s`) })
	clawMedia     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\[media attached(?: \d+/\d+)?: [^\n]*\]|To send an image back, prefer the message tool [^\n]*)(?:\n|$)`)
	})
	clawRecalled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^(?:Context:\n)?(?:<relevant-memories>\n.*?</relevant-memories>|<active_memory_plugin>\n.*?</active_memory_plugin>)`)
	})
	clawTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^[ \t]*\[\[\s*(?:reply_to_current|reply_to\s*:[^\]\n]+|audio_as_voice)\s*\]\][ \t]*`)
	})
	clawTagEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\s\[\[\s*(?:reply_to_current|reply_to\s*:[^\]\n]+|audio_as_voice)\s*\]\]\s*$`)
	})
	clawSilent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\n)\s*NO_REPLY\s*$`) })
)

// clawPrompts are the beginnings of what OpenClaw itself says in a person's place: at a reset, after a command that
// has ended, and before it folds a conversation.
var clawPrompts = [...]string{
	"A new session was started via /new or /reset", "An async command you ran earlier has completed", "Pre-compaction memory flush",
}

// clawWords are the words of a person in a message of OpenClaw, and who that is in a group. machine says what the
// message is if no person said anything in it.
func clawWords(whole string, at time.Time) (words, speaker, machine string) {
	text := strings.ReplaceAll(whole, "\r\n", "\n")
	parts := []string{text}
	if strings.HasPrefix(strings.TrimSpace(text), "[Queued messages while ") {
		if queued := clawQueue().Split(text, -1); len(queued) > 1 {
			parts = queued[1:]
		}
	}
	var said, speakers []string
	for _, part := range parts {
		e := &clawEnvelope{text: strings.TrimSpace(part), at: at}
		e.open()
		if slices.ContainsFunc(clawPrompts[:], func(p string) bool { return strings.HasPrefix(e.text, p) }) {
			machine = "message of OpenClaw itself"
			continue
		}
		e.close()
		name := e.speaker()
		e.quoted()
		if e.system {
			machine = cmp.Or(machine, "message of OpenClaw itself")
		}
		if pictures := strings.Repeat("\n"+picture, e.pictures); e.text+pictures != "" {
			said, speakers = append(said, strings.TrimSpace(e.text+pictures)), append(speakers, name)
		}
	}
	if len(said) > 0 {
		machine = ""
	}
	if len(said) == 1 && said[0] == strings.TrimSpace(text) { // nothing was taken off
		return whole, speakers[0], ""
	}
	if names := slices.Compact(slices.Clone(speakers)); len(names) == 1 {
		return strings.Join(said, "\n\n"), names[0], machine
	}
	for i, name := range speakers { // several people, each with a message
		if name != "" {
			said[i] = name + ": " + said[i]
		}
	}
	return strings.Join(said, "\n\n"), "", machine
}

// open takes off what stands before the words.
func (e *clawEnvelope) open() {
	steps := []func() bool{e.systemLines, e.recalled, e.media, e.block, e.stamp, e.header, e.number, e.hint}
	for slices.ContainsFunc(steps, func(takesOff func() bool) bool { return takesOff() }) {
		e.text = strings.TrimSpace(e.text)
	}
}

// systemLines takes off lines that tell of events. All lines of an event begin alike, and the first one has a time.
// Where blocks follow, what stands before the blocks belongs to the events.
func (e *clawEnvelope) systemLines() bool {
	rest, timed := e.text, false
	for clawSystemLine().MatchString(rest) {
		timed = timed || clawSystemTime().MatchString(rest)
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if !timed {
		return false
	}
	for _, at := range clawHeading().FindAllStringIndex(rest, -1) {
		if strings.HasPrefix(rest[at[1]:], "```json\n") {
			rest = rest[at[0]:]
			break
		}
	}
	e.text, e.system = rest, true
	return true
}

// recalled takes off what a memory of OpenClaw recalled for the model. The person said that at another time, if at all.
func (e *clawEnvelope) recalled() bool {
	recalled := clawRecalled().FindString(e.text)
	e.text = e.text[len(recalled):]
	return recalled != ""
}

// media takes off a note of a file that came with the message, and counts pictures.
func (e *clawEnvelope) media() bool {
	note := clawMedia().FindString(e.text)
	if strings.Contains(note, "(image/") {
		e.pictures++
	}
	e.text = e.text[len(note):]
	return note != ""
}

// block takes off a block with a heading: JSON in a fence, lines that begin with "#", or with the newer heading
// any lines up to an empty one.
func (e *clawEnvelope) block() bool {
	at := clawHeading().FindStringSubmatchIndex(e.text)
	if at == nil || at[0] != 0 {
		return false
	}
	body, newer := e.text[at[1]:], at[4] < 0
	if fenced, ok := strings.CutPrefix(body, "```json\n"); ok {
		inside, rest, closed := strings.Cut(fenced, "\n```")
		if !closed {
			return false
		}
		e.tells(e.text[at[2]:at[3]], inside)
		e.text, e.blocks = rest, true
		return true
	}
	if !newer && !strings.HasPrefix(body, "#") {
		return false
	}
	_, e.text, _ = strings.Cut(body, "\n\n")
	e.blocks = true
	return true
}

// tells reads a block: who has said the message, and whether a group was told.
func (e *clawEnvelope) tells(heading, body string) {
	var info struct {
		Sender   json.RawMessage `json:"sender"`
		Group    bool            `json:"is_group_chat"`
		Subject  string          `json:"group_subject"`
		Name     string          `json:"name"`
		Label    string          `json:"label"`
		Username string          `json:"username"`
	}
	// Where a value has another type than expected, the others are read.
	_ = json.Unmarshal([]byte(body), &info)
	switch heading {
	case "Conversation info":
		e.group = e.group || info.Group || info.Subject != ""
		var name string
		if json.Unmarshal(info.Sender, &name) != nil {
			var sender struct{ Name, Username string }
			_ = json.Unmarshal(info.Sender, &sender)
			name = cmp.Or(sender.Name, sender.Username)
		}
		e.sender = cmp.Or(name, e.sender)
	case "Sender":
		e.sender = cmp.Or(e.sender, info.Name, info.Label, info.Username)
	}
}

// stamp takes off the time that stands before what was typed in OpenClaw's own page.
func (e *clawEnvelope) stamp() bool {
	rest := strings.TrimPrefix(e.text, clawStamp().FindString(e.text))
	took := len(rest) < len(e.text)
	e.text = rest
	return took
}

// header takes off the line in brackets that names a channel, once.
func (e *clawEnvelope) header() bool {
	m := clawHeader().FindStringSubmatch(e.text + "\n")
	if m == nil || e.headed || !isClawHeader(m[1], e.at) {
		return false
	}
	e.group = e.group || clawGroup().MatchString(m[1])
	e.text, e.headed = strings.TrimPrefix(e.text, strings.TrimSpace(m[0])), true
	return true
}

// isClawHeader reports whether a text in brackets names a channel. That of a known channel has an address or a
// time. That of an unknown one ends with a time that is about the message's own.
func isClawHeader(header string, at time.Time) bool {
	timed := clawTimed().FindStringSubmatchIndex(header)
	if clawChannel().MatchString(header) {
		return timed != nil || clawAddress().MatchString(header)
	}
	if timed == nil || strings.TrimSpace(header[:timed[0]]) == "" || at.IsZero() {
		return false
	}
	day, err := time.Parse(time.DateOnly, header[timed[2]:timed[3]])
	return err == nil && at.Sub(day).Abs() < 48*time.Hour
}

// number takes off a line with the id of the message.
func (e *clawEnvelope) number() bool {
	line := clawNumber().FindString(e.text)
	e.text, e.numbered = e.text[len(line):], e.numbered || line != ""
	return line != ""
}

// hint takes off the line behind blocks that says how the model is to answer.
func (e *clawEnvelope) hint() bool {
	line, rest, _ := strings.Cut(e.text, "\n")
	if !e.blocks || !strings.HasPrefix(line, "Delivery: ") || !strings.Contains(line, "`message` tool") {
		return false
	}
	e.text = rest
	return true
}

// close takes off what stands behind the words: the id, the sender, the message that was answered, and what
// channels tell.
func (e *clawEnvelope) close() {
	if before, context, ok := strings.Cut("\n"+e.text, "\nUntrusted context (metadata"); ok && strings.Contains(context, "UNTRUSTED") {
		e.text = strings.TrimSpace(before)
	}
	ends := clawNumberEnd()
	if e.headed || e.blocks || clawNumberEnd().MatchString(e.text) {
		ends = clawEnd()
	}
	for {
		rest := strings.TrimSpace(ends.ReplaceAllString(e.text, ""))
		if rest == e.text {
			return
		}
		e.text = rest
	}
}

// speaker takes off the name before the words, where OpenClaw writes one: in groups, and behind the id of the
// message. It returns the name if several people talk there.
func (e *clawEnvelope) speaker() string {
	m := clawSpeaker().FindStringSubmatch(e.text + "\n")
	named := e.headed && e.group || e.numbered && e.sender == ""
	if m != nil && (named || m[1] == e.sender) {
		e.text = strings.TrimSpace(strings.TrimPrefix(e.text, strings.TrimSpace(m[0])))
		e.sender = cmp.Or(e.sender, withoutNote(m[1]))
	}
	if e.group {
		return e.sender
	}
	return ""
}

// quoted takes off the message that was answered, where it stands before the words.
func (e *clawEnvelope) quoted() {
	if e.numbered || e.headed {
		e.text = strings.TrimSpace(strings.TrimPrefix(e.text, clawReply().FindString(e.text)))
	}
}

// withoutNote is a name without the id in brackets that may stand behind it.
func withoutNote(name string) string {
	bare, _, _ := strings.Cut(name, " (")
	return cmp.Or(strings.TrimSpace(bare), name)
}

// clawAnswer is an answer without the marks that tell OpenClaw how to send it. machine says what the answer is if
// it is none.
func clawAnswer(text string) (words, machine string) {
	words = clawTagEnd().ReplaceAllString(clawTag().ReplaceAllString(text, ""), "")
	if strings.TrimSpace(words) == "HEARTBEAT_OK" {
		return "", silentAnswer
	}
	words = strings.TrimSpace(clawSilent().ReplaceAllString(words, ""))
	if words == "" && strings.Contains(text, "NO_REPLY") {
		return "", silentAnswer
	}
	return words, ""
}

// silentAnswer is what the report calls an answer that says that nothing is to be sent.
const silentAnswer = "answer that OpenClaw did not send"
