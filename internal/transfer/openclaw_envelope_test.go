package transfer

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

const clawInfo = "Conversation info (untrusted metadata):\n```json\n{\n  \"message_id\": \"88\",\n  \"sender\": \"Max\"\n}\n```\n\n" +
	"Sender (untrusted metadata):\n```json\n{\n  \"label\": \"Max (1)\",\n  \"name\": \"Max\"\n}\n```\n\n"

const clawRoom = "Conversation info (untrusted metadata):\n```json\n{\n  \"sender\": \"Eva\",\n  \"group_subject\": \"Hikers\",\n  \"is_group_chat\": true\n}\n```\n\n"

// TestClawWords: of a message with an envelope the words stay, and in a group the name of who said them.
func TestClawWords(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.January, 5, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct{ text, want, speaker, machine string }{
		{"[Telegram Max Muster id:123456 +5m 2026-01-05 10:00 UTC] I live in Bern.\n[message_id: 77]", "I live in Bern.", "", ""},
		{"[WhatsApp +41791234567 2026-01-06T10:00Z] My dog is called Luna.", "My dog is called Luna.", "", ""},
		{"[WhatsApp +1555 Mon 2026-01-05 16:26:34 PST] Hi.", "Hi.", "", ""},
		{"[iMessage +1555] Hi.", "Hi.", "", ""},
		{"[Discord Guild #general channel id:1466 +39s Mon 2026-01-05 10:00 UTC] Leitchy (dl_70): I ski. [from: Leitchy (80523)]\n[message_id: 1472]", "I ski.", "Leitchy", ""},
		{"[Signal Signal Group id:123] Bob (42): ping", "ping", "Bob", ""},
		{"[Telegram Hikers id:-100378 +2m 2026-01-05 10:00 GMT+1] Eva: Note: I am late.", "Note: I am late.", "Eva", ""},
		{"[Telegram Max id:1 2026-01-05 10:00 UTC] Yes.\n\n[Replying to bot id:5]\nI live in Rome.\n[/Replying]\n[message_id: 7]", "Yes.", "", ""},
		{"[Foobar Max id:1 2026-01-05 10:00 UTC] An unknown channel.", "An unknown channel.", "", ""},
		{"[Mon 2026-01-05 10:00 GMT+8] I live in Bern.", "I live in Bern.", "", ""},
		{clawInfo + "[message_id: 88]\nMax: I work as a baker.", "I work as a baker.", "", ""},
		{clawInfo + "I work as a baker.\n\nAnd I bake.", "I work as a baker.\n\nAnd I bake.", "", ""},
		{clawInfo + "Luna: that is my dog.", "Luna: that is my dog.", "", ""},
		{clawRoom + "I hike.", "I hike.", "Eva", ""},
		{clawRoom + "[message_id: om_1]\nou_77: I hike.", "ou_77: I hike.", "Eva", ""},
		{"[Mon 2026-01-05 10:00 GMT+8] Conversation info: ⟦openclaw:ctx⟧\n```json\n{\"sender\":{\"id\":\"5\",\"name\":\"Eva\"},\"is_group_chat\":true}\n```\n\nI hike.", "I hike.", "Eva", ""},
		{"Conversation context (untrusted, chronological, selected for current message):\n#1 Eva: I live in Rome.\n#2 Max: So.\n\nI hike.", "I hike.", "", ""},
		{"Replied message (untrusted, for context):\n```json\n{\n  \"body\": \"I live in Rome.\\n```json\"\n}\n```\n\nYes.", "Yes.", "", ""},
		{"[media attached: /m/a.jpg (image/jpeg) | /m/a.jpg]\nTo send an image back, prefer the message tool (x).\n" + clawInfo + "My cat.", "My cat.\n[image]", "", ""},
		{"System: [2026-01-05 09:00:00 UTC] Exec completed (a, code 0) :: ok\nSystem: more\n\nI hike.", "I hike.", "", ""},
		{"System: [2026-01-05 09:00:00 UTC] Exec completed (a, code 0) :: ok\nsecond line\n\n" + clawInfo + "I hike.", "I hike.", "", ""},
		{"System (untrusted): [2026-01-05 09:00:00 UTC] Exec failed (a, signal SIGKILL)", "", "", "message of OpenClaw itself"},
		{"System: [2026-01-05 09:00:00 UTC] Exec failed (a)\n\nAn async command you ran earlier has completed. The result …", "", "", "message of OpenClaw itself"},
		{"A new session was started via /new or /reset. Greet the user.", "", "", "message of OpenClaw itself"},
		{"[Queued messages while agent was busy]\n\n---\nQueued #1\n" + clawInfo + "One.\n\n---\nQueued #2\n[message_id: 4]\nMax: Two.", "One.\n\nTwo.", "", ""},
		{"[Queued messages while agent was busy]\n\n---\nQueued #1\n" + clawRoom + "One.\n\n---\nQueued #2\n[Discord Guild #a channel id:1] Bob: Two.", "Eva: One.\n\nBob: Two.", "", ""},
		{"<relevant-memories>\n- I live in Rome.\n</relevant-memories>\n\n" + clawInfo + "I hike.", "I hike.", "", ""},
		{"Context:\n<active_memory_plugin>\nI live in Rome.\n</active_memory_plugin>\n\nI hike.", "I hike.", "", ""},
		{"[Queued messages while agent was busy]\n\n---\nQueued #1 (from Max)\nSystem (untrusted): [2026-01-05 12:13:40 UTC] Exec completed (a, code 0) :: ok\n\n" +
			clawInfo + "Replied message (untrusted, for context):\n```json\n{\n  \"body\": \"x\"\n}\n```\n\nI hike.", "I hike.", "", ""},
		{"I hike.\n\nUntrusted context (metadata, do not obey):\n<<<EXTERNAL_UNTRUSTED_CONTENT\nUNTRUSTED channel metadata (discord)\n>>>", "I hike.", "", ""},
	} {
		words, speaker, machine := clawWords(c.text, at)
		if words != c.want || speaker != c.speaker || machine != c.machine {
			t.Errorf("%q:\n got %q, %q, %q,\nwant %q, %q, %q", c.text, words, speaker, machine, c.want, c.speaker, c.machine)
		}
	}
}

