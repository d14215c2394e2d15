package mention

import (
	"encoding/json"
	"testing"
)

// TestToldOfChats: what a model is told about its chat names nothing, except the title of the chat.
func TestToldOfChats(t *testing.T) {
	t.Parallel()
	const dm = "You are in a private chat on telegram. Write Markdown. If nothing needs to be said, answer with [SILENT] alone."
	const group = "You are in a group chat on discord, called \"Quagga group on telegram\". Several people speak; each message begins with its " +
		"speaker in square brackets. Write Markdown. If nothing needs to be said, answer with [SILENT] alone."
	for _, c := range []struct {
		text, thing string
		want        bool
	}{
		{dm, "telegram", false}, {dm, "Telegram", false}, {dm, "private", false}, {dm, "chat", false}, {dm, "Markdown", false}, {dm, "silent", false},
		{group, "discord", false}, {group, "square brackets", false}, {group, "quagga", true}, {group, "telegram", true},
		{"I use telegram.", "telegram", true}, {"You are in a private chat on telegram. Telegram is slow.", "telegram", true},
		{"You are in a private jet on telegram.", "telegram", true}, {"You are in a private chat on telegram with Quagga.", "quagga", true},
		{"He can write Markdown.", "markdown", true},
	} {
		if got := Of(c.thing).In(c.text); got != c.want {
			t.Errorf("%q in %q: got %t", c.thing, c.text, got)
		}
		stored, err := json.Marshal(map[string]string{"role": "system", "content": c.text})
		if err != nil {
			t.Fatal(err)
		}
		if got := Of(c.thing).InJSON(stored); got != c.want {
			t.Errorf("%q in JSON with %q: got %t", c.thing, c.text, got)
		}
	}
}
