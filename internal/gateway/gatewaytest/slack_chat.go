package gatewaytest

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// codeLimited stands for an answer 429.
const codeLimited = "(limited)"

// slackChat is a chat.
type slackChat struct {
	id, name string
	kind     gateway.ChatType
	gone     string // the code of all requests, if not ""
	messages []*slackMessage
	answered map[string]bool // the first messages of threads
	posts    []time.Time     // of the last second
	rest     time.Time       // no message before it
	flood    time.Duration   // what the next message or edit is told to wait
	status   map[string]string
}

// slackMessage is a message.
type slackMessage struct {
	ts, thread, user, text string
	bot, robot             bool // the bot wrote it, or another app
	blocks, attachments    json.RawMessage
	metadata               json.RawMessage
	files                  []*slackFile
	reactions              []string
	edits                  int
	at, changed            time.Time // when it came, and when its newest text did
	hidden                 int       // how often it is left out of lists
}

// chat returns the chat that a request names, or a code.
func (s *Slack) chat(args url.Values, key string) (*slackChat, string) {
	c, ok := s.chats[args.Get(key)]
	if !ok {
		s.counts.NoChat++
		return nil, "channel_not_found"
	}
	return c, c.gone
}

// find is a message of the chat; nil if there is none.
func (c *slackChat) find(ts string) *slackMessage {
	if ts == "" {
		return nil
	}
	for _, m := range c.messages {
		if m.ts == ts {
			return m
		}
	}
	return nil
}

// threadOf is the thread that Slack names in a message. The first message of a thread names
// itself.
func (c *slackChat) threadOf(m *slackMessage) string {
	if m.thread == "" && c.answered[m.ts] {
		return m.ts
	}
	return m.thread
}

// add adds a message.
func (c *slackChat) add(m *slackMessage) {
	c.messages = append(c.messages, m)
	c.answered[m.thread] = m.thread != ""
}

func (s *Slack) postMessage(args url.Values) (map[string]any, string) {
	c, code := s.chat(args, "channel")
	if code != "" {
		return nil, code
	}
	m, code := s.written(args)
	if code != "" {
		return nil, code
	}
	if code := s.pace(c); code != "" {
		return c.retryAfter(), code
	}
	s.checkPreviews("chat.postMessage", args)
	if m.thread = args.Get("thread_ts"); m.thread != "" && c.find(m.thread) == nil {
		s.breach("chat.postMessage: no thread %s", m.thread)
		return nil, "thread_not_found"
	}
	m.metadata = json.RawMessage(args.Get("metadata"))
	s.append(c, m)
	return map[string]any{"channel": c.id, "ts": m.ts, "message": map[string]any{"type": "message", "text": m.text, "ts": m.ts}}, ""
}

// checkPreviews notes a message whose links get previews.
func (s *Slack) checkPreviews(method string, args url.Values) {
	if args.Get("unfurl_links") != "false" || args.Get("unfurl_media") != "false" {
		s.breach("%s shows previews of links", method)
	}
}

// append adds a message of the bot to a chat.
func (s *Slack) append(c *slackChat, m *slackMessage) {
	m.ts, m.user, m.bot = s.stamp(), SlackBotUser, true
	m.at = time.Now()
	m.changed = m.at
	c.add(m)
	delete(c.status, m.thread)
	s.counts.Posts++
}

// written reads and checks what is to stand in a message.
func (s *Slack) written(args url.Values) (*slackMessage, string) {
	m := &slackMessage{text: args.Get("text"), blocks: json.RawMessage(args.Get("blocks"))}
	m.attachments = json.RawMessage(args.Get("attachments"))
	for _, blocks := range append(m.hung(), m.blocks) {
		if wrong := checkBlocks(blocks); wrong != "" {
			s.breach("invalid blocks: %s", wrong)
			return nil, "invalid_blocks"
		}
	}
	if m.text == "" && len(m.elements()) == 0 && len(m.hung()) == 0 {
		return nil, "no_text"
	}
	if len(m.text) > 40_000 {
		return nil, "msg_too_long"
	}
	s.checkText(m.text)
	return m, ""
}

