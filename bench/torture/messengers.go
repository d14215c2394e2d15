package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// messengers are fakes of the four chat platforms, with people who talk to one bot.
type messengers struct {
	telegram *gatewaytest.Telegram
	discord  *gatewaytest.Discord
	slack    *gatewaytest.Slack
	whatsapp *gatewaytest.WhatsApp
	talks    []*dialogue
	stage    *stage

	mu     sync.Mutex
	addr   string          // of the server; "" while there is none
	off    bool            // no request of WhatsApp reaches the server
	posted []time.Duration // what the requests to the webhook took
}

// dialogue is one chat with the bot.
type dialogue struct {
	platform gateway.Platform
	kind     gateway.ChatType
	name     string // two letters and two digits
	say      func(text string)
	flood    func(chat string, seconds int)
	said     int
}

// openMessengers begins the fakes, with some chats of each kind.
func openMessengers(ctx context.Context, chats int) (*messengers, error) {
	m := &messengers{stage: &stage{ctx: ctx}}
	var err error
	if m.telegram, err = gatewaytest.StartTelegram(gatewaytest.TelegramOptions{}); err != nil {
		return nil, err
	}
	if m.whatsapp, err = gatewaytest.StartWhatsApp(gatewaytest.WhatsAppOptions{}); err != nil {
		return nil, err
	}
	m.discord = gatewaytest.NewDiscord(m.stage, gatewaytest.DiscordOptions{})
	m.slack = gatewaytest.NewSlack(m.stage, gatewaytest.SlackOptions{PerSecond: 1})
	m.whatsapp.DeliverTo(http.HandlerFunc(m.passOn))
	for n := range chats {
		m.talks = append(m.talks, m.onTelegram(n), m.onDiscord(n), m.onSlack(n), m.onWhatsApp(n))
	}
	return m, nil
}

// close ends the fakes.
func (m *messengers) close() {
	m.telegram.Close()
	m.whatsapp.Close()
	m.stage.close()
}

