package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// stage is what the fakes need of a test.
type stage struct {
	ctx context.Context

	mu    sync.Mutex
	ends  []func()
	wrong []string
}

// Helper implements gatewaytest.TB.
func (s *stage) Helper() {}

// Context implements gatewaytest.TB.
func (s *stage) Context() context.Context { return s.ctx }

// Cleanup implements gatewaytest.TB.
func (s *stage) Cleanup(end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, end)
}

// Errorf implements gatewaytest.TB.
func (s *stage) Errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// Fatalf implements gatewaytest.TB.
func (s *stage) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// close ends all that was started.
func (s *stage) close() {
	for len(s.ends) > 0 {
		last := len(s.ends) - 1
		s.ends[last]()
		s.ends = s.ends[:last]
	}
}

// fake is one chat platform.
type fake struct {
	platform gateway.Platform
	rig      *gatewaytest.Rig
	stage    *stage
	// late makes the platform take each message after a time, and answer after another one.
	late func(before, after time.Duration)

	mu  sync.Mutex // one act at a time
	ear ear
}

// heard is what the platform has taken of the answers, by the names of the messages.
func (f *fake) heard() map[string]*heard { return f.ear.hear(f.rig.Sent()) }

// fakes are the four chat platforms. They outlive the server.
type fakes struct {
	*stage
	all      []*fake
	env      []string
	settings string // of config.yaml
	door     *door
}

// company is how many people, and how many groups, there are on each platform. All of them may
// write to the bot.
type company struct {
	people, groups int
	// owners says that the chats of each platform are another owner's.
	owners bool
	// plain says that nobody is an admin in groups.
	plain bool
}

// newFakes starts the four platforms.
func newFakes(ctx context.Context, c company) *fakes {
	f := &fakes{stage: &stage{ctx: ctx}, door: &door{}}
	var settings strings.Builder
	settings.WriteString("session_reset: { mode: none }\nplatforms:\n")
	for _, add := range []func(company) (*fake, string, []string, []string){f.telegram, f.discord, f.slack, f.whatsapp} {
		one, url, users, chats := add(c)
		one.stage = f.stage
		f.all = append(f.all, one)
		fmt.Fprintf(&settings, "  %s:\n    api_url: %s\n    mention: false\n    users: [%s]\n    chats: [%s]\n",
			one.platform, url, yamlList(users), yamlList(chats))
		if c.plain {
			settings.WriteString("    admins: [nobody]\n")
		}
		if c.owners {
			fmt.Fprintf(&settings, "    owner: %s\n", one.platform)
		}
	}
	f.settings = settings.String()
	return f
}

// yamlList are texts as items of a list in YAML.
func yamlList(list []string) string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = strconv.Quote(text)
	}
	return strings.Join(out, ", ")
}

// person and group are the names that rigs use.
func person(n int) string { return fmt.Sprintf("Person%d", n) }
func group(n int) string  { return fmt.Sprintf("Group%d", n) }

// numbers are so many whole numbers, as texts.
func numbers(first, step, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(first + i*step)
	}
	return out
}

func (f *fakes) telegram(c company) (one *fake, url string, users, chats []string) {
	s := gatewaytest.NewTelegram(f.stage, gatewaytest.TelegramOptions{})
	f.env = append(f.env, "TELEGRAM_BOT_TOKEN="+s.Token)
	late := func(before, after time.Duration) {
		for _, method := range []string{"sendMessage", "sendDocument"} {
			s.Always(method, gatewaytest.TelegramStep{Delay: before, Late: after})
		}
	}
	// The fake numbers people and groups in the order in which they appear.
	return &fake{platform: gateway.Telegram, rig: s.Rig(nil), late: late}, s.URL,
		numbers(500_001, 1, c.people), numbers(-1_001_000_000_001, -1, c.groups)
}