// Flood makes the next message or edit in a chat be told to wait.
func (s *Slack) Flood(chat string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[chat].flood = wait
}

// rests refuses a message or an edit in a chat that rests, or that is to begin to rest with
// it.
func (s *Slack) rests(c *slackChat) string {
	now := time.Now()
	switch {
	case now.Before(c.rest):
		s.breach("a message in %s within the wait that was asked for", c.name)
	case c.flood > 0:
		c.rest, c.flood = now.Add(c.flood), 0
	default:
		return ""
	}
	return codeLimited
}

// retryAfter is what an answer 429 says: the seconds until the chat takes messages again.
func (c *slackChat) retryAfter() map[string]any {
	return map[string]any{"retry_after": int(math.Ceil(time.Until(c.rest).Seconds()))}
}

// pace counts the messages of a second, and bounds them.
func (s *Slack) pace(c *slackChat) string {
	if code := s.rests(c); code != "" {
		return code
	}
	now := time.Now()
	c.posts = slices.DeleteFunc(c.posts, func(at time.Time) bool { return now.Sub(at) >= time.Second })
	if s.options.PerSecond > 0 && len(c.posts) >= s.options.PerSecond {
		s.counts.Limited++
		c.rest = now.Add(time.Second)
		return codeLimited
	}
	c.posts = append(c.posts, now)
	s.counts.PerSecond = max(s.counts.PerSecond, len(c.posts))
	return ""
}

func (s *Slack) update(args url.Values) (map[string]any, string) {
	c, code := s.chat(args, "channel")
	if code != "" {
		return nil, code
	}
	m := c.find(args.Get("ts"))
	if m == nil {
		return nil, "message_not_found"
	}
	if !m.bot {
		return nil, "cant_update_message"
	}
	s.checkPreviews("chat.update", args)
	if args.Get("parse") != "none" { // chat.postMessage has another default
		s.breach("chat.update changes how names are read")
	}
	n, code := s.written(args)
	if code != "" {
		return nil, code
	}
	if code := s.rests(c); code != "" {
		return c.retryAfter(), code
	}
	m.text = n.text
	if args.Has("blocks") { // what is not named stays
		m.blocks = n.blocks
	}
	if args.Has("attachments") {
		m.attachments = n.attachments
	}
	m.edits++
	m.changed = time.Now()
	return map[string]any{"channel": c.id, "ts": m.ts, "text": m.text}, ""
}

// history lists the messages of a chat, newest first, or those of a thread, oldest first
// and its first message always.
func (s *Slack) history(args url.Values) (map[string]any, string) {
	c, code := s.chat(args, "channel")
	if code != "" {
		return nil, code
	}
	root, oldest := args.Get("ts"), args.Get("oldest")
	var list []*slackMessage
	for _, m := range c.messages {
		in := m.thread == "" && root == "" || root != "" && (m.thread == root || m.ts == root)
		if in && m.hidden > 0 {
			m.hidden--
			continue
		}
		if in && (m.ts > oldest || m.ts == root) {
			list = append(list, m)
		}
	}
	if root == "" {
		slices.Reverse(list)
	} else if c.find(root) == nil {
		return nil, "thread_not_found"
	}
	limit, _ := strconv.Atoi(args.Get("limit"))
	if limit <= 0 || limit > 1000 {
		limit = 100
	}
	start, _ := strconv.Atoi(args.Get("cursor"))
	start = min(start, len(list))
	end := min(start+limit, len(list))
	content := map[string]any{"messages": c.listed(list[start:end], args.Get("include_all_metadata") != ""), "has_more": end < len(list)}
	if end < len(list) {
		content["response_metadata"] = map[string]any{"next_cursor": strconv.Itoa(end)}
	}
	return content, ""
}