// passOn brings a request of WhatsApp to the server.
func (m *messengers) passOn(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	addr, off := m.addr, m.off
	m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || addr == "" || off {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	began := time.Now()
	header := map[string]string{}
	for name := range r.Header {
		header[name] = r.Header.Get(name)
	}
	status, _, err := send(r.Context(), addr, r.Method, r.URL.Path, header, body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	m.mu.Lock()
	m.posted = append(m.posted, time.Since(began))
	m.mu.Unlock()
	w.WriteHeader(status)
}

// kindOf makes every third chat of a platform a group or a channel, in which several people
// could speak.
func kindOf(n int, other gateway.ChatType) gateway.ChatType {
	if n%3 == 2 {
		return other
	}
	return gateway.DM
}

// onTelegram is a chat on Telegram.
func (m *messengers) onTelegram(n int) *dialogue {
	t := &dialogue{platform: gateway.Telegram, kind: kindOf(n, gateway.Group), name: fmt.Sprintf("tg%02d", n)}
	t.say = func(text string) {
		m.telegram.Emit(m.stage, gatewaytest.Act{
			Kind: gateway.Said, Type: t.kind, Chat: t.name, Name: t.name, Text: text, Mention: t.kind != gateway.DM,
		})
	}
	t.flood = func(chat string, seconds int) { m.telegram.Flood(number(chat), seconds) }
	return t
}

// number is an id as a number; 0 for none.
func number(id string) (n int64) {
	_, _ = fmt.Sscan(id, &n) // 0 for what is no number
	return n
}

// onDiscord is a chat on Discord.
func (m *messengers) onDiscord(n int) *dialogue {
	t := &dialogue{platform: gateway.Discord, kind: kindOf(n, gateway.Channel), name: fmt.Sprintf("dc%02d", n)}
	channel := gatewaytest.DiscordChannel{ID: fmt.Sprint(810_000 + n), Type: 1, Name: t.name}
	if t.kind != gateway.DM {
		channel.Type, channel.Guild = 0, "820000"
	}
	m.discord.AddChannel(channel)
	t.say = func(text string) {
		said := gatewaytest.DiscordSaid{Channel: channel.ID, Author: discordPerson(n), Name: t.name, Text: text}
		if t.kind != gateway.DM {
			said.Text = "<@" + gatewaytest.DiscordBot + "> " + text
			me := map[string]any{"id": gatewaytest.DiscordBot, "username": "hermes", "global_name": nil, "bot": true}
			said.Raw = map[string]any{"content": said.Text, "mentions": []any{me}}
		}
		m.discord.Say(said)
	}
	t.flood = func(chat string, seconds int) { m.discord.Flood(chat, time.Duration(seconds)*time.Second) }
	return t
}

// discordPerson is the id of a person.
func discordPerson(n int) string { return fmt.Sprint(830_000 + n) }

// onSlack is a chat on Slack.
func (m *messengers) onSlack(n int) *dialogue {
	t := &dialogue{platform: gateway.Slack, kind: kindOf(n, gateway.Channel), name: fmt.Sprintf("sl%02d", n)}
	chat, user := m.slack.Chat(t.kind, t.name), m.slack.Person(t.name)
	t.say = func(text string) {
		if t.kind != gateway.DM {
			text = "<@" + gatewaytest.SlackBotUser + "> " + text
		}
		m.slack.Say(gatewaytest.SlackSay{Chat: chat, User: user, Text: text})
	}
	t.flood = func(chat string, seconds int) { m.slack.Flood(chat, time.Duration(seconds)*time.Second) }
	return t
}

// onWhatsApp is a chat on WhatsApp.
func (m *messengers) onWhatsApp(n int) *dialogue {
	t := &dialogue{platform: gateway.WhatsApp, kind: gateway.DM, name: fmt.Sprintf("wa%02d", n)}
	t.say = func(text string) {
		m.whatsapp.Emit(m.stage, gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: t.name, Name: t.name, Text: text})
	}
	m.whatsapp.Identity(t.name) // makes the person
	t.flood = m.whatsapp.Flood
	return t
}

// tokens are the secrets that the server has of the platforms.
func tokens() map[string]string {
	return map[string]string{
		"TELEGRAM_BOT_TOKEN": gatewaytest.TelegramToken, "DISCORD_BOT_TOKEN": gatewaytest.DiscordToken,
		"SLACK_BOT_TOKEN": gatewaytest.SlackBotToken, "SLACK_APP_TOKEN": gatewaytest.SlackAppToken,
		"WHATSAPP_CLOUD_ACCESS_TOKEN": gatewaytest.WhatsAppToken,
		"WHATSAPP_CLOUD_APP_SECRET":   gatewaytest.WhatsAppSecret, "WHATSAPP_CLOUD_VERIFY_TOKEN": gatewaytest.WhatsAppVerify,
	}
}

// addresses are where the APIs of the platforms are.
func (m *messengers) addresses() map[gateway.Platform]string {
	return map[gateway.Platform]string{
		gateway.Telegram: m.telegram.URL, gateway.Discord: m.discord.URL, gateway.Slack: m.slack.URL(), gateway.WhatsApp: m.whatsapp.URL,
	}
}

// people are the ids of those who may write.
func (m *messengers) people() map[gateway.Platform][]string {
	out := map[gateway.Platform][]string{}
	for n := range len(m.talks) / 4 {
		out[gateway.Telegram] = append(out[gateway.Telegram], fmt.Sprint(500_001+n))
		out[gateway.Discord] = append(out[gateway.Discord], discordPerson(n))
		out[gateway.Slack] = append(out[gateway.Slack], m.slack.Person(fmt.Sprintf("sl%02d", n)))
		out[gateway.WhatsApp] = append(out[gateway.WhatsApp], m.whatsapp.Identity(fmt.Sprintf("wa%02d", n)))
	}
	return out
}

// onPlatforms gives a server its bots: the APIs at some addresses, for some people.
func (s *subject) onPlatforms(addresses map[gateway.Platform]string, people map[gateway.Platform][]string) error {
	var b strings.Builder
	b.WriteString("session_reset: { mode: none }\nplatforms:\n")
	for platform, address := range addresses {
		fmt.Fprintf(&b, "  %s: { api_url: %q, users: [%s] }\n", platform, address, withCommas(people[platform]))
	}
	for name, value := range tokens() {
		s.env = append(s.env, name+"="+value)
	}
	s.env = append(s.env, "WHATSAPP_CLOUD_PHONE_NUMBER_ID="+gatewaytest.WhatsAppPhoneID)
	return os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(b.String()), 0o600)
}