func (f *fakes) discord(c company) (one *fake, url string, users, chats []string) {
	s := gatewaytest.NewDiscord(f.stage, gatewaytest.DiscordOptions{})
	f.env = append(f.env, "DISCORD_BOT_TOKEN="+gatewaytest.DiscordToken)
	late := func(before, after time.Duration) {
		s.Always("POST /channels/{channel}/messages", gatewaytest.DiscordFault{Delay: before, Late: after})
	}
	all := numbers(700_000, 1, 2*c.people+c.groups+1) // of people, chats and the server, in the order in which they appear
	return &fake{platform: gateway.Discord, rig: s.Rig(nil), late: late}, s.URL, all, all
}

func (f *fakes) slack(c company) (one *fake, url string, users, chats []string) {
	s := gatewaytest.NewSlack(f.stage, gatewaytest.SlackOptions{})
	f.env = append(f.env, "SLACK_BOT_TOKEN="+gatewaytest.SlackBotToken, "SLACK_APP_TOKEN="+gatewaytest.SlackAppToken)
	late := func(before, after time.Duration) {
		s.Fail(gatewaytest.SlackFault{Delay: before, Late: after}, "chat.postMessage")
	}
	for n := range c.people {
		users = append(users, s.Person(person(n)))
	}
	for n := range c.groups {
		chats = append(chats, s.Chat(gateway.Group, group(n)))
	}
	return &fake{platform: gateway.Slack, rig: s.Rig(nil), late: late}, s.URL(), users, chats
}

// whatsapp starts the fake of WhatsApp without its limits of rate: a server that was killed
// does not know how much its predecessor has sent.
func (f *fakes) whatsapp(c company) (one *fake, url string, users, chats []string) {
	s := gatewaytest.NewWhatsApp(f.stage, gatewaytest.WhatsAppOptions{Unlimited: true})
	f.env = append(f.env, "WHATSAPP_CLOUD_PHONE_NUMBER_ID="+gatewaytest.WhatsAppPhoneID,
		"WHATSAPP_CLOUD_ACCESS_TOKEN="+gatewaytest.WhatsAppToken, "WHATSAPP_CLOUD_APP_SECRET="+gatewaytest.WhatsAppSecret,
		"WHATSAPP_CLOUD_VERIFY_TOKEN="+gatewaytest.WhatsAppVerify)
	late := func(_, after time.Duration) { s.Always("send", gatewaytest.WhatsAppStep{Late: after}) }
	for n := range c.people {
		users = append(users, s.Identity(person(n)))
	}
	for n := range c.groups {
		chats = append(chats, s.Group(group(n)))
	}
	s.DeliverTo(f.door)
	return &fake{platform: gateway.WhatsApp, rig: s.Rig(nil), late: late}, s.URL, users, chats
}

// subject is a server for the platforms, in front of an upstream, not started yet. more is
// added to its configuration.
func (f *fakes) subject(b *bench, upstream, more string, env ...string) (*subject, error) {
	s, err := b.subject(upstream, append(f.env, env...)...)
	if err != nil {
		return nil, err
	}
	return s, os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(f.settings+more), 0o600)
}

// start starts the server, and leads the platforms' webhooks to it.
func (f *fakes) start(ctx context.Context, s *subject) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	f.door.lead(s.addr)
	return nil
}

// broken adds what the adapters did that the platforms forbid.
func (f *fakes) broken(t *tally) {
	for _, one := range f.all {
		for _, wrong := range one.rig.Broken() {
			t.miss("%s: %s", one.platform, wrong)
		}
	}
}

// emit lets something happen on the platform, and returns the id of its event.
func (f *fake) emit(a gatewaytest.Act) (event string, m gateway.MessageID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rig.Emit(f.stage, a)
}

// again sends an event once more.
func (f *fake) again(event string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rig.Replay(f.stage, event)
}

// say lets a person write to the bot.
func (f *fake) say(who, text string) (event string) {
	event, _ = f.emit(gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: who, Name: who, Text: text})
	return event
}

// door passes the requests of platforms on to the server that runs. Without one, nobody
// answers.
type door struct {
	mu   sync.Mutex
	addr string
}

// lead leads the door to another server.
func (d *door) lead(addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addr = addr
}

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	addr := d.addr
	d.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || addr == "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+addr+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	req.Header = r.Header.Clone()
	res, err := idle.Do(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = res.Body.Close() }()
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body) // the platform reads the status only
}