// listed are messages as lists show them.
func (c *slackChat) listed(list []*slackMessage, metadata bool) []map[string]any {
	all := []map[string]any{}
	for _, m := range list {
		e := map[string]any{"type": "message", "user": m.user, "text": m.text, "ts": m.ts}
		if thread := c.threadOf(m); thread != "" {
			e["thread_ts"] = thread
		}
		if m.bot {
			e["bot_id"] = SlackBotID
		}
		if m.robot {
			delete(e, "user")
			e["bot_id"], e["subtype"], e["username"] = "B0ROBOT", "bot_message", "Robot"
		}
		if metadata && len(m.metadata) > 0 {
			e["metadata"] = m.metadata
		}
		var files []map[string]any
		for _, f := range m.files {
			files = append(files, f.shown())
		}
		if files != nil {
			e["files"] = files
		}
		// A block of a kind that nobody knows must not cost the list.
		e["blocks"] = []any{map[string]any{"type": "input", "element": 7}}
		all = append(all, e)
	}
	return all
}

// Sent are the messages of the bot, oldest first. The metadata say what a message answers.
func (s *Slack) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	type dated struct {
		ts   string
		sent Sent
	}
	var all []dated
	for _, c := range s.chats {
		for _, m := range c.messages {
			if !m.bot {
				continue
			}
			var d struct {
				Payload struct {
					ReplyTo gateway.MessageID `json:"reply_to"`
				} `json:"event_payload"`
			}
			_ = json.Unmarshal(m.metadata, &d)
			sent := Sent{
				Message: gateway.MessageID(m.ts), Text: m.visible(), ReplyTo: d.Payload.ReplyTo, Buttons: m.buttons(), Edits: m.edits,
				At: m.at, Changed: m.changed,
				Place: gateway.Place{Platform: gateway.Slack, Account: SlackAccount, Chat: c.id, Thread: m.thread},
			}
			if len(m.files) > 0 {
				sent.File = &gateway.File{Name: m.files[0].title, Data: m.files[0].data}
			}
			all = append(all, dated{m.ts, sent})
		}
	}
	slices.SortFunc(all, func(a, b dated) int { return strings.Compare(a.ts, b.ts) })
	var list []Sent
	for _, d := range all {
		list = append(list, d.sent)
	}
	return list
}

func (s *Slack) reactionsAdd(args url.Values) (map[string]any, string) {
	return s.reaction(args, func(m *slackMessage, name string) string {
		if slices.Contains(m.reactions, name) {
			return "already_reacted"
		}
		m.reactions = append(m.reactions, name)
		return ""
	})
}

func (s *Slack) reactionsRemove(args url.Values) (map[string]any, string) {
	return s.reaction(args, func(m *slackMessage, name string) string {
		if !slices.Contains(m.reactions, name) {
			return "no_reaction"
		}
		m.reactions = slices.DeleteFunc(m.reactions, func(n string) bool { return n == name })
		return ""
	})
}

func (s *Slack) reaction(args url.Values, do func(m *slackMessage, name string) string) (map[string]any, string) {
	c, code := s.chat(args, "channel")
	if code != "" {
		return nil, code
	}
	m := c.find(args.Get("timestamp"))
	if m == nil {
		return nil, "message_not_found"
	}
	name := args.Get("name")
	if !slices.Contains([]string{"eyes", "hourglass_flowing_sand", "x"}, name) {
		return nil, "invalid_name"
	}
	return nil, do(m, name)
}

// Reactions are the bot's reactions to a message.
func (s *Slack) Reactions(chat string, m gateway.MessageID) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.chats[chat].find(string(m)).reactions)
}

func (s *Slack) setStatus(args url.Values) (map[string]any, string) {
	c, code := s.chat(args, "channel_id")
	if code != "" {
		return nil, code
	}
	thread := args.Get("thread_ts")
	if c.find(thread) == nil {
		return nil, "invalid_thread_ts"
	}
	if c.status[thread] = args.Get("status"); c.status[thread] == "" {
		delete(c.status, thread)
	}
	return nil, ""
}

// Status is what the bot says that it does in a thread.
func (s *Slack) Status(chat, thread string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chats[chat].status[thread]
}