// withCommas are texts with commas between.
func withCommas(list []string) string {
	var out []string
	for _, text := range list {
		out = append(out, fmt.Sprintf("%q", text))
	}
	return strings.Join(out, ", ")
}

// meet starts a server before a model, and waits until it is connected to all platforms.
func (m *messengers) meet(ctx context.Context, s *subject) error {
	if err := s.onPlatforms(m.addresses(), m.people()); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	m.addr = s.addr
	m.mu.Unlock()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); pause(ctx, 50*time.Millisecond) {
		if m.discord.Connected() && m.slack.Counts().Opened > 0 && len(m.telegram.Requests("getUpdates")) > 0 {
			return nil
		}
	}
	return errors.New("the server did not connect to all platforms: " + tail(s.log.String()))
}

// tail is the end of a log.
func tail(log string) string {
	const most = 2000
	return log[max(0, len(log)-most):]
}

// shown are all messages of the bot.
func (m *messengers) shown() []gatewaytest.Sent {
	all := append(m.telegram.Sent(), m.discord.AllSent()...)
	return append(append(all, m.slack.Sent()...), m.whatsapp.Sent()...)
}

// broken is what the server did that the platforms forbid.
func (m *messengers) broken() []string {
	all := append(m.telegram.Broken(), m.discord.Broken()...)
	return append(append(all, m.slack.Broken()...), m.whatsapp.Broken()...)
}

// limited is how often the platforms refused a message that came too early.
func (m *messengers) limited() int {
	return m.telegram.Limited() + m.discord.Limited() + m.slack.Counts().Limited + m.whatsapp.Limited()
}

// leave leaves the logs of a server's lives, and its database, for those who look for the cause
// of a miss.
func (b *bench) leave(t *tally, name string, s *subject) {
	if !b.leaveLog(t, name, s) {
		return
	}
	data, err := os.ReadFile(s.file())
	if err = errors.Join(err, os.WriteFile(filepath.Join(b.logs, name+".db"), data, 0o600)); err != nil {
		t.miss("the database could not be left: %v", err)
	}
}

// leaveLog leaves the logs of a server's lives. It reports whether something was missed and is to be
// looked for.
func (b *bench) leaveLog(t *tally, name string, s *subject) bool {
	if b.logs == "" || len(t.misses) == 0 {
		return false
	}
	var text strings.Builder
	for i, log := range append(s.earlier[:len(s.earlier):len(s.earlier)], s.log) {
		fmt.Fprintf(&text, "life %d\n%s\n", i+1, log.String())
	}
	text.WriteString(strings.Join(t.misses, "\n"))
	err := errors.Join(os.MkdirAll(b.logs, 0o700), os.WriteFile(filepath.Join(b.logs, name+".log"), []byte(text.String()), 0o600))
	if err != nil {
		t.miss("the log could not be left: %v", err)
	}
	return err == nil
}

// given are the messages of the server that were not sent, with the reasons.
func (s *subject) given(ctx context.Context, t *tally) error {
	db, err := sql.Open("sqlite", "file:"+s.file()+"?mode=ro")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(ctx, `SELECT platform, state, coalesce(error, ''), count(*) FROM chat_sends WHERE state <> 'sent' GROUP BY 1, 2, 3`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var platform, state, why string
		var n int
		if err := rows.Scan(&platform, &state, &why, &n); err != nil {
			return err
		}
		t.miss("%d messages on %s are %s: %s", n, platform, state, why)
	}
	return rows.Err()
}

// logged counts what must never be in a log: tokens, and words of what was said.
func (m *messengers) logged(log string, words ...string) map[string]int {
	out := map[string]int{}
	for name, secret := range tokens() {
		if n := strings.Count(log, secret); n > 0 {
			out[name] = n
		}
	}
	for _, word := range words {
		if n := bytes.Count([]byte(log), []byte(word)); n > 0 {
			out["the word "+word] = n
		}
	}
	return out
}