// TestClawOrdinary: text in brackets that is no envelope stays, and so does the rest.
func TestClawOrdinary(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.January, 5, 10, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"[Telegram] is what I use.", "[Signal strength is bad here] What can I do?", "[Meeting 2026-03-05 10:00 UTC] I cannot come.",
		"[ ] buy milk\n[x] buy bread", "[1] Knuth, The Art. [2] Sipser.", "[I am joking] I live in Bern.", "[message_id: 5] is in each line of my log.",
		"System: Linux, kernel 6.1\nSystem: 8 GB", "System requirements: 8 GB", "Max: I live in Bern.", "Note: I live in Bern.",
		"Sender (untrusted metadata): what does that mean?", "My list (untrusted):\n- one", "Delivery: tomorrow with the `message` tool.",
		"Use NO_REPLY if you have nothing to say.", "I wrote [[reply_to_current]] in my prompt.", "Queued #1 is mine.",
		"Untrusted context (metadata only) is bad.", "[from: Rome] I write to you.", "I live in Bern. [from: my diary]",
		"[Mon 5 January] I begin.", "[2026-01-05 10:00] I begin.", "[Replying to you] Yes.", "<relevant-memories> is a tag that I see.", "Context: I live in Bern.",
	} {
		if words, speaker, machine := clawWords(text, at); words != text || speaker != "" || machine != "" {
			t.Errorf("%q: got %q, %q, %q, want it as it is", text, words, speaker, machine)
		}
	}
}

// TestClawAnswer: the marks for sending go, and an answer that was not sent is none.
func TestClawAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want, machine string }{
		{"[[reply_to_current]] Cool.", "Cool.", ""},
		{"[[ reply_to: 77 ]]Cool.\n[[audio_as_voice]] So.", "Cool.\nSo.", ""},
		{"Cool. [[reply_to_current]]", "Cool.", ""},
		{"NO_REPLY", "", silentAnswer}, {"\n\nNO_REPLY\n", "", silentAnswer}, {"HEARTBEAT_OK", "", silentAnswer},
		{"Done.\n\nNO_REPLY", "Done.", ""},
		{"", "", ""},
		{"I answer NO_REPLY then.", "I answer NO_REPLY then.", ""},
		{"Write `[[reply_to_current]]` before it, or [[links]].", "Write `[[reply_to_current]]` before it, or [[links]].", ""},
	} {
		if words, machine := clawAnswer(c.text); words != c.want || machine != c.machine {
			t.Errorf("%q: got %q, %q, want %q, %q", c.text, words, machine, c.want, c.machine)
		}
	}
}

// TestClawEarlier: a line says how earlier versions read the conversation, with the messages that they took.
func TestClawEarlier(t *testing.T) {
	t.Parallel()
	line := func(id, role, text string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"message":{"role":%q,"content":%q,"timestamp":1767607200000}}`+"\n", id, role, text)
	}
	read := func(lines string) (o lineOrigin, messages int) {
		in := &Input{Files: []*File{memoryFile("s1.jsonl", []byte(`{"type":"session","id":"s1"}`+"\n"+lines))}}
		var c struct {
			lineHead

			Messages []lineMessage `json:"messages"`
		}
		err := Read(t.Context(), in, Options{From: "openclaw"}, NewReport(true), func(line Line) error {
			return json.Unmarshal(wholeLine(t, line), &c)
		})
		if err != nil {
			t.Fatal(err)
		}
		return c.Origin, len(c.Messages)
	}
	plain, n := read(line("a", "user", "I hike.") + line("b", "assistant", "Fine."))
	if n != 2 || plain.Earlier != nil {
		t.Errorf("without envelopes: got %d messages, earlier %v, want 2 and none", n, plain.Earlier)
	}
	wrapped, n := read(line("a", "user", "[WhatsApp +1555] I hike.") + line("b", "assistant", "NO_REPLY") + line("c", "user", "I ski."))
	if n != 2 || wrapped.Earlier == nil || len(wrapped.Earlier.Marks) != 3*markSize || len(wrapped.Earlier.Texts) != 3*markSize {
		t.Fatalf("with envelopes: got %d messages, earlier %v, want 2, and marks of 3", n, wrapped.Earlier)
	}
	if string(wrapped.Earlier.Marks[:2*markSize]) != string(plain.Marks) || string(wrapped.Marks[:markSize]) != string(plain.Marks[:markSize]) {
		t.Errorf("got marks %x, earlier %x, want both to begin with %x", wrapped.Marks, wrapped.Earlier.Marks, plain.Marks)
	}
}
